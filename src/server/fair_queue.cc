#include "server/fair_queue.h"

#include <algorithm>
#include <utility>

namespace holdfast::server {
namespace {

// After about so many cheap ones a client counts as cheap again.
constexpr int kMemory = 16;

}  // namespace

FairQueue::Line& FairQueue::line_of(const LineId& client) {
  const auto [found, is_new] = lines_.try_emplace(client, Line{.client = client});
  if (is_new) {
    found->second.start = now_;
    enter(found->second);
  }
  return found->second;
}

void FairQueue::leave(Line& line) {
  ready_.erase(place_of(line));
  idle_.erase(place_of(line));
}

void FairQueue::enter(Line& line) {
  line.turn = ++last_turn_;
  if (is_ready(line)) {
    ready_.insert(place_of(line));
  } else if (line.work.empty() && line.holds == 0) {
    idle_.insert(place_of(line));
  }
}

void FairQueue::push(const LineId& client, std::unique_ptr<Work> work) {
  ++size_;
  Line& line = line_of(client);
  if (!line.work.empty()) return line.work.push_back(std::move(work));
  leave(line);
  // Who was away has saved nothing up.
  line.start = std::max(line.start, now_);
  line.work.push_back(std::move(work));
  enter(line);
}

void FairQueue::push_first(const LineId& client, std::unique_ptr<Work> work) {
  ++size_;
  Line& line = line_of(client);
  leave(line);
  line.work.push_front(std::move(work));
  enter(line);
}

std::unique_ptr<Work> FairQueue::take() {
  Line& line = *(*ready_.begin()).line;
  leave(line);
  now_ = std::max(now_, line.start);
  auto work = std::move(line.work.front());
  line.work.pop_front();
  --size_;
  return work;
}

void FairQueue::charge(const LineId& client, Cost cost) {
  Line& line = line_of(client);
  leave(line);
  line.start += cost;
  // Up at once, down slowly: one that is expensive now and then is expensive.
  line.expected = std::max(cost, line.expected - line.expected / kMemory);
  enter(line);
  forget_idle();
}

void FairQueue::forget_idle() {
  // Nobody waits: nobody has had too much.
  if (size_ == 0 && !idle_.empty()) now_ = std::max(now_, (*idle_.rbegin()).start);
  while (!idle_.empty() && (*idle_.begin()).start <= now_) {
    const auto client = (*idle_.begin()).line->client;
    idle_.erase(idle_.begin());
    lines_.erase(client);
  }
}

std::vector<std::unique_ptr<Work>> FairQueue::take_all() {
  std::vector<std::unique_ptr<Work>> all;
  for (auto& [client, line] : lines_) {
    for (auto& work : line.work) all.push_back(std::move(work));
  }
  lines_.clear();
  ready_.clear();
  idle_.clear();
  size_ = 0;
  return all;
}

void FairQueue::hold(const LineId& client, Hold why) {
  Line& line = line_of(client);
  leave(line);
  line.holds |= static_cast<std::uint8_t>(why);
  enter(line);
}

void FairQueue::release(const LineId& client, Hold why) {
  const auto found = lines_.find(client);
  if (found == lines_.end()) return;
  Line& line = found->second;
  leave(line);
  line.holds &= static_cast<std::uint8_t>(~static_cast<unsigned>(why));
  enter(line);
}

bool FairQueue::waits_for_its_turn(const LineId& client) const {
  const auto found = lines_.find(client);
  return found != lines_.end() && !found->second.work.empty() &&
         (found->second.holds & static_cast<std::uint8_t>(Hold::unsent)) == 0;
}

}  // namespace holdfast::server
