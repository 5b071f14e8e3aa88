// witness.h -- somebody else: a client that reads and writes all the time, and notices when it is held up.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace holdfast::testing::asking {

class Witness {
 public:
  // Begins at once, on a node of its own.
  explicit Witness(std::uint16_t port);
  ~Witness();

  // What it saw, after at least this many rounds, so that it saw something. It stops.
  struct Testimony {
    std::size_t rounds = 0;  // of a write, a read and a ping each
    std::chrono::microseconds usual{0};
    std::chrono::microseconds longest{0};
    std::string trouble{};  // empty: none
  };
  Testimony stop(std::size_t rounds = 20);

 private:
  void run(std::uint16_t port);

  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> least_ = 0;
  Testimony testimony_{};
  std::thread thread_;
};

// Of a process, in KiB: "VmHWM", the most memory it ever had, or "VmRSS", what it has now.
std::size_t memory_of(pid_t process, const std::string& what);
// What it has used of a processor so far.
std::chrono::milliseconds processor_time_of(pid_t process);

}  // namespace holdfast::testing::asking
