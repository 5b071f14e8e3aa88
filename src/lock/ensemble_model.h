// ensemble_model.h -- a leader, a follower and a client as the argument of validity.h sees them, for its tests.
//
// Four streams between them keep the order of their bytes, and deliver them at any time. Each of the three may be stopped, as by a
// garbage collector, a host or an operator; messages that arrive meanwhile wait. The leader's pinging thread may be late as well, so
// that waiting messages are answered before it runs. The leader gives a session up `timeout` after the last report of it: only this
// model knows when that was.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "holdfast/clock.h"
#include "lock/validity.h"

namespace holdfast::lock {

// The same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  Clock::duration up_to(Clock::duration most) {
    return Clock::duration(static_cast<Clock::rep>(next() % (static_cast<std::uint64_t>(most.count()) + 1)));
  }
  bool one_in(std::uint64_t n) { return next() % n == 0; }
  // Usually little, sometimes anything up to `most`.
  Clock::duration mostly_little(Clock::duration most) { return up_to(one_in(4) ? most : most / 20); }

 private:
  std::uint64_t state_;
};

struct EnsembleHabits {
  Terms terms;
  Clock::duration longest_delay{};  // of each stream
  // The longest time from one ping of the leader until the next is due, and how late its thread is then, counted while the leader runs.
  Clock::duration longest_ping_pause{};
  Clock::duration longest_ping_delay{};
  // 0: never stopped. Between two stops the leader runs at least `shortest_run`.
  Clock::duration leader_stops{};
  Clock::duration follower_stops{};
  Clock::duration client_stops{};
  Clock::duration shortest_run{};
};

// `P`: the rule under test, lock::Proof or one that is known to be wrong.
template <class P>
class EnsembleModel {
 public:
  EnsembleModel(std::uint64_t seed, const EnsembleHabits& habits) : dice_(seed), habits_(habits) {
    proof_.begin(now_);
    stops_ = {habits.client_stops, habits.follower_stops, habits.leader_stops};
    for (const auto who : {kClient, kFollower, kLeader}) plan_stop(who);
    later(kLeader, What::ping_due, dice_.up_to(habits_.longest_ping_pause));
    later(kClient, What::beat, habits_.terms.beat);
  }

  Clock::time_point now() const { return now_; }
  Clock::time_point anchor() const { return proof_.anchor(); }
  Clock::time_point heard_by_leader() const { return heard_by_leader_; }

  // Until the client has learned something.
  void run() {
    for (learned_ = false; !learned_;) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.when;
      if (event.what == What::stop || event.what == What::go_on) {
        event.what == What::stop ? stop(event.who) : go_on(event.who);
      } else if (stopped_[event.who]) {
        waiting_[event.who].push_back(event);
      } else {
        handle(event);
      }
    }
  }

 private:
  enum Who { kClient, kFollower, kLeader };
  enum class What { stop, go_on, beat, ping_due, ping_out, beat_in, ping_in, report_in, answer_in, read_in };
  enum Stream { kToFollower, kToLeader, kFromLeader, kToClient };

  struct Event {
    Clock::time_point when;
    std::uint64_t order;  // orders the events of one moment
    What what;
    Who who;
    Clock::time_point sent{};  // of the beat that it is about
    bool flag = false;         // a report: the client was heard; a ping_out: which one
    bool operator<(const Event& other) const { return std::pair(other.when, other.order) < std::pair(when, order); }
  };

  void later(Who who, What what, Clock::duration delay, Clock::time_point sent = {}) {
    events_.push({now_ + delay, ++order_, what, who, sent});
  }
  // One direction of a TCP connection.
  void send(Stream stream, Who to, What what, Clock::time_point sent = {}, bool flag = false) {
    arrived_[stream] = std::max(arrived_[stream], now_ + dice_.mostly_little(habits_.longest_delay));
    events_.push({arrived_[stream], ++order_, what, to, sent, flag});
  }

  void plan_stop(Who who) {
    if (stops_[who] == Clock::duration::zero()) return;
    later(who, What::stop, habits_.shortest_run + dice_.mostly_little(20 * stops_[who]));
  }
  void stop(Who who) {
    stopped_[who] = true;
    if (who == kLeader && pinging_) ping_delay_ -= now_ - pinging_since_;
    later(who, What::go_on, dice_.mostly_little(stops_[who]));
  }
  void go_on(Who who) {
    stopped_[who] = false;
    if (who == kLeader && pinging_) delay_ping();
    plan_stop(who);
    for (const auto& event : std::exchange(waiting_[who], {})) handle(event);
  }

  // Starts again after every stop: an earlier ping_out is void.
  void delay_ping() {
    pinging_since_ = now_;
    ++pings_;
    later(kLeader, What::ping_out, ping_delay_, Clock::time_point(Clock::duration(pings_)));
  }

  void handle(const Event& event) {
    switch (event.what) {
      case What::stop:
      case What::go_on: break;
      case What::beat:
        // And now and then a request that the follower answers on its own.
        send(kToFollower, kFollower, What::beat_in, now_, dice_.one_in(3));
        later(kClient, What::beat, habits_.terms.beat);
        break;
      case What::beat_in:
        if (event.who == kFollower) {
          heard_by_follower_ = true;
          if (event.flag) send(kToClient, kClient, What::read_in, event.sent);
          send(kToLeader, kLeader, What::beat_in, event.sent);
        } else {
          send(kFromLeader, kFollower, What::answer_in, event.sent);
        }
        break;
      case What::answer_in:
        if (event.who == kFollower) {
          send(kToClient, kClient, What::answer_in, event.sent);
        } else {
          learn(event.sent, true);
        }
        break;
      case What::read_in: learn(event.sent, false); break;
      case What::ping_due:
        pinging_ = true;
        ping_delay_ = dice_.mostly_little(habits_.longest_ping_delay);
        delay_ping();
        break;
      case What::ping_out:
        if (event.sent != Clock::time_point(Clock::duration(pings_))) break;
        pinging_ = false;
        send(kFromLeader, kFollower, What::ping_in);
        later(kLeader, What::ping_due,
              habits_.longest_ping_pause - dice_.mostly_little(habits_.longest_ping_pause / 2));
        break;
      case What::ping_in:
        send(kToLeader, kLeader, What::report_in, {}, std::exchange(heard_by_follower_, false));
        break;
      case What::report_in:
        if (event.flag) heard_by_leader_ = now_;
        break;
    }
  }
  void learn(Clock::time_point sent, bool by_keeper) {
    proof_.acknowledge(habits_.terms, sent, now_, by_keeper);
    learned_ = true;
  }

  Dice dice_;
  const EnsembleHabits habits_;
  Clock::time_point now_{std::chrono::seconds(1'000)};
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  std::array<Clock::time_point, 4> arrived_{};  // the last arrival of each stream
  std::array<Clock::duration, 3> stops_{};
  std::array<bool, 3> stopped_{};
  std::array<std::vector<Event>, 3> waiting_;
  bool pinging_ = false;  // due, and late
  Clock::duration ping_delay_{};
  Clock::time_point pinging_since_;
  Clock::rep pings_ = 0;
  bool heard_by_follower_ = false;
  Clock::time_point heard_by_leader_ = now_;
  P proof_;
  bool learned_ = false;
};

}  // namespace holdfast::lock
