#include "conformance/worlds/cell_world.h"

namespace holdfast::testing {

std::unique_ptr<World> World::make() { return std::make_unique<CellWorld>(redis::CellKind::text); }

}  // namespace holdfast::testing
