// Memory ends at every place where it can end: at the first allocation of a request, at the second, and so on. What follows must find
// everything as it was before.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine/random_requests.h"
#include "support/engine/scene.h"
#include "support/engine/state.h"
#include "support/failing_memory.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::describe;
using testing::FailingMemory;
using testing::faults;
using testing::RandomRequests;
using testing::Scene;
using wire::Code;
using wire::CreateMode;

const Tell kNoOne = [](ConnectionId, const wire::Event&) {};

// More than any request here needs.
constexpr std::size_t kMostAllocations = 10'000;

struct Attempts {
  std::optional<Outcome> outcome{};
  std::size_t failures = 0;
};

// `ask` until it succeeds, each time with one more allocation that does. After each failure the engine is as it was.
template <class Ask>
Attempts until_it_succeeds(const Engine& engine, Ask ask) {
  Attempts attempts;
  const auto before = describe(engine);
  for (std::size_t after = 0; after < kMostAllocations; ++after) {
    try {
      const FailingMemory memory(after);
      attempts.outcome = ask();
      return attempts;
    } catch (const std::bad_alloc&) {
      ++attempts.failures;
    }
    EXPECT_EQ(describe(engine), before) << "after " << after << " allocations";
    if (::testing::Test::HasFailure()) return attempts;
  }
  ADD_FAILURE() << "still fails after " << kMostAllocations << " allocations";
  return attempts;
}

// Takes no memory, and leaves the engine as it was.
void take_back(Engine& engine, Outcome& outcome) {
  FailingMemory memory;
  engine.take_back(outcome);
  EXPECT_EQ(memory.allocations(), 0u);
}

void settle(Engine& engine, const Client& client, const wire::Request& request, Outcome& outcome) {
  FailingMemory memory;
  engine.settle(client, request, outcome, kNoOne);
  EXPECT_EQ(memory.allocations(), 0u);
}

struct Crowd {
  Crowd() {
    for (wire::SessionId id = 1; id <= 4; ++id) {
      Identities who{{"ip", "127.0.0.1"}};
      if (id % 2 == 0) who.push_back({"digest", "user" + std::to_string(id) + ":secret"});
      clients.push_back(scene.client(id, who));
    }
  }
  // Watchers of everything that the requests are about, some recursively.
  void watch() {
    for (const auto& client : clients) {
      for (const auto* path : {"/", "/a", "/b", "/a/a", "/a/b"}) {
        const auto mode = client.session == 1 ? 1 : 0;
        EXPECT_EQ(scene.code(client, wire::AddWatch{path, mode}), Code::ok);
      }
    }
  }
  Scene scene{{.ttl_nodes = true, .path_depth = 6}};
  std::vector<Client> clients;
};

