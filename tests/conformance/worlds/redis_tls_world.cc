// Clients that come by TLS, with a certificate.
#include "redis_queue_world.h"
#include "support/secure_redis.h"

namespace holdfast::testing {
namespace {

struct Secured {
  SecureRedis secure{};
};

// Its keys are looked at by the plain port.
class RedisTlsWorld final : private Secured, public RedisQueueWorld {
 public:
  RedisTlsWorld()
      : RedisQueueWorld("rediss://" + secure.address(), secure.server(),
                        {.ca = secure.authority().certificate,
                         .certificate = secure.client().certificate,
                         .key = secure.client().key}) {}
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<RedisTlsWorld>(); }

}  // namespace holdfast::testing
