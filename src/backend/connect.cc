// connect.cc -- the one place that knows every backend: from a URL to a Client.
#include <fmt/format.h>

#include <algorithm>

#include "backend/embedded/engine_line.h"
#include "backend/local/local_line.h"
#include "backend/memory/memory_backend.h"
#include "backend/redis/address.h"
#include "backend/redis/make_backend.h"
#include "backend/zookeeper/address.h"
#include "backend/zookeeper/options.h"
#include "backend/zookeeper/zookeeper_backend.h"
#include "base/text.h"
#include "holdfast/client.h"
#include "holdfast/error.h"
#include "local/start.h"
#include "net/client_tls.h"
#include "server/engines.h"
#include "zk/socket_line.h"

namespace holdfast {
namespace {

using zk::Line;

std::chrono::milliseconds time_of_one_attempt(std::chrono::milliseconds longest, Clock::time_point deadline) {
  const auto now = Clock::now();
  if (deadline <= now) return std::chrono::milliseconds(1);
  if (deadline - now >= longest) return longest;
  return std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
}

// None: plain text. Files that cannot be used are found here, before anything is waited for.
std::shared_ptr<net::ClientTls> tls_of(bool wanted, const TlsOptions& options, std::string_view url,
                                       std::string_view instead) {
  if (!wanted) {
    if (options == TlsOptions{}) return nullptr;
    throw Error(Errc::invalid_argument,
                fmt::format("there are settings for TLS, but \"{}\" is a URL without it; write {} and the server's "
                            "secure port",
                            base::printable(url), instead));
  }
  auto tls = std::make_shared<net::ClientTls>(options);
  if (const auto usable = tls->connect("localhost"); !usable) throw Error(Errc::invalid_argument, usable.error());
  return tls;
}

}  // namespace

Client Client::connect(std::string_view url, ClientOptions options) {
  const auto deadline = deadline_after(options.connection_timeout);
  return connect_until(url, deadline, std::move(options));
}

Client Client::connect_until(std::string_view url, Clock::time_point deadline, ClientOptions options) {
  zookeeper::check(options.zookeeper);
  // Before the options are handed over: the order in which arguments are evaluated is unspecified.
  ClientOptions for_backend = options;
  // With less time than one attempt may take, each of the servers gets its share of that.
  for_backend.connection_timeout = time_of_one_attempt(options.connection_timeout, deadline);
  if (!zookeeper::is_address(url)) for_backend.zookeeper.sasl = {};
  if (url.starts_with("memory:")) {
    auto service = memory::Service::named(std::string(url.substr(7)));
    return connect_until(
        [&](spi::Executor& executor) {
          return std::make_unique<memory::MemoryBackend>(executor, service, for_backend.session_timeout);
        },
        deadline, std::move(options));
  }
  if (zookeeper::is_address(url)) {
    auto address = zookeeper::parse_address(url);
    if (!address) throw Error(Errc::invalid_argument, address.error());
    const auto tls = tls_of(address->tls, options.tls, url, "zks://");
    return open_until(
        [&](net::Reactor& reactor) {
          return std::make_unique<zookeeper::ZooKeeperBackend>(reactor, *address, for_backend,
                                                               zk::SocketLine::dial(reactor, tls));
        },
        deadline, std::move(options));
  }
  if (redis::is_address(url)) {
    const auto address = redis::parse_address(url);
    if (!address) throw Error(Errc::invalid_argument, address.error());
    const auto settings = redis::merged(options.redis, *address);
    const auto tls = tls_of(address->tls, options.tls, redis::without_password(url),
                            address->master.empty() ? "rediss://" : "rediss+sentinel://");
    return open_until(
        [&](net::Reactor& reactor) {
          return redis::make_backend(reactor, *address, settings, for_backend.session_timeout,
                                     for_backend.connection_timeout, tls);
        },
        deadline, std::move(options));
  }
  if (url.starts_with("embedded:")) {
    auto engine = server::engine_called(std::string(url.substr(9)));
    if (!engine) throw Error(Errc::refused, engine.error());
    return connect_until(
        [&](spi::Executor& executor) {
          const auto inside = [&executor, engine = *engine](const net::ServerAddress&, Clock::duration,
                                                            Line::Events events) {
            return embedded::line_to(engine, executor, std::move(events));
          };
          return std::make_unique<zookeeper::ZooKeeperBackend>(
              executor, zookeeper::Address{.called = "the engine of this process"}, for_backend, inside);
        },
        deadline, std::move(options));
  }
  if (url == "local:") {
    // The options are looked at later: whatever they are, the sum must fit into the clock.
    using std::chrono::milliseconds;
    const auto to_find =
        std::clamp<milliseconds>(for_backend.connection_timeout, milliseconds(0), std::chrono::hours(24));
    const auto found = local::find_or_start(std::chrono::steady_clock::now() + to_find);
    if (!found) throw Error(found.error().code, found.error().sentence);
    return open_until(
        [&](net::Reactor& reactor) {
          const auto at_engine = [&reactor, known = std::make_shared<local::FoundPtr>(*found),
                                  to_start = for_backend.connection_timeout](
                                     const net::ServerAddress&, Clock::duration timeout, Line::Events events) {
            return local::LocalLine::make(known, to_start, reactor, timeout, std::move(events));
          };
          return std::make_unique<zookeeper::ZooKeeperBackend>(
              reactor, zookeeper::Address{.called = fmt::format("the local engine ({})", (*found)->engine().directory)},
              for_backend, at_engine);
        },
        deadline, std::move(options));
  }
  throw Error(
      Errc::invalid_argument,
      fmt::format("\"{}\" is not a URL of a storage service; use zk://host:port,host:port[/chroot], zks:// for TLS, "
                  "redis://host:port[/db], rediss:// for TLS, local:, embedded:, embedded:/directory or memory:",
                  base::printable(url)));
}

}  // namespace holdfast
