#include "engine/children.h"

#include <bit>
#include <utility>

#include "engine/node.h"

namespace holdfast::engine {
namespace {

// So few are looked through one by one: most directories of locks have no more.
constexpr std::size_t kFew = 8;
constexpr std::size_t kLeastSlots = 32;
// A table that is emptier than this is made smaller.
constexpr std::size_t kSparse = 16;

}  // namespace

Children::~Children() = default;

Node* Children::find(std::string_view name) const {
  const auto place = place_of(name, static_cast<std::uint32_t>(base::siphash(*key_, name)));
  return place == kNone ? nullptr : nodes_[place].get();
}

Children::Place Children::place_of(std::string_view name, std::uint32_t hash) const {
  const auto is_it = [&](Place place) { return hashes_[place] == hash && nodes_[place]->name == name; };
  if (slots_.empty()) {
    for (Place place = 0; place < nodes_.size(); ++place) {
      if (is_it(place)) return place;
    }
    return kNone;
  }
  auto slot = home(hash);
  while (slots_[slot] != kNone && !is_it(slots_[slot])) slot = behind(slot);
  return slots_[slot];
}

// Of one that is there.
std::size_t Children::slot_of(Place place) const {
  auto slot = home(hashes_[place]);
  while (slots_[slot] != place) slot = behind(slot);
  return slot;
}

void Children::enter(Place place) {
  auto slot = home(hashes_[place]);
  while (slots_[slot] != kNone) slot = behind(slot);
  slots_[slot] = place;
}

// Those behind it move up as far as they may, so that no search ends too early.
void Children::vacate(std::size_t slot) {
  for (auto next = behind(slot); slots_[next] != kNone; next = behind(next)) {
    const auto wanted = home(hashes_[slots_[next]]);
    const auto mask = slots_.size() - 1;
    if (((next - wanted) & mask) < ((next - slot) & mask)) continue;
    slots_[slot] = slots_[next];
    slot = next;
  }
  slots_[slot] = kNone;
}

void Children::resize(std::size_t slots) {
  slots_.assign(slots, kNone);
  slots_.shrink_to_fit();
  for (Place place = 0; place < nodes_.size(); ++place) enter(place);
}

void Children::insert(std::unique_ptr<Node> node) {
  const auto place = static_cast<Place>(nodes_.size());
  hashes_.push_back(static_cast<std::uint32_t>(base::siphash(*key_, node->name)));
  name_bytes_ += node->name.size();
  nodes_.push_back(std::move(node));
  if (slots_.empty() ? nodes_.size() > kFew : nodes_.size() > slots_.size() / 4 * 3) {
    resize(std::max(kLeastSlots, slots_.size() * 2));
  } else if (!slots_.empty()) {
    enter(place);
  }
}

std::unique_ptr<Node> Children::extract(std::string_view name) {
  const auto place = place_of(name, static_cast<std::uint32_t>(base::siphash(*key_, name)));
  const auto last = static_cast<Place>(nodes_.size() - 1);
  if (!slots_.empty()) {
    vacate(slot_of(place));
    if (place != last) slots_[slot_of(last)] = place;
  }
  auto taken = std::exchange(nodes_[place], nullptr);
  name_bytes_ -= taken->name.size();
  if (place != last) {
    nodes_[place] = std::move(nodes_[last]);
    hashes_[place] = hashes_[last];
  }
  nodes_.pop_back();
  hashes_.pop_back();
  if (slots_.size() > kLeastSlots && nodes_.size() < slots_.size() / kSparse) {
    nodes_.shrink_to_fit();
    hashes_.shrink_to_fit();
    resize(std::bit_ceil(std::max(kLeastSlots, 2 * nodes_.size())));
  }
  return taken;
}

}  // namespace holdfast::engine
