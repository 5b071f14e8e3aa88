#include "redis_queue_world.h"

namespace holdfast::testing {
namespace {

struct Server {
  RedisServer server{};
};

class RedisWorld final : private Server, public RedisQueueWorld {
 public:
  RedisWorld() : RedisQueueWorld("redis://" + server.address(), server) {}
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<RedisWorld>(); }

}  // namespace holdfast::testing
