// disk.cc -- the floor: what this disk takes for one small write that is safe, without any server.
//
// No server that syncs each write of a single client can be faster than this.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "support/temp_dir.h"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

// As long as a small transaction in the log.
constexpr std::size_t kRecord = 150;
constexpr std::size_t kAhead = std::size_t{4} << 20;

void must(bool good, const char* what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

// Appends and syncs; into a file that grows, or into zeros that were written ahead.
std::vector<double> times(bool ahead, int count) {
  const testing::TempDir directory("disk");
  const int file = ::open((directory / "log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  must(file != -1, "open");
  if (ahead) {
    const std::string zeros(kAhead, '\0');
    must(::pwrite(file, zeros.data(), zeros.size(), 0) == static_cast<ssize_t>(zeros.size()), "write ahead");
    must(::fsync(file) == 0, "fsync");
  }
  const std::string record(kRecord, 'x');
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    const auto began = Clock::now();
    must(::pwrite(file, record.data(), record.size(), static_cast<off_t>(i) * static_cast<off_t>(kRecord)) ==
             static_cast<ssize_t>(kRecord),
         "write");
    must(::fdatasync(file) == 0, "fdatasync");
    all.push_back(Microseconds(Clock::now() - began).count());
  }
  ::close(file);
  return all;
}

int run(int argc, char** argv) {
  int count = 5'000;
  CLI::App app{"How long this disk takes for one small write and fdatasync()."};
  app.add_option("--count", count, "how many, each way")->check(CLI::Range(1, 20'000));
  CLI11_PARSE(app, argc, argv);
  print_machine();
  Table table({"write + fdatasync", "median, us", "99 %, us", "per second"});
  for (const bool ahead : {false, true}) {
    auto all = times(ahead, count);
    const double typical = percentile(all, 0.5);
    table.row({ahead ? "into zeros written ahead" : "at the end of a growing file", readable(typical),
               readable(percentile(all, 0.99)), readable(1e6 / typical)});
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
