// The wrapper is killed (kill -9): what it ran is ended, and then its session, so that the next client does not wait for that to time out.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "holdfast/local.h"
#include "logins.h"
#include "run_command.h"
#include "server_command.h"
#include "ticks.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// So long that no test can have waited for its end.
constexpr auto kSession = "30s";
constexpr auto kMuchLess = 10s;

// A storage service of each kind.
class RunKilled : public ::testing::TestWithParam<const char*> {
 protected:
  RunKilled() {
    const std::string kind = GetParam();
    if (kind == "local") {
      ::setenv("HOLDFAST_STATE_DIR", (dir_ / "holdfast").c_str(), 1);
      ::setenv("HOLDFAST_COMMAND", HOLDFAST_COMMAND, 1);
      url_ = "local:";
      return;
    }
    ZooKeeperOptions options;
    options.make = parse_server_make(kind);
    server_.emplace(options);
    url_ = "zk://" + server_->address();
  }
  ~RunKilled() override {
    if (url_ != "local:") return;
    stop_local_engine(kRunPatience);
    ::unsetenv("HOLDFAST_STATE_DIR");
    ::unsetenv("HOLDFAST_COMMAND");
  }

  std::filesystem::path ticks() const { return dir_ / "ticks"; }

  const TempDir dir_{"killed"};
  std::optional<ZooKeeperServer> server_;
  std::string url_;
};

TEST_P(RunKilled, the_next_client_is_granted_as_soon_as_the_command_is_dead) {
  const auto name = fresh_name();
  RunCommand run({"--session-timeout", kSession, "--kill-after", "0.5", name, "--", RUN_TICKER, ticks().string()},
                 url_);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(ticks()); })) << run.errors();
  auto rival = Client::connect(url_);
  const auto killed = Clock::now();
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  auto result = rival.mutex(name).try_acquire_for(kMuchLess);
  const auto granted = Clock::now();
  ASSERT_TRUE(result) << result.message();
  // The ticker ignores TERM, so it was killed only after that time.
  EXPECT_GE(granted - killed, 500ms);
  EXPECT_LT(granted - killed, 5s);
  for (const auto tick : last_ticks(ticks())) {
    EXPECT_GT(tick, killed) << "was dead before it could prove anything";
    EXPECT_LT(tick, granted) << "alive after the rival was granted";
  }
}

TEST_P(RunKilled, a_place_in_line_is_gone_too) {
  const auto name = fresh_name();
  auto holder = Client::connect(url_);
  auto mutex = holder.mutex(name);
  auto lease = mutex.acquire();
  RunCommand run({"--session-timeout", kSession, name, "--", "true"}, url_);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return holder.inspect(name).tickets.size() == 2; })) << run.errors();
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  EXPECT_TRUE(eventually(kMuchLess, [&] { return holder.inspect(name).tickets.size() == 1; }));
}

// Where nothing is heard of a client that has not logged in.
TEST(RunKilledThatLoggedIn, ends_its_session_too) {
  TempDir dir;
  write_logins(dir);
  Server server(with(kAnyPort, {"--require-auth", (dir / "users").string()}));
  server.serves();
  const auto url = "zk://" + server.address();
  const auto name = fresh_name();
  RunCommand run({"--session-timeout", kSession, "--auth", (dir / "password").string(), name, "--", "sh", "-c",
                  "echo ready; sleep 60"},
                 url);
  ASSERT_EQ(run.line(), "ready") << run.errors();
  auto rival = Client::connect(url, {.zookeeper = {.auth = {{"digest", "orders:secret"}}}});
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  auto result = rival.mutex(name).try_acquire_for(kMuchLess);
  EXPECT_TRUE(result) << result.message();
}

