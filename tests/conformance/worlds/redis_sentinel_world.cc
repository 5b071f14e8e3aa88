// Clients that know the Sentinels only.
#include "redis_queue_world.h"
#include "support/redis_failover.h"

namespace holdfast::testing {
namespace {

struct Watched {
  RedisFailover servers{{.sentinels = 1}};
};

class RedisSentinelWorld final : private Watched, public RedisQueueWorld {
 public:
  RedisSentinelWorld() : RedisQueueWorld(servers.url(), servers.server(0)) {}
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<RedisSentinelWorld>(); }

}  // namespace holdfast::testing
