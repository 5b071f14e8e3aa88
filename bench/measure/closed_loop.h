// closed_loop.h -- clients that each ask again as soon as they are answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/session.h"

namespace holdfast::bench {

// What one client does again and again. Throws when the server does not answer as it should.
using Turn = std::function<void(Session& session, const std::string& directory)>;

struct Throughput {
  double per_second = 0;
  std::vector<double> microseconds{};  // of each turn
};

// As many sessions, each with a thread and a directory of its own, "/bench-<number>", which it makes.
class Crowd {
 public:
  Crowd(ClientKind kind, std::uint16_t port, std::size_t size);

  // All at once, for that long.
  Throughput run(const Turn& turn, std::chrono::milliseconds duration);

 private:
  struct Member {
    std::unique_ptr<Session> session;
    std::string directory;
  };
  std::vector<Member> members_;
};

}  // namespace holdfast::bench
