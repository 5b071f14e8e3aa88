// A lock that is lost while a command runs under it.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "run_command.h"
#include "support/fault_proxy.h"
#include "ticks.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A way to the engine that can be cut.
struct Line {
  FaultProxy proxy{engine().port()};
  std::string url() const { return "zk://" + proxy.address(); }
};

struct Round {
  std::string name = fresh_name();
  TempDir dir{"ticks"};
  Line line{};
  RunCommand run{{"--session-timeout", "2s", name, "--", RUN_TICKER, (dir / "ticks").string()}, line.url()};
  Client rival = Client::connect(engine_url(), {});
  Clock::time_point granted{};
};

TEST(RunLoss, everything_is_dead_before_a_rival_is_granted_20_of_20) {
  // So many at a time that a small machine is busy, and not so many that it measures nothing but that.
  constexpr int kBatches = 4;
  constexpr std::size_t kAtOnce = 5;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<std::unique_ptr<Round>> rounds;
    for (std::size_t i = 0; i < kAtOnce; ++i) rounds.push_back(std::make_unique<Round>());
    std::vector<std::thread> rivals;
    for (auto& round : rounds) {
      ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(round->dir / "ticks"); })) << round->run.errors();
      rivals.emplace_back([&round] {
        const auto lease = round->rival.mutex(round->name).acquire();
        round->granted = Clock::now();
      });
    }
    for (auto& round : rounds) round->line.proxy.black_hole();
    for (auto& rival : rivals) rival.join();
    for (auto& round : rounds) {
      EXPECT_EQ(round->run.exit_code(), 76) << round->run.errors();
      for (const auto tick : last_ticks(round->dir / "ticks")) {
        EXPECT_LT(tick, round->granted) << "alive after the rival was granted";
      }
      EXPECT_NE(round->run.errors().find("the storage service has not answered"), std::string::npos)
          << round->run.errors();
    }
  }
}

TEST(RunLoss, the_command_is_told_in_time_to_end_by_itself) {
  const auto name = fresh_name();
  Line line;
  RunCommand run({"--session-timeout", "2s", name, "--", "sh", "-c",
                  "trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.02; done"},
                 line.url());
  ASSERT_EQ(run.line(), "ready");
  line.proxy.black_hole();
  EXPECT_EQ(run.line(), "told");
  EXPECT_EQ(run.exit_code(), 76);
}

TEST(RunLoss, a_short_silence_of_the_service_ends_nothing) {
  const auto name = fresh_name();
  Line line;
  RunCommand run({"--session-timeout", "4s", name, "--", "sh", "-c", "echo ready; read go; exit 5"}, line.url());
  ASSERT_EQ(run.line(), "ready");
  line.proxy.cut_all();
  line.proxy.black_hole();
  std::this_thread::sleep_for(500ms);  // the silence itself
  line.proxy.heal();
  // A whole session later it still runs.
  EXPECT_EQ(run.process().wait(4s), std::nullopt) << run.errors();
  ASSERT_TRUE(run.process().write_line("go"));
  EXPECT_EQ(run.exit_code(), 5);
}

TEST(RunLoss, kill_says_no_word_before) {
  Line line;
  RunCommand run({"--session-timeout", "1s", "--on-lost", "kill", fresh_name(), "--", "sh", "-c",
                  "trap 'echo told' TERM; echo ready; while :; do sleep 0.02; done"},
                 line.url());
  ASSERT_EQ(run.line(), "ready");
  line.proxy.black_hole();
  EXPECT_EQ(run.exit_code(), 76);
  EXPECT_EQ(run.line(), std::nullopt);
}

TEST(RunLoss, ignore_lets_the_command_go_on_with_a_warning) {
  const auto name = fresh_name();
  Line line;
  RunCommand run(
      {"--session-timeout", "1s", "--on-lost", "ignore", name, "--", "sh", "-c", "echo ready; read go; exit 4"},
      line.url());
  ASSERT_EQ(run.line(), "ready");
  line.proxy.black_hole();
  EXPECT_TRUE(run.says("the lock was lost; the command goes on without it"));
  RunCommand rival({name, "--", "echo", "granted"});
  ASSERT_EQ(rival.line(), "granted");
  ASSERT_TRUE(run.process().running());
  ASSERT_TRUE(run.process().write_line("go"));
  EXPECT_EQ(run.exit_code(), 4);
}

TEST(RunLoss, a_service_that_is_gone_at_the_end_does_not_change_the_exit_code) {
  Line line;
  RunCommand run({"--session-timeout", "6s", fresh_name(), "--", "sh", "-c", "echo ready; read go; exit 6"},
                 line.url());
  ASSERT_EQ(run.line(), "ready");
  const auto before = line.proxy.accepted();
  line.proxy.black_hole();
  line.proxy.cut_all();
  // It knows that nobody answers: it has tried.
  ASSERT_TRUE(eventually(kRunPatience, [&] { return line.proxy.accepted() > before; }));
  ASSERT_TRUE(run.process().write_line("go"));
  EXPECT_EQ(run.exit_code(), 6);
  EXPECT_NE(run.errors().find("could not be given back"), std::string::npos) << run.errors();
}

TEST(RunLoss, a_lock_that_is_asked_back_ends_the_command) {
  const auto name = fresh_name();
  RunCommand run({name, "--", "sh", "-c", "trap 'echo told; exit 0' TERM; echo ready; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.line(), "ready");
  auto client = Client::connect(engine_url(), {});
  Revocation revoked;
  // Whoever asks before the command listens is not heard.
  EXPECT_TRUE(eventually(kRunPatience, [&] {
    revoked = client.revoke(name, 2s);
    return revoked.gone == 1;
  }));
  EXPECT_EQ(run.line(), "told");
  EXPECT_EQ(run.exit_code(), 76);
  EXPECT_NE(run.errors().find("a client asks for the lock back"), std::string::npos) << run.errors();
}

TEST(RunLoss, a_lock_that_is_broken_by_force_ends_the_command) {
  const auto name = fresh_name();
  TempDir dir;
  RunCommand run({"--kill-after", "0.5", name, "--", RUN_TICKER, (dir / "ticks").string()});
  ASSERT_TRUE(eventually(kRunPatience, [&] { return all_tick(dir / "ticks"); }));
  auto client = Client::connect(engine_url(), {});
  EXPECT_EQ(client.revoke(name, 0s, Client::Force::yes).broken, 1U);
  EXPECT_EQ(run.exit_code(), 76);
}

}  // namespace
}  // namespace holdfast::testing
