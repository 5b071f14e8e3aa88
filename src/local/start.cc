#include "local/start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>

#include "base/thread.h"
#include "local/end.h"
#include "local/spawn.h"

namespace holdfast::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Time = steady_clock::time_point;

constexpr auto kStartLock = "engine.start";
// An engine waits for the client that started it, so it is gone only if it was killed, told to end or crashed. This many in a row are no accident.
constexpr int kMostStarts = 3;
// Longer than any sentence of the engine.
constexpr std::size_t kLongestWord = 4'096;

tl::unexpected<StartFailure> refused(std::string sentence) {
  return tl::unexpected(StartFailure{Errc::refused, std::move(sentence)});
}

tl::unexpected<StartFailure> too_late(const StateDirectory& directory, const char* what) {
  return tl::unexpected(StartFailure{
      Errc::not_connected,
      fmt::format("{} within the connection timeout; what it says is in {}", what, directory.file(kEngineLog))});
}

// flock() waits without a limit, so another thread waits. If it is abandoned, it ends when the lock is free.
bool lock_until(int fd, Time deadline) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  struct Attempt {
    base::Descriptor file;
    std::mutex mutex;
    std::condition_variable over;
    bool locked = false;
    bool given_up = false;
  };
  const auto attempt = std::make_shared<Attempt>();
  attempt->file = base::Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));  // the same lock
  base::start_thread("hf-local", [attempt] {
    int result = -1;
    do {
      result = ::flock(attempt->file.get(), LOCK_EX);
    } while (result != 0 && errno == EINTR);
    const std::lock_guard lock(attempt->mutex);
    if (attempt->given_up && result == 0) ::flock(attempt->file.get(), LOCK_UN);
    attempt->locked = result == 0;
    attempt->over.notify_all();
  }).detach();
  std::unique_lock lock(attempt->mutex);
  attempt->over.wait_until(lock, deadline, [&] { return attempt->locked; });
  attempt->given_up = !attempt->locked;
  return attempt->locked;
}

// Everything the child writes until it closes the pipe or is ready; nothing if that takes too long.
std::optional<std::string> last_word(int pipe, Time deadline) {
  std::string word;
  while (word.size() < kLongestWord && !word.starts_with(kReady)) {
    const auto time = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    const auto left = std::min<milliseconds>(time, std::chrono::hours(24)).count();
    pollfd readable{pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&readable, 1, static_cast<int>(left) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    std::array<char, 512> buffer{};
    const auto got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    word.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return word;
}

// Returns when the engine serves, with the pipe by which it waits for this client.
tl::expected<base::Descriptor, StartFailure> start(const StateDirectory& directory, base::Descriptor& lock,
                                                   Time deadline) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return refused("cannot make a pipe: " + error_text(errno));
  base::Descriptor reading(ends[0]);
  base::Descriptor writing(ends[1]);
  if (auto trouble = spawn_engine(directory, writing.get(), lock.get()); !trouble.empty()) {
    return refused(std::move(trouble));
  }
  writing.reset();
  const auto word = last_word(reading.get(), deadline);
  if (!word) return too_late(directory, "the local engine does not serve");
  if (word->starts_with(kReady)) return reading;
  if (word->empty()) {
    return refused(
        fmt::format("the local engine ended while it was starting; what it said is in {}", directory.file(kEngineLog)));
  }
  return refused("the local engine cannot start: " + *word);
}

}  // namespace

tl::expected<FoundPtr, StartFailure> find_or_start(Time deadline) {
  const auto ours = Conditions::of_this_process();
  auto found = find();
  if (!found) return refused(found.error());
  if (*found && !ours.better_than((*found)->conditions())) return *found;
  const auto directory = open_state_directory(Missing::create);
  if (!directory) return refused(directory.error());
  for (int round = 0; round < kMostStarts; ++round) {
    auto lock = directory->open(kStartLock, O_RDWR | O_CREAT);
    if (!lock) return refused(fmt::format("cannot open {}: {}", directory->file(kStartLock), error_text(errno)));
    if (!lock_until(lock.get(), deadline))
      return too_late(*directory, "another process's start of the local engine is not over");
    found = find(*directory);
    // Only once: if the new engine is no better, this process is not the reason.
    if (found && *found && round == 0 && ours.better_than((*found)->conditions())) {
      const auto ended = end_engine(**found, deadline);
      if (!ended && ended.error().code == Errc::timed_out) return too_late(*directory, "the local engine does not end");
      if (ended) found = FoundPtr();
    }
    if (found && !*found) {
      auto started = start(*directory, lock, deadline);
      if (!started) return tl::unexpected(started.error());
      found = find(*directory);
      if (found && *found) (*found)->wait_for_us(*std::move(started));
    }
    if (!found) return refused(found.error());
    if (*found) return *found;
  }
  return refused(fmt::format("the local engine ends as soon as it has started; what it says is in {}",
                             directory->file(kEngineLog)));
}

}  // namespace holdfast::local
