#include "system_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
ssize_t __real_write(int fd, const void* data, size_t size);
int __real_fsync(int fd);
int __real_rename(const char* from, const char* to);
ssize_t __wrap_write(int fd, const void* data, size_t size);
int __wrap_fsync(int fd);
int __wrap_rename(const char* from, const char* to);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace holdfast::testing {
namespace {

// The program has one thread.
bool recording = false;
std::vector<std::string> recorded;
int calls_to_live = -1;  // -1: for ever
std::string journal_path;

std::string last_part(const std::filesystem::path& path) { return path.filename().string(); }

std::string path_of(int fd) { return last_part(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd))); }

// True: this is the call to die at.
bool note(const std::string& call) {
  if (recording) recorded.push_back(call);
  return calls_to_live >= 0 && calls_to_live-- == 0;
}

void die() { ::kill(::getpid(), SIGKILL); }

}  // namespace

void record_system_calls() { recording = true; }
std::vector<std::string> recorded_system_calls() { return recorded; }
void die_at_system_call(int n) { calls_to_live = n; }
void keep_journal_of_renames(const std::string& journal) { journal_path = journal; }

}  // namespace holdfast::testing

ssize_t __wrap_write(int fd, const void* data, size_t size) {
  using namespace holdfast::testing;
  if (note("write " + path_of(fd))) {
    [[maybe_unused]] const auto half = __real_write(fd, data, size / 2);
    die();
  }
  return __real_write(fd, data, size);
}

int __wrap_fsync(int fd) {
  using namespace holdfast::testing;
  if (note("fsync " + path_of(fd))) die();
  return __real_fsync(fd);
}

int __wrap_rename(const char* from, const char* to) {
  using namespace holdfast::testing;
  if (note("rename " + last_part(from) + " " + last_part(to))) die();
  if (!journal_path.empty()) {
    std::string line;
    std::getline(std::ifstream(from), line);
    // One write to the end, so that the lines of several processes do not mix.
    std::ofstream(journal_path, std::ios::app) << line + "\n" << std::flush;
  }
  return __real_rename(from, to);
}
