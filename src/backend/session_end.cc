#include "backend/session_end.h"

#include <exception>

#include "backend/redis/address.h"
#include "backend/redis/left_session.h"
#include "backend/zookeeper/address.h"
#include "holdfast/local.h"
#include "net/client_tls.h"
#include "zk/left_session.h"

namespace holdfast {
namespace {

// One that runs is not replaced, whatever it was started under.
LocalEngine local_engine(Clock::time_point deadline) {
  if (auto engine = find_local_engine()) return *std::move(engine);
  return start_local_engine(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
}

net::ServerAddresses servers_of(const std::string& url, Clock::time_point deadline) {
  if (url == "local:") return {{local_engine(deadline).address, ""}};
  const auto address = zookeeper::parse_address(url);
  return address ? address->servers : net::ServerAddresses{};
}

}  // namespace

bool end_session(const std::string& url, const lock::SessionKey& key, const ClientOptions& options,
                 Clock::time_point deadline) noexcept {
  try {
    if (redis::is_address(url)) return redis::end_left_session(url, key.id, options, deadline);
    net::ClientTls by_tls(options.tls);
    return zk::end_left_session(servers_of(url, deadline), {key.id, key.password, options.session_timeout},
                                options.zookeeper, url.starts_with("zks:") ? &by_tls : nullptr, deadline);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace holdfast
