#include "backend/zookeeper/status.h"

#include <fmt/format.h>
#include <zookeeper/zookeeper.h>

namespace holdfast::zookeeper {

using spi::Status;

Status status_of(int rc) {
  switch (rc) {
    case ZOK: return Status::ok;
    case ZNONODE: return Status::absent;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONMOVED: return Status::unknown;
    case ZINVALIDSTATE:
    case ZTHROTTLEDOP: return Status::unreachable;
    case ZSESSIONEXPIRED: return Status::expired;
    case ZCLOSING: return Status::closed;
    case ZNOAUTH:
    case ZAUTHFAILED:
    case ZINVALIDACL:
    case ZBADARGUMENTS:
    case ZMARSHALLINGERROR:
    case ZUNIMPLEMENTED:
    case ZNOCHILDRENFOREPHEMERALS:
    case ZNOTEMPTY:
    case ZNOTREADONLY: return Status::denied;
    default: return Status::unknown;  // what we do not know may have happened
  }
}

std::string describe(int rc, const std::string& what) { return fmt::format("{}: {}", what, zerror(rc)); }

}  // namespace holdfast::zookeeper
