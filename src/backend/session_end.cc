#include "backend/session_end.h"

#include <exception>

#include "backend/zookeeper/address.h"
#include "holdfast/local.h"
#include "zk/left_session.h"

namespace holdfast {
namespace {

net::ServerAddresses servers_of(const std::string& url) {
  if (url == "local:") {
    const auto engine = find_local_engine();
    return engine ? net::ServerAddresses{{engine->address, ""}} : net::ServerAddresses{};
  }
  const auto address = zookeeper::parse_address(url);
  return address ? address->servers : net::ServerAddresses{};
}

}  // namespace

bool end_session(const std::string& url, const lock::SessionKey& key, std::chrono::milliseconds session_timeout,
                 const std::vector<Auth>& auth, Clock::time_point deadline) noexcept {
  try {
    return zk::end_left_session(servers_of(url), {key.id, key.password, session_timeout}, auth, deadline);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace holdfast
