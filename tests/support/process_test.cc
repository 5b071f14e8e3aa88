#include "process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <system_error>
#include <thread>

#include "eventually.h"
#include "temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

// The letter behind "State:" of a process: R, S, T (stopped), Z ...
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("State:")) return line[7];
  }
  return '?';
}

TEST(Process, talks_line_by_line) {
  Process cat({"cat"});
  ASSERT_TRUE(cat.write_line("one"));
  ASSERT_TRUE(cat.write_line("two"));
  EXPECT_EQ(cat.read_line(10s), "one");
  EXPECT_EQ(cat.read_line(10s), "two");
  EXPECT_EQ(cat.read_line(10ms), std::nullopt);
  cat.close_stdin();
  EXPECT_EQ(cat.wait(10s), 0);
}

TEST(Process, gives_the_last_line_though_it_has_no_newline) {
  Process printer({"printf", "a\\nb"});
  EXPECT_EQ(printer.read_line(10s), "a");
  EXPECT_EQ(printer.read_line(10s), "b");
  EXPECT_EQ(printer.read_line(10s), std::nullopt);
}

TEST(Process, reports_exit_codes_and_signals) {
  Process exits({"sh", "-c", "exit 7"});
  EXPECT_EQ(exits.wait(10s), 7);
  EXPECT_EQ(exits.wait(0ms), 7);
  Process sleeps({"sleep", "1000"});
  EXPECT_EQ(sleeps.wait(10ms), std::nullopt);
  EXPECT_TRUE(sleeps.running());
  sleeps.signal(SIGTERM);
  EXPECT_EQ(sleeps.wait(10s), 128 + SIGTERM);
}

TEST(Process, says_at_once_that_a_program_cannot_be_run) {
  EXPECT_THROW(Process({"/no/such/program"}), std::system_error);
  EXPECT_THROW(Process({"no-such-program-in-path"}), std::system_error);
}

TEST(Process, dies_with_its_guard) {
  pid_t pid = 0;
  {
    Process sleeps({"sleep", "1000"});
    pid = sleeps.pid();
    EXPECT_TRUE(alive(pid));
  }
  EXPECT_FALSE(alive(pid));
}

TEST(Process, dies_with_its_guard_even_when_paused) {
  pid_t pid = 0;
  {
    Process sleeps({"sleep", "1000"});
    pid = sleeps.pid();
    sleeps.pause();
  }
  EXPECT_FALSE(alive(pid));
}

TEST(Process, dies_with_the_thread_that_started_it) {
  std::unique_ptr<Process> process;
  std::thread([&] { process = std::make_unique<Process>(std::vector<std::string>{"sleep", "1000"}); }).join();
  EXPECT_EQ(process->wait(10s), 128 + SIGKILL);
}

TEST(Process, stands_still_between_pause_and_resume) {
  Process cat({"cat"});
  cat.pause();
  EXPECT_EQ(state_of(cat.pid()), 'T');
  ASSERT_TRUE(cat.write_line("held"));
  EXPECT_EQ(cat.read_line(50ms), std::nullopt);
  cat.resume();
  EXPECT_EQ(cat.read_line(10s), "held");
  cat.pause();
  EXPECT_EQ(state_of(cat.pid()), 'T');
}

TEST(Process, survives_a_child_that_no_longer_reads) {
  Process gone({"true"});
  ASSERT_EQ(gone.wait(10s), 0);
  EXPECT_FALSE(gone.write_line("anybody?"));
}

TEST(Process, does_not_wait_for_a_grandchild_that_keeps_stdout) {
  // The grandchild is not ours to kill: it ends by itself when its parent is gone and stdin closed.
  Process shell({"sh", "-c", "cat <&0 & echo started; wait"});
  EXPECT_EQ(shell.read_line(10s), "started");
}

TEST(Process, gets_environment_directory_and_files_as_asked) {
  TempDir dir("process");
  Process shell(ProcessOptions{.argv = {"sh", "-c", "echo $HOLDFAST_X; pwd; echo oops >&2"},
                               .env = {{"HOLDFAST_X", "y"}},
                               .working_dir = dir.path(),
                               .stderr_file = dir / "err"});
  EXPECT_EQ(shell.read_line(10s), "y");
  EXPECT_EQ(shell.read_line(10s), dir.path().string());
  ASSERT_EQ(shell.wait(10s), 0);
  std::ifstream err(dir / "err");
  std::string text;
  std::getline(err, text);
  EXPECT_EQ(text, "oops");
}

TEST(Process, inherits_none_of_our_descriptors) {
  const TempDir dir("process");
  const std::ofstream open_file(dir / "open");  // without O_CLOEXEC
  Process lists({"sh", "-c", "ls -l /proc/self/fd | grep -c " + dir.path().string()});
  EXPECT_EQ(lists.read_line(10s), "0");
}

TEST(Process, can_be_started_while_other_threads_allocate) {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) std::make_unique<std::string>(1'000, 'x');
  });
  for (int i = 0; i < 20; ++i) {
    Process quick({"true"});
    EXPECT_EQ(quick.wait(10s), 0);
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace holdfast::testing
