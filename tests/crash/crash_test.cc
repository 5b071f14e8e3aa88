// kill -9 under load, again and again, on one directory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "support/eventually.h"
#include "support/zookeeper_server.h"
#include "writer.h"

namespace holdfast::testing::crash {
namespace {

using asking::SessionClient;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kWriters = 4;
// Between two kills, at most.
constexpr std::size_t kMostWrites = 200;
// A life is over in a fraction of a second; this is for a starved machine.
constexpr milliseconds kPatience{20'000};
// More are of no use to whoever reads them.
constexpr std::size_t kMostComplaints = 20;

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoul(text);
}

ZooKeeperOptions server_options(bool power) {
  return {.make = ServerMake::engine,
          .tick_time = milliseconds(20),
          .min_session_timeout = milliseconds(40),
          .max_session_timeout = milliseconds(60'000),
          .force_sync = power,
          // Several in a life, so that a crash meets every stage of one, and recovery is one and the log behind it.
          .config_lines = {"snapCount=30", "autopurge.snapRetainCount=3", "autopurge.purgeInterval=1"}};
}

class CrashRun {
 public:
  CrashRun(bool power, std::size_t rounds, std::uint64_t seed)
      : server_(server_options(power)), rounds_(rounds), dice_(seed) {
    for (std::size_t i = 0; i < kWriters; ++i) writers_.push_back(std::make_unique<Writer>(i, seed + i + 1));
    SessionClient client(server_.port());
    if (!client.call(asking::create("/crash")).ok()) throw std::runtime_error("cannot create /crash");
    for (auto& writer : writers_) writer->settle_down(client);
    (void)client.call(asking::close_session());
  }

  void run() {
    const auto begin = steady_clock::now();
    for (std::size_t round = 1; round <= rounds_ && complaints_.size() < kMostComplaints; ++round) {
      live_and_die();
      look(round);
    }
    // Whoever was left to expire has.
    EXPECT_TRUE(eventually(kPatience, [&] {
      look(rounds_);
      return std::all_of(writers_.begin(), writers_.end(), [](auto& each) { return each->passing().open() == 0; });
    })) << "sessions that nobody speaks for are still there";
    took_ = std::chrono::ceil<milliseconds>(steady_clock::now() - begin);
  }

  std::string verdict() const {
    std::string all;
    for (std::size_t i = 0; i < std::min(complaints_.size(), kMostComplaints); ++i) all += complaints_[i] + '\n';
    return all;
  }

  void tell(std::uint64_t seed) const {
    std::size_t resumed = 0;
    std::size_t ended = 0;
    for (const auto& writer : writers_) {
      resumed += writer->resumed();
      ended += writer->passing().ended();
    }
    auto starts = starts_;
    std::sort(starts.begin(), starts.end());
    fmt::print(
        "seed {}: {} kills in {} ms, {} writes acknowledged, {} sessions resumed, {} ended, {} snapshots; a "
        "start took {} ms, at most {} ms\n",
        seed, rounds_, took_.count(), acknowledged_, resumed, ended, snapshots_.size(),
        starts[starts.size() / 2].count(), starts.back().count());
    EXPECT_GE(resumed, rounds_) << "too few sessions went through a crash";
    EXPECT_GE(snapshots_.size(), rounds_ / 4) << "too few snapshots were taken";
    EXPECT_GE(ended, rounds_ / 4) << "too few sessions ended";
  }

 private:
  void live_and_die() {
    Life life;
    std::vector<std::thread> threads;
    for (auto& writer : writers_) threads.emplace_back([&] { writer->run(server_.port(), life); });
    const bool enough = life.wait_for(1 + dice_.roll(kMostWrites), kPatience);
    if (!enough) complaints_.push_back("the server does not answer any more");
    life.end();
    server_.kill();
    for (auto& thread : threads) thread.join();
    acknowledged_ += life.count();
    const auto begin = steady_clock::now();
    server_.restart();
    starts_.push_back(std::chrono::ceil<milliseconds>(steady_clock::now() - begin));
    for (const auto& file : std::filesystem::directory_iterator(server_.data())) {
      const auto name = file.path().filename().string();
      if (name.starts_with("snapshot.") && !name.ends_with(".tmp")) snapshots_.insert(name);
    }
  }

  void look(std::size_t round) {
    std::int64_t highest = 0;
    for (const auto& writer : writers_) highest = std::max(highest, writer->zxid());
    SessionClient client(server_.port());
    const auto first = client.call(asking::exists("/crash"));
    if (!first.ok() || first.zxid < highest) {
      complaints_.push_back(
          fmt::format("round {}: the server is at zxid {:#x}, and was at {:#x}", round, first.zxid, highest));
    }
    for (const auto& writer : writers_) {
      for (const auto& complaint : writer->check(client))
        complaints_.push_back(fmt::format("round {}: {}", round, complaint));
    }
    (void)client.call(asking::close_session());
    for (const auto& writer : writers_) writer->restarted(std::max(highest, client.zxid()));
  }

  ZooKeeperServer server_;
  const std::size_t rounds_;
  Dice dice_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::vector<std::string> complaints_;
  std::vector<milliseconds> starts_;
  std::set<std::string> snapshots_;
  std::size_t acknowledged_ = 0;
  milliseconds took_{0};
};

void kill_again_and_again(bool power) {
  const auto rounds = number_from("HOLDFAST_CRASH_ROUNDS", 200);
  const auto seed = number_from("HOLDFAST_CRASH_SEED", 1);
  CrashRun run(power, rounds, seed);
  run.run();
  EXPECT_EQ(run.verdict(), "") << "seed " << seed;
  run.tell(seed);
}

TEST(KillNine, costs_nothing_that_was_acknowledged_when_writes_reach_the_system) { kill_again_and_again(false); }
TEST(KillNine, costs_nothing_that_was_acknowledged_when_writes_reach_the_disk) { kill_again_and_again(true); }

}  // namespace
}  // namespace holdfast::testing::crash
