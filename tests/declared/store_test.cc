// The promises of declared locks on stores that are servers: ZooKeeper, and Redis with a key for each lock, which is asked again and again.
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "declared.h"
#include "support/redis_server.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

class DeclaredStore : public ::testing::TestWithParam<const char*> {
 protected:
  std::string url() {
    if (GetParam() == std::string_view("zookeeper")) return "zk://" + zookeeper_.emplace().address();
    return "redis://" + redis_.emplace().address() + "?mode=cell";
  }
  bool is_free(const std::string& name) { return static_cast<bool>(rival_.mutex(name).try_acquire_for(kSoon)); }

  std::optional<ZooKeeperServer> zookeeper_;
  std::optional<RedisServer> redis_;
  const std::string url_ = url();
  Client client_ = Client::connect(url_);
  Client rival_ = Client::connect(url_);
};

INSTANTIATE_TEST_SUITE_P(On, DeclaredStore, ::testing::Values("zookeeper", "cell"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(DeclaredStore, holds_what_its_arguments_say_and_releases_on_return_and_throw) {
  auto visit = locked(client_, "customers/{0}", [&](const std::string& customer) {
    EXPECT_FALSE(rival_.mutex(lock_name("customers/{}", customer)).try_acquire());
    if (customer == "..") throw std::runtime_error("no such customer");
  });
  for (const auto& customer : {std::string("7"), std::string("../admin"), std::string(1, '\0'), std::string("🔒"),
                               std::string(10'000, 'x'), std::string()}) {
    visit(customer);
    EXPECT_TRUE(is_free(lock_name("customers/{}", customer)));
  }
  EXPECT_THROW(visit(".."), std::runtime_error);
  EXPECT_TRUE(is_free(lock_name("customers/{}", "..")));
}

TEST_P(DeclaredStore, can_call_itself_and_be_skipped) {
  std::function<int(int)> factorial =
      locked(client_, "factorial", [&](int n) { return n < 2 ? 1 : n * factorial(n - 1); });
  EXPECT_EQ(factorial(10), 3'628'800);
  auto tried = locked(
      client_, {.name = "busy", .wait = kNotLong}, [] { return 1; }, skip);
  auto instead = locked(
      client_, {.name = "busy", .wait = kNotLong}, [] { return 1; }, [] { return 2; });
  const auto theirs = rival_.mutex("busy").acquire();
  EXPECT_EQ(tried(), std::nullopt);
  EXPECT_EQ(instead(), 2);
}

TEST_P(DeclaredStore, of_64_threads_of_two_clients_never_runs_twice_at_a_time) {
  std::atomic<int> inside = 0;
  int calls = 0;
  const auto visit = [&] {
    EXPECT_EQ(inside.fetch_add(1), 0);
    ++calls;
    inside.fetch_sub(1);
  };
  const LockSpec spec{.name = "counter", .wait = kSoon};
  auto ours = locked(client_, spec, visit);
  auto theirs = locked(rival_, spec, visit);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 4; ++round) i % 2 == 0 ? ours() : theirs();
    });
  }
  threads.clear();
  EXPECT_EQ(calls, 256);
}

}  // namespace
}  // namespace holdfast::testing
