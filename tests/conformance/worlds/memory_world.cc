#include "memory_world.h"

namespace holdfast::testing {

std::unique_ptr<World> World::make() { return std::make_unique<MemoryWorld>(); }

}  // namespace holdfast::testing