TEST(EngineMemory, that_ends_anywhere_in_a_write_leaves_everything_as_it_was) {
  std::size_t failures = 0;
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crowd crowd;
    auto& engine = crowd.scene.engine;
    if (seed % 2 == 0) crowd.watch();
    RandomRequests random(seed);
    struct Pending {
      Client client;
      wire::Request request;
      Outcome outcome;
    };
    std::vector<Pending> pending;
    std::string at_rest = describe(engine);
    for (int i = 0; i < 300; ++i) {
      const auto client = crowd.clients[random.number(crowd.clients.size())];
      const auto request = random.write();
      if (std::holds_alternative<wire::CloseSession>(request)) continue;
      ++crowd.scene.zxid;
      ++crowd.scene.time;
      auto attempts = until_it_succeeds(
          engine, [&] { return engine.execute(client, crowd.scene.zxid, crowd.scene.time, request); });
      ASSERT_TRUE(attempts.outcome) << "seed " << seed << " request " << i;
      failures += attempts.failures;
      changed += attempts.outcome->changed() ? 1 : 0;
      pending.push_back({client, request, std::move(*attempts.outcome)});
      if (!random.one_in(3)) continue;
      const bool back = random.one_in(2);
      if (back) {
        for (auto each = pending.rbegin(); each != pending.rend(); ++each) take_back(engine, each->outcome);
        EXPECT_EQ(describe(engine), at_rest);
      } else {
        for (auto& each : pending) settle(engine, each.client, each.request, each.outcome);
      }
      pending.clear();
      EXPECT_EQ(faults(engine), std::vector<std::string>{});
      at_rest = describe(engine);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << " request " << i;
    }
  }
  // It has done what it says.
  EXPECT_GT(failures, 20'000u);
  EXPECT_GT(changed, 1'000u);
}

TEST(EngineMemory, that_ends_while_a_wide_directory_grows_or_empties_leaves_everything_as_it_was) {
  Crowd crowd;
  auto& engine = crowd.scene.engine;
  auto& scene = crowd.scene;
  const auto& client = crowd.clients[0];
  ASSERT_EQ(scene.code(client, create("/wide")), Code::ok);
  const auto run = [&](const wire::Request& request) {
    ++scene.zxid;
    auto attempts = until_it_succeeds(engine, [&] { return engine.execute(client, scene.zxid, scene.time, request); });
    ASSERT_TRUE(attempts.outcome);
    ASSERT_EQ(attempts.outcome->code, Code::ok);
    // Back and once more, so that both ends are seen.
    const auto after = describe(engine);
    take_back(engine, *attempts.outcome);
    auto again = engine.execute(client, scene.zxid, scene.time, request);
    EXPECT_EQ(describe(engine), after);
    // What a directory no longer needs may be given back by then, if there is memory to do it.
    engine.settle(client, request, again, kNoOne);
  };
  for (int i = 0; i < 300; ++i) {
    ASSERT_NO_FATAL_FAILURE(
        run(create("/wide/" + std::to_string(i), i % 2 == 0 ? CreateMode::ephemeral : CreateMode::persistent)));
  }
  for (int i = 0; i < 300; ++i) ASSERT_NO_FATAL_FAILURE(run(wire::Remove{"/wide/" + std::to_string(i), -1}));
  EXPECT_EQ(faults(engine), std::vector<std::string>{});
}

TEST(EngineMemory, that_ends_while_a_session_begins_or_ends_leaves_it_as_it_was) {
  Crowd crowd;
  crowd.watch();
  auto& engine = crowd.scene.engine;
  const auto& client = crowd.clients[0];
  for (const auto* path : {"/a", "/b", "/c"}) {
    ASSERT_EQ(crowd.scene.code(client, create(path, CreateMode::ephemeral)), Code::ok);
  }
  const auto before = describe(engine);
  auto opened = until_it_succeeds(engine, [&] {
    return engine.open_session(100, 1, 100, "a password that does not fit into a string", std::chrono::seconds(30),
                               Moment(0));
  });
  EXPECT_GT(opened.failures, 0u);
  auto closed = until_it_succeeds(engine, [&] { return engine.execute(client, 101, 1, wire::CloseSession{}); });
  EXPECT_GT(closed.failures, 0u);
  EXPECT_EQ(engine.sessions().find(client.session), nullptr);
  take_back(engine, *closed.outcome);
  take_back(engine, *opened.outcome);
  EXPECT_EQ(describe(engine), before);
  // It ends as it would have.
  engine.sessions().all_heard_of(Moment(0));
  EXPECT_EQ(engine.sessions().expired(std::chrono::hours(1)).size(), crowd.clients.size());

  auto again = engine.execute(client, 102, 1, wire::CloseSession{});
  settle(engine, {client.session, 0}, wire::CloseSession{}, again);
  EXPECT_EQ(faults(engine), std::vector<std::string>{});
}

TEST(EngineMemory, that_ends_while_a_watch_is_set_leaves_no_half_of_it) {
  WatchTable table;
  std::size_t failures = 0;
  for (ConnectionId connection = 1; connection <= 40; ++connection) {
    for (const auto& path : {std::string("/a"), "/" + std::string(40, 'x') + std::to_string(connection)}) {
      const auto use = table.use(connection);
      const auto size = table.size();
      const auto bytes = table.bytes();
      const auto paths = table.path_count();
      const auto connections = table.connection_count();
      for (std::size_t after = 0;; ++after) {
        ASSERT_LT(after, kMostAllocations);
        try {
          const FailingMemory memory(after);
          table.add(path, connection, connection % 3 == 0 ? WatchMode::recursive : WatchMode::one_shot);
          break;
        } catch (const std::bad_alloc&) {
          ++failures;
        }
        ASSERT_EQ(table.use(connection).watches, use.watches);
        ASSERT_EQ(table.use(connection).bytes, use.bytes);
        ASSERT_EQ(table.size(), size);
        ASSERT_EQ(table.bytes(), bytes);
        ASSERT_EQ(table.path_count(), paths);
        ASSERT_EQ(table.connection_count(), connections);
      }
    }
  }
  EXPECT_GT(failures, 80u);
  // To be told and to go takes none.
  const FailingMemory memory;
  EXPECT_EQ(table.fire("/a", wire::EventType::node_data_changed).size(), 40u);
  for (ConnectionId connection = 1; connection <= 40; ++connection) table.abandon(connection);
  while (table.sweep(1'000) > 0) {
  }
  EXPECT_EQ(memory.allocations(), 0u);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.bytes(), 0u);
}

}  // namespace
}  // namespace holdfast::engine
