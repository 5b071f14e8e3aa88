// A command that is the first to use local: starts the local engine below its run. That engine serves other clients, too, and outlives every end of the run.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "local_world.h"
#include "run_command.h"
#include "support/fault_proxy.h"
#include "ticks.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// The guardian would try for ten seconds to end what it may not leave.
constexpr auto kAtOnce = 8s;

pid_t parent_of(pid_t pid) {
  const auto stat = content("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream rest(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

class EngineOfACommand : public LocalWorld {
 protected:
  // Runs on the server of the tests a command that is the first to use local:.
  RunCommand run_holder(std::vector<std::string> options, const std::string& url) {
    options.insert(options.end(), {name_, "--", HOLDFAST_LOCAL_HOLDER, "local:", "inner", "2000"});
    return RunCommand(std::move(options), url);
  }
  // Once the command has its lock: the engine is the child of the guardian, and has another client.
  void connect_beside(RunCommand& run) {
    ASSERT_TRUE(run.line().value_or("").starts_with("token ")) << run.errors();
    engine_ = engine_pid();
    ASSERT_GT(engine_, 0);
    ASSERT_EQ(parent_of(engine_), run.guardian()) << "it is not in the tree, so this test shows nothing";
    beside();
  }
  void beside() {
    beside_.emplace(Client::connect("local:", {.session_timeout = 30s}));
    lease_.emplace(beside_->mutex("beside").acquire());
  }
  void expect_engine_lives() {
    EXPECT_FALSE(is_gone(engine_));
    EXPECT_EQ(engine_pid(), engine_);
    EXPECT_EQ(starts(), starts_before_ + 1);
    ASSERT_TRUE(lease_);
    EXPECT_TRUE(lease_->is_held());
    // Answered by that engine.
    EXPECT_EQ(beside_->inspect("beside").tickets.size(), 1U);
  }

  const std::string name_ = fresh_name();
  FaultProxy proxy_{engine().port()};
  const std::string url_ = "zk://" + proxy_.address();
  int engine_ = 0;
  std::ptrdiff_t starts_before_ = 0;
  std::optional<Client> beside_;
  std::optional<Lease> lease_;
};

TEST_F(EngineOfACommand, lives_on_when_the_lock_of_the_run_is_lost) {
  auto run = run_holder({"--session-timeout", "2s"}, url_);
  connect_beside(run);
  const auto cut = Clock::now();
  proxy_.black_hole();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  EXPECT_LT(Clock::now() - cut, kAtOnce) << "it was waited for";
  EXPECT_EQ(run.errors().find("could not be killed"), std::string::npos) << run.errors();
  expect_engine_lives();
  // The command's own session ends as that of any client that was killed.
  EXPECT_TRUE(eventually(kLocalPatience, [&] { return beside_->inspect("inner").tickets.empty(); }));
}

TEST_F(EngineOfACommand, lives_on_when_the_command_is_killed_without_a_word) {
  auto run = run_holder({"--session-timeout", "2s", "--on-lost", "kill"}, url_);
  connect_beside(run);
  const auto cut = Clock::now();
  proxy_.black_hole();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  EXPECT_LT(Clock::now() - cut, kAtOnce) << "it was waited for";
  expect_engine_lives();
}

TEST_F(EngineOfACommand, lives_on_when_the_lock_is_broken_by_force) {
  auto run = run_holder({"--kill-after", "0.5"}, url_);
  connect_beside(run);
  auto operator_client = Client::connect(engine_url());
  EXPECT_EQ(operator_client.revoke(name_, 0s, Client::Force::yes).broken, 1U);
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  expect_engine_lives();
}

TEST_F(EngineOfACommand, lives_on_when_the_run_reaches_its_maximum) {
  // How long an engine takes to start is not known beforehand: a run that ends sooner shows nothing, and the next one gets more time.
  for (auto longest = 3s; longest <= 48s; longest *= 2) {
    stop_local_engine(kLocalPatience);
    starts_before_ = starts();
    auto run = run_holder({"--max-hold", std::to_string(longest.count()), "--kill-after", "0.5"}, url_);
    const bool holds = run.line().value_or("").starts_with("token ");
    const auto guardian = run.guardian();
    engine_ = engine_pid();
    if (holds && guardian > 0 && parent_of(engine_) == guardian) {
      beside();
      EXPECT_EQ(run.exit_code(), 124) << run.errors();
      return expect_engine_lives();
    }
    EXPECT_EQ(run.exit_code(), 124) << run.errors();
  }
  FAIL() << "no engine was there before its run had ended";
}

TEST_F(EngineOfACommand, lives_on_when_the_wrapper_is_killed_and_does_not_keep_its_lock) {
  auto run = run_holder({"--session-timeout", "30s", "--kill-after", "0.5"}, url_);
  connect_beside(run);
  auto rival = Client::connect(engine_url());
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  auto result = rival.mutex(name_).try_acquire_for(kAtOnce);
  EXPECT_TRUE(result) << result.message();
  expect_engine_lives();
}

TEST_F(EngineOfACommand, lives_on_when_the_guardian_is_killed) {
  auto run = run_holder({}, url_);
  connect_beside(run);
  ASSERT_EQ(::kill(run.guardian(), SIGKILL), 0);
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  expect_engine_lives();
}

// The wrapper itself starts it again while it holds: then it is the wrapper's child.
TEST_F(EngineOfACommand, or_of_the_wrapper_lives_on_when_the_guardian_is_killed) {
  const TempDir dir;
  RunCommand run({"--session-timeout", "30s", name_, "--", RUN_TICKER, (dir / "ticks").string()}, "local:");
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); })) << run.errors();
  const auto guardian = run.guardian();
  kill_engine();
  ASSERT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() > 0; }));
  engine_ = engine_pid();
  ASSERT_EQ(parent_of(engine_), run.pid()) << "it is not in the tree, so this test shows nothing";
  beside();
  ASSERT_EQ(::kill(guardian, SIGKILL), 0);
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  EXPECT_EQ(engine_pid(), engine_);
  EXPECT_EQ(starts(), 2);
  EXPECT_TRUE(lease_->is_held());
  const auto ended = Clock::now();
  for (const auto tick : last_ticks(dir / "ticks")) EXPECT_LT(tick, ended) << "outlived the run";
}

