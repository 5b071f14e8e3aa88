#include "measure/closed_loop.h"

#include <fmt/format.h>

#include <barrier>
#include <exception>
#include <thread>

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

}  // namespace

Crowd::Crowd(ClientKind kind, std::uint16_t port, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    Member member{connect(kind, port), fmt::format("/bench-{}", i)};
    member.session->make_directory(member.directory);
    members_.push_back(std::move(member));
  }
}

Throughput Crowd::run(const Turn& turn, std::chrono::milliseconds duration) {
  std::vector<std::vector<double>> times(members_.size());
  std::vector<std::exception_ptr> failures(members_.size());
  std::barrier start(static_cast<std::ptrdiff_t>(members_.size() + 1));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      const auto deadline = Clock::now() + duration;
      try {
        for (auto begin = Clock::now(); begin < deadline;) {
          turn(*members_[i].session, members_[i].directory);
          const auto end = Clock::now();
          times[i].push_back(Microseconds(end - begin).count());
          begin = end;
        }
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  start.arrive_and_wait();
  const auto began = Clock::now();
  threads.clear();  // joins
  const std::chrono::duration<double> took = Clock::now() - began;
  Throughput result;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    result.microseconds.insert(result.microseconds.end(), times[i].begin(), times[i].end());
  }
  result.per_second = static_cast<double>(result.microseconds.size()) / took.count();
  return result;
}

}  // namespace holdfast::bench
