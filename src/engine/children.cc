#include "engine/children.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/assert.h"
#include "engine/node.h"

namespace holdfast::engine {
namespace {

// Up to this many are compared one by one: most directories of locks have no more.
constexpr std::size_t kFew = 8;
constexpr std::size_t kLeastSlots = 32;
// A table with fewer children than one in this many slots is made smaller.
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

// For a child that is there.
std::size_t Children::slot_of(Place place) const {
  auto slot = home(hashes_[place]);
  while (slots_[slot] != place) {
    HOLDFAST_ASSERT(slots_[slot] != kNone, place, slot, slots_.size());
    slot = behind(slot);
  }
  return slot;
}

void Children::enter(std::vector<Place>& slots, Place place, std::uint32_t hash) {
  const auto mask = slots.size() - 1;
  auto slot = hash & mask;
  while (slots[slot] != kNone) slot = (slot + 1) & mask;
  slots[slot] = place;
}

// The entries after it move up as far as they may, so that no search ends too early.
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

std::vector<Children::Place> Children::table_of(std::size_t slots) const {
  // A search ends at a slot that is free.
  HOLDFAST_ASSERT(std::has_single_bit(slots) && slots > nodes_.size(), slots, nodes_.size());
  HOLDFAST_ASSERT(hashes_.size() == nodes_.size(), hashes_.size(), nodes_.size());
  std::vector<Place> table(slots, kNone);
  for (Place place = 0; place < nodes_.size(); ++place) enter(table, place, hashes_[place]);
  return table;
}

void Children::make_room() {
  const auto wanted = nodes_.size() + 1;
  if (wanted > nodes_.capacity()) nodes_.reserve(std::max(wanted, 2 * nodes_.capacity()));
  if (wanted > hashes_.capacity()) hashes_.reserve(std::max(wanted, 2 * hashes_.capacity()));
  if (slots_.empty() ? wanted > kFew : wanted > slots_.size() / 4 * 3) {
    slots_ = table_of(std::max(kLeastSlots, slots_.size() * 2));
  }
}

void Children::insert(std::unique_ptr<Node> node) noexcept {
  HOLDFAST_ASSERT(node != nullptr);
  HOLDFAST_ASSERT(nodes_.size() < nodes_.capacity() && hashes_.size() < hashes_.capacity(), nodes_.size());
  HOLDFAST_ASSERT(slots_.empty() || nodes_.size() + 1 < slots_.size(), nodes_.size(), slots_.size());
  const auto place = static_cast<Place>(nodes_.size());
  hashes_.push_back(static_cast<std::uint32_t>(base::siphash(*key_, node->name)));
  name_bytes_ += node->name.size();
  nodes_.push_back(std::move(node));
  if (!slots_.empty()) enter(slots_, place, hashes_[place]);
}

std::unique_ptr<Node> Children::extract(std::string_view name) noexcept {
  const auto place = place_of(name, static_cast<std::uint32_t>(base::siphash(*key_, name)));
  HOLDFAST_ASSERT(place < nodes_.size() && nodes_[place] != nullptr, name, place, nodes_.size());
  const auto last = static_cast<Place>(nodes_.size() - 1);
  if (!slots_.empty()) {
    vacate(slot_of(place));
    if (place != last) slots_[slot_of(last)] = place;
  }
  auto taken = std::exchange(nodes_[place], nullptr);
  HOLDFAST_ASSERT(name_bytes_ >= taken->name.size(), name_bytes_, taken->name.size());
  name_bytes_ -= taken->name.size();
  if (place != last) {
    nodes_[place] = std::move(nodes_[last]);
    hashes_[place] = hashes_[last];
  }
  nodes_.pop_back();
  hashes_.pop_back();
  return taken;
}

std::unique_ptr<Node> Children::set_aside(std::string_view name) noexcept {
  ++aside_;
  return extract(name);
}

void Children::drop_aside() noexcept {
  HOLDFAST_ASSERT(aside_ > 0, nodes_.size());
  --aside_;
}

void Children::put_back(std::unique_ptr<Node> node) noexcept {
  drop_aside();
  insert(std::move(node));
}

// The smaller table is needed before the large one can be freed. If there is no memory for it, the next removal tries again.
void Children::tidy() noexcept {
  if (aside_ > 0 || slots_.size() <= kLeastSlots || nodes_.size() >= slots_.size() / kSparse) return;
  nodes_.shrink_to_fit();
  hashes_.shrink_to_fit();
  try {
    slots_ = table_of(std::bit_ceil(std::max(kLeastSlots, 2 * nodes_.size())));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace holdfast::engine
