// The right side of docs/from-java.md: docs.quote_what_is_in_the_examples looks up each line in here.
#include <gtest/gtest.h>
#include <holdfast/holdfast.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <stop_token>

using namespace std::chrono_literals;

namespace {

class FromJava : public ::testing::Test {
 protected:
  holdfast::Client client = holdfast::Client::connect("memory:");
};

struct Member {
  int id = 0;
  std::string name;
  void rename(const std::string& to) { name = to; }
};

// Compiled only: there is no such host, and no such file.
[[maybe_unused]] holdfast::Client connect() {
  holdfast::ClientOptions options{.retry = holdfast::RetryPolicy::exponential_backoff(100ms, 10)};
  return holdfast::Client::connect("10.0.0.1:2181", options);
}

[[maybe_unused]] holdfast::Client connect_as_the_file_says() { return holdfast::Client::from_file("application.yml"); }

TEST_F(FromJava, options_have_curators_and_redissons_meaning) {
  holdfast::ClientOptions named{.name_space = "billing"};
  EXPECT_EQ(holdfast::Client::connect("memory:", named).mutex("orders").path(), "/billing/orders");
  holdfast::ClientOptions session{.session_timeout = 30s};
  EXPECT_EQ(holdfast::Client::connect("memory:", session).session_timeout(), 30s);
}

TEST_F(FromJava, a_mutex_is_as_curators) {
  holdfast::Mutex mutex = client.mutex("orders/123");
  {
    std::scoped_lock hold(mutex);
    EXPECT_TRUE(mutex.is_held_by_this_thread());
  }
  auto result = mutex.try_acquire_for(5min);
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(client.inspect("orders/123").tickets.size(), 1U);
}

TEST_F(FromJava, the_family_is_as_curators) {
  holdfast::NonReentrantMutex once = client.non_reentrant_mutex("orders/123");
  EXPECT_TRUE(once.try_acquire());
  holdfast::SharedMutex catalogue = client.shared_mutex("catalogue");
  std::shared_lock reading(catalogue);
  EXPECT_TRUE(catalogue.is_shared_by_this_thread());
  holdfast::Lease permit = client.semaphore("imports", 3).acquire();
  EXPECT_TRUE(permit.is_held());
  holdfast::SharedCount limit = client.shared_count("imports/limit", 3);
  EXPECT_EQ(limit.get(), 3);
  holdfast::MultiLock transfer = client.multi_lock({{"accounts/1"}, {"accounts/2"}});
  std::scoped_lock hold(transfer);
  EXPECT_TRUE(transfer.is_held_by_this_thread());
}

TEST_F(FromJava, a_holder_is_asked_and_told) {
  std::atomic<bool> asked_for = false;
  const auto stop_soon = [&] { asked_for = true; };
  std::atomic<bool> told = false;
  const auto stop_now = [&] { told = true; };
  holdfast::Mutex mutex = client.mutex("orders/123");
  holdfast::Lease lease = mutex.acquire();
  EXPECT_GT(lease.token(), 0U);
  {
    std::stop_callback asked(lease.revoked(), [&] { stop_soon(); });
    std::stop_callback lost(lease.lost(), [&] { stop_now(); });
    lease.release();
    client.revoke("orders/123", 10s);  // there is no holder to wait for
  }
  EXPECT_FALSE(asked_for);
  EXPECT_FALSE(told);
}

TEST_F(FromJava, a_lock_can_be_broken) {
  auto rival = holdfast::Client::connect("memory:");
  const auto lease = rival.mutex("orders/123").acquire();
  client.revoke("orders/123", 0ms, holdfast::Client::Force::yes);
  EXPECT_TRUE(client.mutex("orders/123", {.max_hold = 60s}).try_acquire_for(3s));
}

TEST_F(FromJava, a_job_runs_on_one_machine_as_with_shedlock) {
  int exports = 0;
  const auto export_all = [&] { ++exports; };
  holdfast::LockSpec spec{.name = "nightly", .wait = 0ms, .min_hold = 1min, .max_hold = 2h};
  auto nightly = holdfast::locked(client, spec, export_all, holdfast::skip);
  EXPECT_TRUE(nightly());
  EXPECT_FALSE(nightly()) << "within the minute";
  EXPECT_FALSE(holdfast::with_lock(client, spec, export_all, holdfast::skip));
  EXPECT_EQ(exports, 1);
}

TEST_F(FromJava, a_function_can_ask_for_its_lease) {
  auto guarded = holdfast::locked(client, "nightly", [](holdfast::Lease& lease) { return lease.is_held(); });
  EXPECT_TRUE(guarded());
}

std::size_t annotated(holdfast::Client& client) {
  HOLDFAST_LOCKED(client);
  return client.inspect("(anonymous)::annotated").tickets.size();
}
std::size_t annotated_with_a_name(holdfast::Client& client) {
  HOLDFAST_LOCKED(client, {.name = "orders", .wait = 5s});
  return client.inspect("orders").tickets.size();
}

TEST_F(FromJava, a_method_is_annotated_by_its_first_line) {
  EXPECT_EQ(annotated(client), 1U);
  EXPECT_EQ(annotated_with_a_name(client), 1U);
}

TEST_F(FromJava, a_type_of_a_starter_is_one_here) {
  holdfast::LockSpec read{.name = "catalogue", .type = holdfast::LockType::read};
  holdfast::LockSpec once{.name = "orders", .type = holdfast::LockType::non_reentrant};
  holdfast::LockSpec both{.names = {"accounts/{0}", "accounts/{1}"}};
  EXPECT_TRUE(holdfast::with_lock(client, read, [] { return true; }));
  EXPECT_TRUE(holdfast::with_lock(client, once, [] { return true; }));
  EXPECT_EQ(holdfast::locked(client, both, [](int from, int to) { return from + to; })(1, 2), 3);
}

TEST_F(FromJava, a_key_is_a_name_made_of_arguments) {
  auto ship = holdfast::locked(client, "orders/{0}", [](int order) { return order; });
  EXPECT_EQ(ship(7), 7);
  auto rename =
      holdfast::locked(client, holdfast::LockSpec{.name = "member-{0.id}"}.arg("id", &Member::id), &Member::rename);
  Member jane{.id = 123, .name = "Jane"};
  rename(jane, "Joan");
  EXPECT_EQ(jane.name, "Joan");
}

TEST_F(FromJava, a_failure_has_its_handler) {
  auto read_or_old = holdfast::locked(
      client, "report", [] { return "new"; }, [] { return "old"; });
  EXPECT_STREQ(read_or_old(), "new");
  int accepted = 0;
  const auto accept = [&](int) { ++accepted; };
  auto submit = holdfast::locked(client, {.name = "submit/{0}", .wait = 0ms, .min_hold = 5s}, accept, holdfast::skip);
  EXPECT_TRUE(submit(1));
  EXPECT_FALSE(submit(1)) << "submitted twice";
  EXPECT_TRUE(submit(2));
  EXPECT_EQ(accepted, 2);
}

TEST_F(FromJava, a_framework_has_its_resource_and_its_manager) {
  holdfast::LockRemoteResource remote(client);
  const auto result = remote.try_acquire("orders/1", "worker 7", 2s);
  EXPECT_TRUE(result.is_success()) << result.message();
  EXPECT_EQ(result.failure_type(), std::nullopt);
  EXPECT_EQ(result.exception(), nullptr);
  EXPECT_EQ(remote.release("orders/1", "worker 7"), std::error_code());
  holdfast::LockManager manager(client);
  holdfast::ManagedLock order = manager.lock("orders/1");
  EXPECT_TRUE(order.try_lock_for(2s));
  order.unlock();
}

TEST_F(FromJava, handlers_stand_around_declared_locks_too) {
  std::mutex mutex;
  std::vector<std::string> lines;
  const auto sink = [&](std::string_view line) {
    const std::lock_guard guard(mutex);
    lines.emplace_back(line);
  };
  auto log = std::make_shared<holdfast::AccessLog>(sink);
  auto counters = std::make_shared<holdfast::LockCounters>();
  holdfast::ClientOptions watched{.handlers = {log, counters}};
  auto seen = holdfast::Client::connect("memory:", watched);
  holdfast::with_lock(seen, "orders/1", [] {});
  EXPECT_EQ(counters->counts().acquired, 1U);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("acquire|orders/1|true|")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("release|orders/1|true|")) << lines[1];
}

TEST_F(FromJava, settings_by_pattern_say_what_the_code_does_not) {
  const std::vector<holdfast::LockRules::Rule> patterns{{"orders/*", {.type = holdfast::LockType::read, .wait = 5s}}};
  auto rules = std::make_shared<holdfast::LockRules>(patterns);
  holdfast::ClientOptions by_pattern{.locks = rules};
  auto reader = holdfast::Client::connect("memory:", by_pattern);
  holdfast::with_lock(reader, "orders/7", [&] { EXPECT_TRUE(client.shared_mutex("orders/7").try_acquire_shared()); });
}

}  // namespace
