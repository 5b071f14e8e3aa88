#include "witness.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <sstream>
#include <vector>

#include "session_client.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::steady_clock;

constexpr const char* kNode = "/witness";

}  // namespace

Witness::Witness(std::uint16_t port) : thread_([this, port] { run(port); }) {}

Witness::~Witness() { (void)stop(0); }

Witness::Testimony Witness::stop(std::size_t rounds) {
  least_ = rounds;
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  return testimony_;
}

void Witness::run(std::uint16_t port) {
  std::vector<std::chrono::microseconds> latencies;
  try {
    SessionClient client(port);
    (void)client.call(create(kNode));
    while ((!stopping_ || testimony_.rounds < least_) && testimony_.trouble.empty()) {
      const auto value = std::to_string(++testimony_.rounds);
      const auto begin = steady_clock::now();
      const auto written = client.call(set_data(kNode, value));
      const auto read = client.call(get_data(kNode));
      const auto beat = client.call(ping());
      latencies.push_back(std::chrono::ceil<std::chrono::microseconds>(steady_clock::now() - begin));
      if (!written.ok() || !beat.ok() || !read.ok() || parse_data(read.body).data != value) {
        testimony_.trouble = fmt::format("round {}: {} {} {}", value, written.err, read.err, beat.err);
      }
    }
    (void)client.call(close_session());
  } catch (const std::exception& error) {
    testimony_.trouble = error.what();
  }
  if (latencies.empty()) return;
  std::sort(latencies.begin(), latencies.end());
  testimony_.usual = latencies[latencies.size() / 2];
  testimony_.longest = latencies.back();
}

std::size_t memory_of(pid_t process, const std::string& what) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(what + ":")) return std::stoul(line.substr(what.size() + 1));
  }
  throw std::runtime_error("no " + what + " of process " + std::to_string(process));
}

std::chrono::milliseconds processor_time_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  // Behind the name, which may hold anything, the state and ten numbers; then user and system time in ticks.
  std::istringstream rest(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  long user = 0;
  long system = 0;
  rest >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace holdfast::testing::asking
