// cell_world.h -- a world whose locks are one key of Redis each: what it can do is less than a queue.
#pragma once

#include <memory>

#include "backend/redis/cell_backend.h"
#include "conformance/conformance.h"
#include "support/redis_server.h"

namespace holdfast::testing {

class CellWorld final : public World {
 public:
  explicit CellWorld(redis::CellKind kind) : kind_(kind) {}
  ~CellWorld() override { end_own_session(); }

  bool can(Ability ability) const override { return ability == Ability::fork; }
  bool has(Feature) const override { return false; }
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    auto& reactor = dynamic_cast<net::Reactor&>(executor);  // that of a client always is one
    return std::make_unique<redis::CellBackend>(
        reactor,
        redis::CellStore{.client = {.servers = net::parse_servers(server_.address()).value(),
                                    .connection_timeout = options.connection_timeout},
                         .layout = {.kind = kind_},
                         .called = "Redis at " + server_.address()},
        options.session_timeout);
  }
  bool child_shares_service() const override { return true; }

 private:
  const redis::CellKind kind_;
  RedisServer server_;
};

}  // namespace holdfast::testing
