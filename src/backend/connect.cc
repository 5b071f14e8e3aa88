// connect.cc -- the one place that knows every backend: from a URL to a Client.
#include <fmt/format.h>

#include "backend/memory/memory_backend.h"
#include "backend/zookeeper/address.h"
#include "backend/zookeeper/zookeeper_backend.h"
#include "base/text.h"
#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast {

Client Client::connect(std::string_view url, ClientOptions options) {
  // Before the options are handed over: the order in which arguments are evaluated is anybody's guess.
  const ClientOptions for_backend = options;
  if (url.starts_with("memory:")) {
    auto service = memory::Service::named(std::string(url.substr(7)));
    return connect(
        [&](spi::Executor& executor) {
          return std::make_unique<memory::MemoryBackend>(executor, service, for_backend.session_timeout);
        },
        std::move(options));
  }
  if (url.starts_with("zk:")) {
    auto address = zookeeper::parse_address(url);
    if (!address) throw Error(Errc::invalid_argument, address.error());
    return connect(
        [&](spi::Executor& executor) {
          return std::make_unique<zookeeper::ZooKeeperBackend>(executor, *address, for_backend);
        },
        std::move(options));
  }
  throw Error(Errc::invalid_argument,
              fmt::format("\"{}\" is not a URL of a storage service; use memory: or zk://host:port,host:port[/chroot]",
                          base::printable(url)));
}

}  // namespace holdfast
