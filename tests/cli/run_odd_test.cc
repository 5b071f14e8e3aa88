// `holdfast run` in surroundings that nobody meant well: nobody reads what it says, streams are closed, signals ignored, children
// flee, and everybody stands still at the wrong moment.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "holdfast/client.h"
#include "run_command.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Ignores TERM, and adds to the file as long as it lives.
std::string writes_for_ever(const std::filesystem::path& file) {
  return "trap '' TERM; while :; do echo x >> " + file.string() + "; sleep 0.02; done";
}

bool grows(const std::filesystem::path& file, std::chrono::milliseconds within = 300ms) {
  const auto before = content(file).size();
  return eventually(within, [&] { return content(file).size() > before; });
}

// A pipe that is full, and that nobody reads.
class FullPipe {
 public:
  explicit FullPipe(std::filesystem::path path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    fd_ = ::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const std::string page(4096, '.');
    while (::write(fd_, page.data(), page.size()) > 0) {
    }
  }
  ~FullPipe() { ::close(fd_); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

TEST(RunOdd, whoever_does_not_read_what_is_said_keeps_nothing_alive) {
  TempDir dir;
  const FullPipe stderr_pipe(dir / "stderr");
  const auto file = dir / "alive";
  Process run({.argv = {HOLDFAST_COMMAND, "run", "--url", engine_url(), "--kill-after", "0.2", fresh_name(), "--", "sh",
                        "-c", writes_for_ever(file)},
               .stderr_file = stderr_pipe.path()});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return std::filesystem::exists(file); }));
  run.kill9();
  EXPECT_TRUE(eventually(kRunPatience, [&] { return !grows(file); }));
}

TEST(RunOdd, children_that_flee_from_one_process_to_the_next_are_caught_when_the_guardian_is_killed) {
  TempDir dir;
  const auto file = dir / "alive";
  // Each ends as soon as it has made the next. Ends by itself, in case it is not caught.
  const auto flee = "$SIG{TERM} = 'IGNORE'; for (1..200000) { open(F, '>>', '" + file.string() +
                    "'); print F 'x'; close(F); exit if fork }";
  for (int round = 0; round < 3; ++round) {
    RunCommand run({fresh_name(), "--", "sh", "-c", "perl -e \"$1\" & exec sleep 1000", "sh", flee});
    ASSERT_TRUE(eventually(kRunPatience, [&] { return content(file).size() > 10; }));
    ::kill(run.guardian(), SIGKILL);
    EXPECT_EQ(run.exit_code(), 76);
    EXPECT_FALSE(grows(file));
    std::filesystem::remove(file);
  }
}

TEST(RunOdd, a_start_that_comes_too_late_is_none) {
  TempDir dir;
  const auto name = fresh_name();
  RunCommand holder({name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  RunCommand late({"--session-timeout", "2s", "-v", name, "--", "mkdir", (dir / "late").string()});
  ASSERT_TRUE(late.says("next in line")) << late.errors();
  const pid_t guardian = late.guardian();
  ::kill(guardian, SIGSTOP);
  ASSERT_TRUE(holder.process().write_line("go"));
  ASSERT_TRUE(late.says("granted after")) << late.errors();
  late.process().pause();
  // Only once its session has ended.
  auto rival = Client::connect(engine_url(), {});
  const auto lease = rival.mutex(name).acquire();
  ::kill(guardian, SIGCONT);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return !runs(guardian); }));
  EXPECT_FALSE(std::filesystem::exists(dir / "late"));
  late.process().resume();
  EXPECT_EQ(late.exit_code(), 76) << late.errors();
}

TEST(RunOdd, ignored_children_do_not_hide_the_end_of_the_command) {
  Process run({"bash", "-c", "trap '' CHLD; exec \"$@\"", "bash", HOLDFAST_COMMAND, "run", "--url", engine_url(),
               fresh_name(), "--", "sh", "-c", "exit 5"});
  EXPECT_EQ(run.wait(kRunPatience), 5);
}

TEST(RunOdd, closed_streams_stay_closed_for_the_command_and_hide_no_signal) {
  TempDir dir;
  const auto closed = dir / "closed";
  Process run({"sh", "-c", "exec \"$@\" <&- >&-", "sh", HOLDFAST_COMMAND, "run", "--url", engine_url(), fresh_name(),
               "--", "sh", "-c",
               "test -e /proc/$$/fd/0 || test -e /proc/$$/fd/1 || mkdir " + closed.string() + "; exec sleep 1000"});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return std::filesystem::exists(closed); }));
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait(kRunPatience), 128 + SIGTERM);
}

TEST(RunOdd, a_maximum_leaves_the_whole_time_between_term_and_kill) {
  RunCommand run({"--session-timeout", "2s", "--on-lost", "kill", "--max-hold", "0.2", "--kill-after", "4",
                  fresh_name(), "--", "sh", "-c", "trap 'echo told' TERM; echo ready; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.line(), "ready");
  ASSERT_EQ(run.line(), "told");
  const auto told = std::chrono::steady_clock::now();
  EXPECT_EQ(run.exit_code(), 124);
  EXPECT_GE(std::chrono::steady_clock::now() - told, 3500ms);
}

// More processes than descriptors, none of them in the command's group: they have to be found, which takes descriptors.
TEST(RunOdd, few_descriptors_are_enough_to_end_many_processes) {
  const TempDir dir;
  Process run({.argv = {"sh", "-c", "ulimit -n 24; exec \"$@\"", "sh", HOLDFAST_COMMAND, "run", "--url", engine_url(),
                        "--max-hold", "2", "--kill-after", "0.3", fresh_name(), "--", "sh", "-c",
                        "trap '' TERM; for i in $(seq 40); do setsid sleep 1000 & done; echo $HOLDFAST_RUN_IDS; wait"},
               .stderr_file = dir / "errors"});
  const auto id = run.read_line(kRunPatience);
  ASSERT_TRUE(id) << content(dir / "errors");
  const auto began = Clock::now();
  EXPECT_EQ(run.wait(kRunPatience), 124) << content(dir / "errors");
  EXPECT_LT(Clock::now() - began, 8s) << "it tried for ten seconds, and gave up";
  EXPECT_EQ(content(dir / "errors").find("could not be killed"), std::string::npos) << content(dir / "errors");
}

}  // namespace
}  // namespace holdfast::testing
