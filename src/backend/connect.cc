// connect.cc -- the one place that knows every backend: from a URL to a Client.
#include <fmt/format.h>

#include "backend/memory/memory_backend.h"
#include "backend/zookeeper/address.h"
#include "backend/zookeeper/zookeeper_backend.h"
#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast {

Client Client::connect(std::string_view url, ClientOptions options) {
  if (url.starts_with("memory:")) {
    auto service = memory::Service::named(std::string(url.substr(7)));
    const auto timeout = options.session_timeout;
    return connect(
        [&](spi::Executor& executor) { return std::make_unique<memory::MemoryBackend>(executor, service, timeout); },
        std::move(options));
  }
  if (url.starts_with("zk:")) {
    auto address = zookeeper::parse_address(url);
    if (!address) throw Error(Errc::invalid_argument, address.error());
    // A copy: the factory runs after the options have been handed over.
    return connect(
        [&address, for_backend = options](spi::Executor& executor) {
          return std::make_unique<zookeeper::ZooKeeperBackend>(executor, *address, for_backend);
        },
        std::move(options));
  }
  throw Error(
      Errc::invalid_argument,
      fmt::format("\"{}\" is not a URL of a storage service; use memory: or zk://host:port,host:port[/chroot]", url));
}

}  // namespace holdfast
