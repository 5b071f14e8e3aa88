#include "backend/redis/left_session.h"

#include <memory>
#include <optional>

#include "backend/redis/make_backend.h"
#include "backend/redis/scripts.h"
#include "net/client_tls.h"
#include "net/poll_reactor.h"
#include "redis/client.h"

namespace holdfast::redis {

bool end_left_session(const std::string& url, spi::SessionId session, const ClientOptions& options,
                      Clock::time_point deadline) {
  const auto address = parse_address(url);
  if (!address || session == 0) return false;
  const auto settings = merged(options.redis, *address);
  if (settings.mode != RedisMode::queue) return false;
  net::PollReactor reactor;
  auto login = client_options(*address, settings, options.connection_timeout);
  login.scripts = {script_to_end_a_session()};
  bool over = false;
  bool ended = false;
  std::unique_ptr<Client> client;
  client = std::make_unique<Client>(
      reactor, std::move(login),
      Client::Events{.connected =
                         [&] {
                           auto words = words_to_end(session, settings.prefix, address->database);
                           client->call_script(0, std::move(words), [&](const std::optional<resp::Value>& answer) {
                             if (!answer) return;  // the next connection asks again
                             over = true;
                             ended = answer->type == resp::Value::Type::list;
                           });
                         },
                     .disconnected = [] {},
                     .refused = [&](const std::string&) { over = true; },
                     .told = [](const std::string&, const std::string&) {}},
      address->tls ? std::make_shared<net::ClientTls>(options.tls) : nullptr);
  client->open();
  while (!over && Clock::now() < deadline) reactor.wait({}, deadline);
  (void)client->close({});
  reactor.post([] {});
  reactor.wait({}, Clock::now());  // what was posted has run
  return ended;
}

}  // namespace holdfast::redis