TEST_F(EngineOfACommand, that_is_a_run_lives_on_when_the_outer_lock_is_lost) {
  const TempDir dir;
  RunCommand run({"--session-timeout", "2s", name_, "--", HOLDFAST_COMMAND, "run", "--url", "local:", "inner", "--",
                  RUN_TICKER, (dir / "ticks").string()},
                 url_);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); })) << run.errors();
  engine_ = engine_pid();
  ASSERT_EQ(parent_of(engine_), run.guardian()) << "it is not in the tree, so this test shows nothing";
  beside();
  auto rival = Client::connect(engine_url());
  proxy_.black_hole();
  const auto lease = rival.mutex(name_).acquire();
  const auto granted = Clock::now();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  for (const auto tick : last_ticks(dir / "ticks")) EXPECT_LT(tick, granted) << "alive after the rival was granted";
  expect_engine_lives();
}

TEST_F(EngineOfACommand, is_not_waited_for_when_the_command_ends) {
  auto run = run_holder({}, url_);
  connect_beside(run);
  const auto told = Clock::now();
  run.process().close_stdin();
  EXPECT_EQ(run.exit_code(), 0) << run.errors();
  EXPECT_LT(Clock::now() - told, kAtOnce) << "it was waited for";
  expect_engine_lives();
}

// Neither its name nor its environment makes a process the engine.
TEST_F(EngineOfACommand, is_not_what_only_looks_like_it) {
  beside();
  const TempDir dir;
  std::filesystem::copy_file(RUN_TICKER, dir / "holdfast-engine");
  RunCommand run({"--session-timeout", "2s", name_, "--", "env", "-i", "HOLDFAST_STATE_DIR=" + state().string(),
                  (dir / "holdfast-engine").string(), (dir / "ticks").string()},
                 url_);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); })) << run.errors();
  auto rival = Client::connect(engine_url());
  proxy_.black_hole();
  const auto lease = rival.mutex(name_).acquire();
  const auto granted = Clock::now();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  for (const auto tick : last_ticks(dir / "ticks")) EXPECT_LT(tick, granted) << "alive after the rival was granted";
}

