// timeline.h -- virtual time: a list of things to happen, in the order of their times and then of their making.
//
// Time stands still while something happens, and jumps to the next. So a minute takes as long as what happens in it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace holdfast::simulation {

using Moment = std::chrono::nanoseconds;  // since the beginning of the simulation

class Timeline {
 public:
  Moment now() const { return now_; }
  std::uint64_t happened() const { return happened_; }

  void at(Moment when, std::function<void()> f) {
    events_.push_back({std::max(when, now_), ++last_, std::move(f)});
    std::push_heap(events_.begin(), events_.end(), Later{});
  }
  void after(Moment pause, std::function<void()> f) { at(now_ + pause, std::move(f)); }

  // The next thing happens; false if there is nothing up to `end`, which it is then.
  bool step(Moment end) {
    if (events_.empty() || events_.front().when > end) {
      now_ = std::max(now_, end);
      return false;
    }
    std::pop_heap(events_.begin(), events_.end(), Later{});
    const auto event = std::move(events_.back());
    events_.pop_back();
    now_ = event.when;
    ++happened_;
    event.f();
    return true;
  }

 private:
  struct Event {
    Moment when;
    std::uint64_t number;
    std::function<void()> f;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::pair(a.when, a.number) > std::pair(b.when, b.number);
    }
  };

  Moment now_{0};
  std::uint64_t last_ = 0;
  std::uint64_t happened_ = 0;
  std::vector<Event> events_;  // a heap, the next one first
};

// All that is left to chance, from one seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : sequence_(seed) {}

  std::uint64_t number() { return sequence_(); }
  std::uint64_t below(std::uint64_t bound) { return sequence_() % bound; }
  // `percent` times in a hundred.
  bool percent(unsigned percent) { return below(100) < percent; }
  Moment between(Moment low, Moment high) {
    return low + Moment(static_cast<Moment::rep>(below(static_cast<std::uint64_t>((high - low).count()) + 1)));
  }

 private:
  std::mt19937_64 sequence_;
};

// A clock that runs too fast or too slow by so many millionths, and began at some other time.
class Drift {
 public:
  Drift(Moment offset, std::int64_t millionths) : offset_(offset), millionths_(millionths) {}

  // Never less than before.
  Moment shown_at(Moment time) const {
    constexpr std::int64_t kMillion = 1'000'000;
    return offset_ + time + time / kMillion * millionths_ + time % kMillion * millionths_ / kMillion;
  }
  // The first moment at which it shows that, or a little after.
  Moment when_shown(Moment shown) const {
    const auto reading = shown - offset_;
    auto time = Moment(static_cast<Moment::rep>(static_cast<double>(reading.count()) /
                                                (1.0 + static_cast<double>(millionths_) / 1e6)));
    while (shown_at(time) < shown) time += std::chrono::microseconds(1);
    return time;
  }

 private:
  Moment offset_;
  std::int64_t millionths_;
};

}  // namespace holdfast::simulation
