// innocent.h -- a client that only stays alive: a small request ten times in every two seconds, whether it is answered or not.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <thread>

#include "session_client.h"

namespace holdfast::testing::asking {

class Innocent {
 public:
  using Clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::milliseconds;

  Innocent(std::uint16_t port, milliseconds timeout)
      : client_(port, {.timeout = timeout}), timeout_(timeout), thread_([this] { stay(); }) {}
  ~Innocent() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int answers() const { return answers_; }
  bool ended() const { return lost_; }
  // After stop(). Unless this thread itself had no processor for so long that its session had to end.
  bool lost() const { return lost_ && longest_pause_ < timeout_ / 2; }
  int wrong() const { return wrong_; }
  // That an answer took, without what this thread itself was late.
  milliseconds slowest() const { return slowest_; }

 private:
  static constexpr milliseconds kBeat{100};
  static constexpr milliseconds kLook{10};

  void stay() {
    auto last = Clock::now();
    auto looked = last;
    std::map<std::int32_t, Clock::time_point> sent{{client_.send(exists("/")), last}};
    std::int32_t expected = 0;
    while (!stopping_) {
      const auto now = Clock::now();
      if (now - last > kBeat) {
        longest_pause_ = std::max(longest_pause_, std::chrono::duration_cast<milliseconds>(now - last));
        last = now;
        sent[client_.send(exists("/"))] = now;
      }
      const auto answer = client_.receive(kLook);
      const auto late = Clock::now() - looked - kLook;
      looked = Clock::now();
      if (answer.closed()) {
        lost_ = true;
        return;
      }
      if (!answer.came()) continue;
      if (answer.err != 0 || answer.xid != ++expected) ++wrong_;
      if (const auto it = sent.find(answer.xid); it != sent.end()) {
        const auto took = looked - it->second - std::max(late, Clock::duration(0));
        slowest_ = std::max(slowest_, std::chrono::duration_cast<milliseconds>(took));
        sent.erase(it);
      }
      ++answers_;
    }
  }

  SessionClient client_;
  milliseconds timeout_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> answers_ = 0;
  int wrong_ = 0;
  milliseconds longest_pause_{0};
  milliseconds slowest_{0};
  std::atomic<bool> lost_ = false;
  std::thread thread_;
};

}  // namespace holdfast::testing::asking