// As under sudo: what the guardian may not kill lives on, and must not keep the rest alive.
TEST_F(EngineOfACommand, is_not_what_only_looks_like_it_beside_another_users_process) {
  ASSERT_EQ(::geteuid(), 0u) << "this test must be root to install a command of another user";
  const TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0777));
  const auto impostor = dir / "holdfast-engine";
  const auto others = dir / "ticker";
  for (const auto& file : {impostor, others}) std::filesystem::copy_file(RUN_TICKER, file);
  std::filesystem::permissions(others, std::filesystem::perms(04755));
  Process run({.argv = {"setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        "--inh-caps=-all",
                        HOLDFAST_COMMAND,
                        "run",
                        "--url",
                        url_,
                        "--session-timeout",
                        "2s",
                        "--on-lost",
                        "kill",
                        name_,
                        "--",
                        "sh",
                        "-c",
                        "$1 $1.ticks & env -i HOLDFAST_STATE_DIR=/nowhere $2 $2.ticks",
                        "sh",
                        others.string(),
                        impostor.string()},
               .stderr_file = dir / "errors"});
  const auto ticks = [](const std::filesystem::path& file) { return file.string() + ".ticks"; };
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(ticks(others)) && all_tick(ticks(impostor)); }))
      << content(dir / "errors");
  auto rival = Client::connect(engine_url());
  proxy_.black_hole();
  const auto lease = rival.mutex(name_).acquire();
  const auto granted = Clock::now();
  EXPECT_EQ(run.wait(kRunPatience), 76) << content(dir / "errors");
  for (const auto tick : last_ticks(ticks(impostor))) EXPECT_LT(tick, granted) << "alive after the rival was granted";
  EXPECT_GT(last_ticks(ticks(others))[0], granted) << "it was killed, so this test shows nothing";
  EXPECT_NE(content(dir / "errors").find("could not be killed"), std::string::npos) << content(dir / "errors");
  for (const auto pid : ticker_pids(ticks(others))) ::kill(pid, SIGKILL);
}

// A command that becomes the engine by itself is still the command.
TEST_F(EngineOfACommand, that_is_the_command_itself_is_ended) {
  RunCommand run({"--session-timeout", "2s", "--on-lost", "kill", name_, "--", HOLDFAST_COMMAND, "local", "serve"},
                 url_);
  ASSERT_TRUE(eventually(kRunPatience, [&] { return engine_pid() > 0; })) << run.errors();
  engine_ = engine_pid();
  proxy_.black_hole();
  EXPECT_EQ(run.exit_code(), 76) << run.errors();
  EXPECT_TRUE(is_gone(engine_));
}

// Until the guardian is gone no client looks for the engine, so none but the guardian can have started it.
class RunKilledWithTheLocalEngine : public LocalWorld {};

TEST_F(RunKilledWithTheLocalEngine, leaves_its_lock_free) {
  const TempDir dir;
  const auto name = fresh_name();
  RunCommand run({"--session-timeout", "60s", "--kill-after", "0.5", name, "--", RUN_TICKER, (dir / "ticks").string()},
                 "local:");
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); })) << run.errors();
  const auto guardian = run.guardian();
  const auto killed = Clock::now();
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  kill_engine();
  ASSERT_TRUE(eventually(kRunPatience, [&] { return !runs(guardian); }));
  const auto gone = Clock::now();
  for (const auto tick : last_ticks(dir / "ticks")) {
    EXPECT_GT(tick, killed) << "was dead before it could prove anything";
    EXPECT_LT(tick, gone) << "alive after the session was ended";
  }
  EXPECT_EQ(starts(), 2) << "not started by the guardian";
  auto rival = Client::connect("local:");
  auto result = rival.mutex(name).try_acquire_for(kAtOnce);
  EXPECT_TRUE(result) << result.message();
}

}  // namespace
}  // namespace holdfast::testing
