#include "server/fair_queue.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"

namespace holdfast::server {
namespace {

// After about so many cheap ones a client counts as cheap again.
constexpr int kMemory = 16;

}  // namespace

FairQueue::FairQueue() {
  Cost most = kSmallest;
  for (auto& magnitude : all_) {
    magnitude.handicap = most;
    most *= 4;
  }
}

std::size_t FairQueue::magnitude_of(Cost cost) {
  std::size_t magnitude = 0;
  for (Cost most = kSmallest; cost > most && magnitude + 1 < kMagnitudes; most *= 4) ++magnitude;
  return magnitude;
}

std::size_t FairQueue::groups() const {
  std::size_t all = 0;
  for (const auto& magnitude : all_) all += magnitude.groups.size();
  return all;
}

FairQueue::Line& FairQueue::next_line() const {
  const auto& magnitude = static_cast<const Magnitude&>(magnitudes_.next());
  const auto& group = static_cast<const Group&>(magnitude.turns.next());
  auto& line = static_cast<Line&>(group.turns.next());
  HOLDFAST_ASSERT(!line.work.empty() && line.holds == 0, line.client.id, line.holds);
  return line;
}

FairQueue::Line& FairQueue::line_of(const LineId& client, Cost expected) {
  const auto [found, is_new] = lines_.try_emplace(client);
  Line& line = found->second;
  if (!is_new) return line;
  line.client = client;
  try {
    enter(line, group_at(magnitude_of(expected), client));
  } catch (const std::bad_alloc&) {
    lines_.erase(found);
    throw;
  }
  return line;
}

FairQueue::Group& FairQueue::group_at(std::size_t magnitude, const LineId& client) {
  const auto [found, is_new] = all_[magnitude].groups.try_emplace(group_of(client));
  if (is_new) {
    found->second.magnitude = &all_[magnitude];
    found->second.id = found->first;
  }
  return found->second;
}

void FairQueue::enter(Line& line, Group& group) noexcept {
  if (line.group == &group) return;
  if (auto* before = line.group; before != nullptr) {
    before->turns.put(line, Turns::State::away);
    HOLDFAST_ASSERT(before->size > 0, line.client.id);
    --before->size;
    put(*before);
    forget_idle(*before);
  }
  line.start = Cost{0};
  line.handicap = Cost{0};
  line.group = &group;
  ++group.size;
}

void FairQueue::put(Line& line) noexcept {
  if (!line.work.empty()) {
    try {
      enter(line, group_at(magnitude_of(line.work.front().expected), line.client));
    } catch (const std::bad_alloc&) {  // it has its turn where it stands
    }
  }
  HOLDFAST_ASSERT(line.group != nullptr, line.client.id);
  using enum Turns::State;
  line.group->turns.put(line, line.holds != 0 ? away : line.work.empty() ? idle : ready);
  put(*line.group);
}

void FairQueue::put(Group& group) noexcept {
  using enum Turns::State;
  auto& magnitude = *group.magnitude;
  magnitude.turns.put(group, group.turns.any_ready() ? ready : group.size > 0 ? away : idle);
  magnitudes_.put(magnitude, magnitude.turns.any_ready() ? ready : away);
}

void FairQueue::forget_idle(Group& group) noexcept {
  while (auto* idle = group.turns.forgettable()) {
    group.turns.put(*idle, Turns::State::away);
    HOLDFAST_ASSERT(group.size > 0, lines_.size());
    --group.size;
    const auto& line = static_cast<Line&>(*idle);
    HOLDFAST_ASSERT(line.work.empty() && line.holds == 0 && line.group == &group, line.client.id, line.holds);
    lines_.erase(line.client);
  }
  put(group);
  auto& magnitude = *group.magnitude;
  while (auto* idle = magnitude.turns.forgettable()) {
    magnitude.turns.put(*idle, Turns::State::away);
    HOLDFAST_ASSERT(static_cast<Group*>(idle)->size == 0, static_cast<Group*>(idle)->size);
    magnitude.groups.erase(static_cast<Group*>(idle)->id);
  }
}

// Without memory for it nothing has changed: an empty queue must be known as one, and all that is in it must come to its turn.
template <class Add>
FairQueue::Line& FairQueue::add(const LineId& client, Cost expected, Add add) {
  Line& line = line_of(client, expected);
  try {
    add(line.work);
  } catch (const std::bad_alloc&) {
    put(line);
    forget_idle(*line.group);
    throw;
  }
  ++size_;
  return line;
}

void FairQueue::push(const LineId& client, std::unique_ptr<Work> work) {
  const auto expected = work->likely_cost();
  Line& line = add(client, expected, [&](auto& waiting) { waiting.push_back({std::move(work), expected}); });
  if (line.work.size() == 1) put(line);
}

void FairQueue::push_first(const LineId& client, std::unique_ptr<Work> work, Cost expected) {
  put(add(client, expected, [&](auto& waiting) { waiting.push_front({std::move(work), expected, true}); }));
}

bool FairQueue::expect(Cost cost) {
  Line& line = next_line();
  auto& first = line.work.front();
  const auto seemed = std::exchange(first.expected, std::max(first.expected, cost));
  first.weighed = true;
  if (magnitude_of(first.expected) == magnitude_of(seemed)) return true;
  put(line);
  return false;
}

std::unique_ptr<Work> FairQueue::take() {
  Line& line = next_line();
  line.group->turns.begin(line);
  line.group->magnitude->turns.begin(*line.group);
  magnitudes_.begin(*line.group->magnitude);
  auto work = std::move(line.work.front().work);
  HOLDFAST_ASSERT(work != nullptr && size_ >= line.work.size(), size_, line.work.size());
  line.work.pop_front();
  --size_;
  return work;
}

// Where the work was: its line may stand elsewhere by now, or be forgotten.
void FairQueue::charge(const LineId& client, Cost cost, Cost expected) noexcept {
  try {
    charge(line_of(client, expected), group_at(magnitude_of(expected), client), cost);
  } catch (const std::bad_alloc&) {  // what it cost is forgotten, but what it has left to do is not
    if (const auto found = lines_.find(client); found != lines_.end()) {
      put(found->second);
      forget_idle(*found->second.group);
    }
  }
}

void FairQueue::charge(Line& line, Group& group, Cost cost) noexcept {
  HOLDFAST_ASSERT(line.group != nullptr && group.magnitude != nullptr, line.client.id);
  const bool stands_here = line.group == &group;
  auto& magnitude = *group.magnitude;
  // Up at once, down slowly: a client that is expensive now and then is expensive, whatever its requests look like.
  if (stands_here) group.turns.charge(line, cost, std::max(cost, line.handicap - line.handicap / kMemory));
  magnitude.turns.charge(group, cost, group.handicap);
  magnitudes_.charge(magnitude, cost, magnitude.handicap);
  if (stands_here) put(line);
  // Otherwise it went elsewhere just now, and what it left may be forgotten already.
  if (line.group == &group || !stands_here) forget_idle(group);
}

std::vector<std::unique_ptr<Work>> FairQueue::take_all() {
  std::vector<std::unique_ptr<Work>> all;
  for (auto& [client, line] : lines_) {
    for (auto& waiting : line.work) all.push_back(std::move(waiting.work));
    line.work.clear();
    line.holds = 0;
  }
  HOLDFAST_ASSERT(all.size() == size_, all.size(), size_);
  size_ = 0;
  for (auto& [client, line] : lines_) put(line);
  while (!lines_.empty()) forget_idle(*lines_.begin()->second.group);
  return all;
}

void FairQueue::hold(const LineId& client, Hold why) {
  Line& line = line_of(client, Cost{0});
  line.holds |= static_cast<std::uint8_t>(why);
  put(line);
}

void FairQueue::release(const LineId& client, Hold why) {
  const auto found = lines_.find(client);
  const auto reason = static_cast<std::uint8_t>(why);
  if (found == lines_.end() || (found->second.holds & reason) == 0) return;
  Line& line = found->second;
  line.holds &= static_cast<std::uint8_t>(~static_cast<unsigned>(reason));
  put(line);
  forget_idle(*line.group);
}

bool FairQueue::waits_for_its_turn(const LineId& client) const {
  const auto found = lines_.find(client);
  return found != lines_.end() && !found->second.work.empty() &&
         (found->second.holds & static_cast<std::uint8_t>(Hold::unsent)) == 0;
}

}  // namespace holdfast::server