// As under sudo: what the guardian may not kill runs on, and must keep the lock for as long as the session lasts.
TEST(RunKilledBesideAnotherUser, keeps_its_session_while_something_lives) {
  ASSERT_EQ(::geteuid(), 0u) << "this test must be root to install a command of another user";
  TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0777));
  std::filesystem::copy_file(RUN_TICKER, dir / "ticker");
  std::filesystem::permissions(dir / "ticker", std::filesystem::perms(04755));
  const auto name = fresh_name();
  Process run({.argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
                        HOLDFAST_COMMAND, "run", "--url", engine_url(), "--session-timeout", "30s", "--kill-after",
                        "0.1", name, "--", (dir / "ticker").string(), (dir / "ticks").string()},
               .stderr_file = dir / "errors"});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); })) << content(dir / "errors");
  pid_t guardian = 0;
  std::istringstream(
      content("/proc/" + std::to_string(run.pid()) + "/task/" + std::to_string(run.pid()) + "/children")) >>
      guardian;
  ASSERT_GT(guardian, 0);
  auto rival = Client::connect(engine_url());
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  // It tries for ten seconds, and gives up.
  ASSERT_TRUE(eventually(kRunPatience, [&] { return !runs(guardian); }));
  const auto gave_up = Clock::now();
  const auto tickets = rival.inspect(name).tickets.size();
  EXPECT_TRUE(eventually(kRunPatience, [&] { return last_ticks(dir / "ticks")[0] > gave_up; })) << "it was killed";
  EXPECT_EQ(tickets, 1U) << "the session was ended under a command that runs";
  for (const auto pid : ticker_pids(dir / "ticks")) ::kill(pid, SIGKILL);
}

// As one that was put into another PID namespace, and whose parent there has died: it is not below the guardian any more, and is known
// by its environment alone. Here the test starts it.
TEST(RunKilledWithAProcessOutsideItsTree, ends_that_before_its_session) {
  const auto name = fresh_name();
  const TempDir dir;
  RunCommand run({"--session-timeout", kSession, "--kill-after", "0.2", name, "--", "sh", "-c",
                  "echo $HOLDFAST_RUN_IDS; sleep 60"},
                 engine_url());
  const auto ids = run.line();
  ASSERT_TRUE(ids && ids->size() == 36) << run.errors();
  Process escaped({.argv = {RUN_TICKER, (dir / "ticks").string()}, .env = {{"HOLDFAST_RUN_IDS", "outer:" + *ids}}});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); }));
  const auto pids = ticker_pids(dir / "ticks");
  for (const auto pid : pids) ASSERT_TRUE(runs(pid)) << "there is nothing to be ended";
  auto rival = Client::connect(engine_url());
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  auto result = rival.mutex(name).try_acquire_for(kMuchLess);
  const auto granted = Clock::now();
  ASSERT_TRUE(result) << result.message();
  // It may have been killed before it could write the time once more.
  for (const auto pid : pids) EXPECT_FALSE(runs(pid));
  for (const auto tick : last_ticks(dir / "ticks")) EXPECT_LT(tick, granted) << "alive after the rival was granted";
}

TEST(RunKilledWithAProcessOutsideItsTree, ends_that_at_its_maximum_too) {
  const TempDir dir;
  RunCommand run({"--max-hold", "3", fresh_name(), "--", "sh", "-c", "echo $HOLDFAST_RUN_IDS; sleep 60"}, engine_url());
  const auto ids = run.line();
  ASSERT_TRUE(ids && ids->size() == 36) << run.errors();
  Process escaped({.argv = {RUN_TICKER, (dir / "ticks").string()}, .env = {{"HOLDFAST_RUN_IDS", *ids}}});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); }));
  EXPECT_EQ(run.exit_code(), 124) << run.errors();
  const auto ended = Clock::now();
  for (const auto tick : last_ticks(dir / "ticks")) EXPECT_LT(tick, ended) << "outlived the run";
}

// Then the wrapper has to find it.
TEST(RunKilledWithAProcessOutsideItsTree, ends_that_before_the_lock_is_free_although_the_guardian_was_killed) {
  const TempDir dir;
  const auto name = fresh_name();
  RunCommand run({"--session-timeout", kSession, name, "--", "sh", "-c", "echo $HOLDFAST_RUN_IDS; sleep 60"},
                 engine_url());
  const auto ids = run.line();
  ASSERT_TRUE(ids && ids->size() == 36) << run.errors();
  Process escaped({.argv = {RUN_TICKER, (dir / "ticks").string()}, .env = {{"HOLDFAST_RUN_IDS", *ids}}});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); }));
  auto rival = Client::connect(engine_url());
  // It is killed without a warning, often before its next tick.
  for (const auto pid : ticker_pids(dir / "ticks")) ASSERT_TRUE(runs(pid)) << "was dead before it could prove anything";
  ASSERT_EQ(::kill(run.guardian(), SIGKILL), 0);
  auto result = rival.mutex(name).try_acquire_for(kMuchLess);
  const auto granted = Clock::now();
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  for (const auto tick : last_ticks(dir / "ticks")) {
    EXPECT_LT(tick, granted) << "alive after the rival was granted";
  }
}

std::string name_of_kind(const ::testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(On, RunKilled, ::testing::Values("apache", "engine", "local"), name_of_kind);

}  // namespace
}  // namespace holdfast::testing
