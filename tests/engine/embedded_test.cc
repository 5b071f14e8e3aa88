// Engines inside this process that start, stop and start again under their clients.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
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
#include "support/forked_child.h"
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

// ThreadSanitizer's runtime cannot start a thread in such a child, which this one does.
#ifndef __SANITIZE_THREAD__
// docs/semantics.md, "fork()".
TEST(EmbeddedEngine, is_not_touched_by_a_child_that_was_forked) {
  const TempDir dir("embedded");
  const auto data = (dir / "data").string();
  std::optional<Engine> engine(std::in_place, EngineOptions{.data_dir = data, .listen = {{}}});
  auto client = Client::connect("zk://" + engine->addresses().front());
  auto inside = Client::connect("embedded:" + data);
  auto mutex = client.mutex("a");
  const auto lease = mutex.acquire();
  const auto files = [&] {
    std::map<std::string, std::uintmax_t> sizes;
    for (const auto& file : std::filesystem::directory_iterator(data)) sizes[file.path()] = file.file_size();
    return sizes;
  };
  const auto before = files();
  EXPECT_EQ(in_child([&] {
              const auto is_forked = [](const std::function<void()>& call) {
                try {
                  call();
                } catch (const Error& error) {
                  return error.code() == Errc::forked;
                }
                return false;
              };
              if (!is_forked([&] { (void)engine->sessions(); })) return 1;
              if (!is_forked([&] { (void)engine->stop_if_unused(milliseconds(0)); })) return 2;
              engine->stop();
              engine->stop_now();
              engine.reset();
              // Its own, but not in the directory that is the parent's.
              const auto own = Client::connect("embedded:").mutex("a").try_acquire_for(kSoon);
              if (!own) return 3;
              try {
                (void)Client::connect("embedded:" + data);
                return 4;
              } catch (const Error& error) {
                return error.code() == Errc::refused ? 0 : 5;
              }
            }),
            0);
  EXPECT_EQ(files(), before);
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(engine->sessions(), 2U);
  EXPECT_TRUE(inside.mutex("b").try_acquire_for(kSoon));
}
#endif

// It has copies of the listening socket, of all connections, and of the file whose lock says that the directory is in use.
TEST(EmbeddedEngine, can_be_stopped_and_started_again_while_a_forked_child_lives) {
  const TempDir dir("embedded");
  const auto data = (dir / "data").string();
  std::optional<Engine> engine(std::in_place, EngineOptions{.data_dir = data, .listen = {{}}});
  const auto address = engine->addresses().front();
  const auto port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  auto client = Client::connect("zk://" + address);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ForkedChild child([&] {
    ::close(ends[1]);
    char byte = 0;
    return static_cast<int>(::read(ends[0], &byte, 1));  // until the parent has done
  });
  engine.reset();
  EXPECT_THROW(Client::connect("zk://" + address, {.connection_timeout = milliseconds(500)}), Error);
  engine.emplace(EngineOptions{.data_dir = data, .listen = {{.port = port}}});
  EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon)) << "it has not heard of the end of its connection";
  ::close(ends[1]);
  EXPECT_EQ(child.wait(), 0);
  ::close(ends[0]);
}

TEST(EmbeddedEngine, that_was_moved_from_answers_with_an_error) {
  Engine engine({.name = "moves"});
  Engine there = std::move(engine);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  EXPECT_TRUE(engine.addresses().empty());
  EXPECT_THROW((void)engine.sessions(), Error);
  EXPECT_THROW((void)engine.stop_if_unused(milliseconds(0)), Error);
  engine.stop();
  engine.stop_now();
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(there.sessions(), 0U);
}

}  // namespace
}  // namespace holdfast::testing
