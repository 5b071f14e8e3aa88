#include "base/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>

#include <mutex>
#include <thread>

#include "support/forked_child.h"

namespace holdfast::base {
namespace {

using testing::ChildEnd;
using testing::in_child;

TEST(Process, is_another_one_in_every_child_and_grandchild_and_stays_the_same_here) {
  const auto mine = this_process();
  EXPECT_EQ(in_child(
                [&] {
                  const auto child = this_process();
                  if (child == mine || child != this_process()) return 1;
                  const auto in_grandchild = in_child([&] {
                    const auto grandchild = this_process();
                    return grandchild == mine || grandchild == child ? 1 : 0;
                  });
                  return in_grandchild;
                },
                ChildEnd::immediately),
            0);
  EXPECT_EQ(this_process(), mine);
}

// Past the C library, and so past every handler that fork() runs.
TEST(Process, is_another_one_in_a_child_of_the_bare_system_call) {
  const auto mine = this_process();
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (pid == 0) ::_exit(this_process() == mine ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(Process, is_the_same_for_all_threads_of_a_child) {
  EXPECT_EQ(in_child([] {
              std::vector<std::uint64_t> seen(8);
              std::vector<std::thread> threads;
              for (auto& each : seen) threads.emplace_back([&each] { each = this_process(); });
              for (auto& thread : threads) thread.join();
              for (const auto each : seen) {
                if (each != seen.front()) return 1;
              }
              return 0;
            }),
            0);
}

struct Counted {
  explicit Counted(int& gone) : gone_(gone) {}
  ~Counted() { ++gone_; }
  int& gone_;
};

TEST(Process, destroys_what_it_made_and_leaves_what_it_inherited) {
  int gone = 0;
  auto object = make_shared_here<Counted>(gone);
  EXPECT_EQ(in_child([&] {
              object.reset();
              return gone;
            }),
            0);
  object.reset();
  EXPECT_EQ(gone, 1);
}

TEST(Process, does_not_inherit_a_global_object_nor_its_locked_mutex) {
  struct Global {
    std::mutex mutex;
    int value = 0;
  };
  static constinit PerProcess<Global> global;
  global.get().value = 7;
  const std::lock_guard lock(global.get().mutex);
  EXPECT_EQ(in_child([&] {
              const std::lock_guard own(global.get().mutex);
              return global.get().value;
            }),
            0);
  EXPECT_EQ(global.get().value, 7);
}

}  // namespace
}  // namespace holdfast::base
