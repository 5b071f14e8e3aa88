#include "server/statistics.h"

#include "engine/engine.h"

namespace holdfast::server {

StateStatistics statistics_of(const engine::Engine& engine) {
  const auto count = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  const auto& tree = engine.tree();
  return {.nodes = count(tree.size()),
          .ephemerals = count(tree.ephemeral_count()),
          .data_size = count(tree.data_size()),
          .watches = count(engine.data_watches().size() + engine.child_watches().size()),
          .sessions = count(engine.sessions().size())};
}

}  // namespace holdfast::server
