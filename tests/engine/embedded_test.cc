// Engines inside this process that start, stop and start again under their clients.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "holdfast/error.h"
#include "holdfast/lease.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSoon{20'000};
// Several attempts of a client to reach its engine again.
constexpr milliseconds kWhile{400};

void wait_a_while() {
  const auto since = steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] { return steady_clock::now() - since > kWhile; }));
}

TEST(EmbeddedEngine, that_has_stopped_keeps_no_client_waiting_when_it_closes) {
  Engine engine({.name = "stops"});
  auto client = Client::connect("embedded:stops");
  { const auto lease = client.mutex("a").acquire(); }
  engine.stop();
  wait_a_while();
  const auto since = steady_clock::now();
  client.close();
  EXPECT_LT(steady_clock::now() - since, milliseconds(1'000));
}

TEST(EmbeddedEngine, can_be_started_again_while_a_client_of_the_stopped_one_is_still_there) {
  const TempDir dir("embedded");
  const auto data = (dir / "data").string();
  std::optional<Engine> engine;
  engine.emplace(EngineOptions{.data_dir = data});
  auto before = Client::connect("embedded:" + data);
  { const auto lease = before.mutex("a").acquire(); }
  engine.reset();
  wait_a_while();
  engine.emplace(EngineOptions{.data_dir = data});
  auto after = Client::connect("embedded:" + data);
  EXPECT_TRUE(after.mutex("a").try_acquire_for(kSoon));
}

TEST(EmbeddedEngine, stops_for_want_of_sessions_and_never_under_one) {
  Engine engine({.name = "unused"});
  EXPECT_EQ(engine.sessions(), 0u);
  EXPECT_FALSE(engine.stop_if_unused(std::chrono::hours(1))) << "not for that long";
  {
    auto client = Client::connect("embedded:unused");
    EXPECT_EQ(engine.sessions(), 1u);
    EXPECT_FALSE(engine.stop_if_unused(milliseconds(0)));
    EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon)) << "it serves on";
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return engine.sessions() == 0; }));
  EXPECT_FALSE(engine.stop_if_unused(std::chrono::hours(1))) << "the session has only just ended";
  EXPECT_TRUE(eventually(kSoon, [&] { return engine.stop_if_unused(milliseconds(1)); }));
  EXPECT_TRUE(engine.stop_if_unused(milliseconds(1))) << "it has stopped before";
  EXPECT_EQ(engine.sessions(), 0u);
  engine.stop();
}

// The last client of one is on its way out while the first of the next comes in.
TEST(EmbeddedEngine, in_a_directory_is_there_for_every_client_however_they_come_and_go) {
  constexpr int kRounds = 50;
  const TempDir dir("embedded");
  const auto url = "embedded:" + (dir / "data").string();
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    auto last = std::make_unique<Client>(Client::connect(url));
    { const auto lease = last->mutex("a").acquire(); }
    std::thread leaving([&] { last.reset(); });
    // A little later each time, so that some come while the engine is stopping.
    const auto since = steady_clock::now();
    while (steady_clock::now() - since < round * std::chrono::microseconds(100)) std::this_thread::yield();
    try {
      auto first = Client::connect(url);
      EXPECT_TRUE(first.mutex("a").try_acquire_for(kSoon));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    leaving.join();
  }
}

TEST(EmbeddedEngine, in_a_directory_is_the_same_for_all_names_of_that_directory_from_the_first_client_on) {
  const TempDir dir("embedded");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  for (const std::string& name : {(dir / "slash/").string(), (dir / "deep/er/../dots").string(),
                                  std::string("./relative"), std::string("more/relative")}) {
    SCOPED_TRACE(name);
    auto first = Client::connect("embedded:" + name);
    const auto lease = first.mutex("a").acquire();
    auto second = Client::connect("embedded:" + name);
    EXPECT_FALSE(second.mutex("a").try_acquire());
  }
  std::filesystem::current_path(before);
}

// What cannot be reached is no engine, least of all the one in memory that keeps nothing.
TEST(EmbeddedEngine, in_a_directory_that_cannot_be_is_refused) {
  const TempDir dir("embedded");
  std::filesystem::create_symlink("loop", dir / "loop");
  auto in_memory = Client::connect("embedded:");
  EXPECT_THROW(Client::connect("embedded:" + (dir / "loop" / "data").string()), Error);
}

}  // namespace
}  // namespace holdfast::testing
