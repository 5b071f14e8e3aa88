// forked_child.h -- what becomes of a child that this process forks, and that goes on without exec().
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace holdfast::testing {

enum class ChildEnd {
  exit,        // as by return from main(): static objects are destroyed
  immediately  // _exit()
};

// One that hangs is ended by its own alarm.
inline constexpr unsigned kLongestChild = 60;

class ForkedChild {
 public:
  // `run` returns the exit status.
  explicit ForkedChild(const std::function<int()>& run, ChildEnd end = ChildEnd::exit) {
    std::fflush(nullptr);  // or it would come out twice
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::alarm(kLongestChild);
    const int status = run();
    end == ChildEnd::exit ? std::exit(status) : ::_exit(status);
  }
  ~ForkedChild() {
    if (pid_ > 0) wait();
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  // The exit status; of one that was ended by a signal, that with a minus.
  int wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, 0) != pid_) return -1'000;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

inline int in_child(const std::function<int()>& run, ChildEnd end = ChildEnd::exit) {
  return ForkedChild(run, end).wait();
}

}  // namespace holdfast::testing
