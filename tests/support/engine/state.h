// state.h -- the whole state of an engine as text, and what must hold of it.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"

namespace holdfast::testing {

// Every field of every node, the sessions (but not when they were heard of), ephemerals, mortals and counters, in an order of its
// own: two engines in the same state give the same text.
std::string describe(const engine::Engine& engine);

// What is wrong with it: counters against a count, the list of nodes against the tree, users of ACLs against nodes. Nothing in a
// good engine, once every outcome is settled or taken back.
std::vector<std::string> faults(const engine::Engine& engine);

}  // namespace holdfast::testing
