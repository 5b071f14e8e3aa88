// header_test.cc -- the examples that the public headers quote. docs.headers_quote_what_compiles looks each of them up in here.
#include <gtest/gtest.h>
#include <holdfast/engine_data.h>
#include <holdfast/holdfast.h>
#include <holdfast/testing/faulty_service.h>

#include <filesystem>
#include <iostream>
#include <shared_mutex>

#include "support/manual_executor.h"
#include "support/temp_dir.h"
#include "toy_backend.h"

using namespace std::chrono_literals;

namespace {

// A resource that remembers the largest token.
struct Orders {
  void write(const std::string& text, holdfast::Token token) {
    if (fence.admit(token)) written.push_back(text);
  }
  holdfast::Fence fence;
  std::vector<std::string> written;
};

// For examples that begin with a client, or a mutex.
class HeaderExample : public ::testing::Test {
 protected:
  holdfast::Client client = holdfast::Client::connect("memory:");
  holdfast::Mutex mutex = client.mutex("orders/123");
};

TEST(HeaderExampleAlone, of_the_umbrella_header_works) {
  auto client = holdfast::Client::connect("memory:");
  holdfast::Mutex mutex = client.mutex("orders/123");
  std::scoped_lock hold(mutex);
  EXPECT_TRUE(mutex.is_held_by_this_thread());
}

void write_an_order(holdfast::Mutex& mutex, Orders& store) {
  holdfast::Lease lease = mutex.acquire();
  if (!lease.is_held()) return;             // lost, for instance while this process was paused
  store.write("order 123", lease.token());  // the store refuses a token that is smaller than one it has seen
}

TEST_F(HeaderExample, of_lease_works) {
  Orders orders;
  write_an_order(mutex, orders);
  EXPECT_EQ(orders.written, std::vector<std::string>{"order 123"});
}

void try_for_two_seconds(holdfast::Mutex& mutex, bool& done) {
  std::unique_lock hold(mutex, 2s);  // try_lock_for(2s)
  if (!hold) return;                 // a rival holds it
  done = true;
}

TEST_F(HeaderExample, of_lockable_works) {
  bool done = false;
  try_for_two_seconds(mutex, done);
  EXPECT_TRUE(done);
}

TEST(HeaderExampleAlone, of_mutex_works) {
  auto client = holdfast::Client::connect("memory:");
  holdfast::Mutex mutex = client.mutex("orders/123");
  std::scoped_lock hold(mutex);
  EXPECT_TRUE(mutex.is_held_by_this_thread());
}

TEST_F(HeaderExample, of_shared_mutex_works) {
  holdfast::SharedMutex catalogue = client.shared_mutex("catalogue");
  std::shared_lock reading(catalogue);
  EXPECT_TRUE(catalogue.is_shared_by_this_thread());
}

TEST_F(HeaderExample, of_semaphore_works) {
  holdfast::Semaphore imports = client.semaphore("imports", 3);
  holdfast::Lease lease = imports.acquire();  // one permit, until `lease` is destroyed
  EXPECT_TRUE(lease.is_held());
}

TEST_F(HeaderExample, of_multi_lock_works) {
  holdfast::MultiLock transfer = client.multi_lock({{"accounts/1"}, {"accounts/2"}});
  std::scoped_lock hold(transfer);
  EXPECT_TRUE(transfer.is_held_by_this_thread());
}

TEST_F(HeaderExample, of_shared_count_works) {
  holdfast::SharedCount limit = client.shared_count("imports/limit", 3);
  holdfast::Semaphore imports = client.semaphore("imports", limit);
  limit.set(5);  // two waiters more get a permit
  EXPECT_TRUE(imports.try_acquire(5));
}

TEST_F(HeaderExample, of_declared_works) {
  std::vector<int> shipped;
  auto ship = holdfast::locked(client, "orders/{0}", [&](int order) { shipped.push_back(order); });
  ship(7);  // holds orders/7, meanwhile
  EXPECT_EQ(shipped, std::vector<int>{7});
}

TEST_F(HeaderExample, of_lock_spec_works) {
  using namespace std::chrono_literals;
  const holdfast::LockSpec spec{.name = "orders/{0}", .wait = 5s, .max_hold = 1min};
  EXPECT_EQ(holdfast::locked(client, spec, [](int order) { return order; })(7), 7);
}

TEST_F(HeaderExample, of_lock_name_works) {
  const std::string customer = "../admin";
  auto lock = client.mutex(holdfast::lock_name("customers/{}", customer));  // customers/..%2fadmin
  EXPECT_EQ(lock.path(), "/customers/..%2fadmin");
}

TEST_F(HeaderExample, of_lock_options_works) {
  using namespace std::chrono_literals;
  auto nightly = client.mutex("jobs/nightly", {.min_hold = 1min, .max_hold = 2h});
  EXPECT_LE(nightly.acquire().valid_until(), holdfast::Clock::now() + 2h);
}

TEST_F(HeaderExample, of_inspect_works) {
  const auto lease = mutex.acquire();
  ::testing::internal::CaptureStdout();
  for (const auto& ticket : client.inspect("orders/123").tickets) {
    std::cout << (ticket.holds ? "holds " : "waits ") << ticket.card.to_string() << "\n";
  }
  EXPECT_TRUE(::testing::internal::GetCapturedStdout().starts_with("holds "));
}

TEST_F(HeaderExample, of_card_works) {
  ::testing::internal::CaptureStdout();
  const auto card = holdfast::Card::parse("10.0.0.7 host=web1 pid=812 program=billing");
  std::cout << card.to_string() << "\n";  // billing (pid 812) on web1
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "billing (pid 812) on web1\n");
}

void write_with_a_fence(holdfast::Mutex& mutex, bool& written) {
  holdfast::Fence fence;  // beside the resource
  const auto token = mutex.acquire().token();
  if (!fence.admit(token)) return;  // a successor of this holder has written
  written = true;
}

TEST_F(HeaderExample, of_fence_works) {
  bool written = false;
  write_with_a_fence(mutex, written);
  EXPECT_TRUE(written);
}

void report_what_went_wrong(holdfast::Mutex& mutex) {
  const auto result = mutex.try_acquire_for(2s);
  if (result.error() == std::errc::timed_out) return;  // the same as holdfast::Errc::timed_out
  if (result.error()) throw holdfast::Error(result.error(), result.message());
}

TEST_F(HeaderExample, of_error_works) {
  report_what_went_wrong(mutex);
  client.close();
  EXPECT_THROW(report_what_went_wrong(mutex), holdfast::Error);
}

TEST_F(HeaderExample, of_acquire_result_works) {
  auto result = mutex.try_acquire_for(2s);
  if (!result) throw std::runtime_error(result.message());
  holdfast::Lease lease = std::move(result).lease();
  EXPECT_TRUE(lease.is_held());
}

TEST_F(HeaderExample, of_a_message_is_what_a_caller_gets) {
  const auto lease = mutex.acquire();
  auto rival = holdfast::Client::connect("memory:", {.purpose = "", .program = "billing"});
  const auto message = rival.mutex("orders/123").try_acquire_for(1ms).message();
  EXPECT_TRUE(message.starts_with("timed out: /orders/123 is held by ") && message.ends_with(", 1 ahead of us"))
      << message;
}

TEST(HeaderExampleAlone, of_handler_works) {
  struct Watcher : holdfast::LockHandler {
    holdfast::AcquireOutcome acquire(const holdfast::AcquireRequest& ask, const holdfast::AcquireNext& next) override {
      if (ask.name() == "the/moon") return {holdfast::Errc::refused, "the moon is not ours"};
      return next(ask);
    }
  };
  auto client = holdfast::Client::connect("memory:", {.handlers = {std::make_shared<Watcher>()}});
  EXPECT_TRUE(client.mutex("the/earth").try_acquire());
  EXPECT_EQ(client.mutex("the/moon").try_acquire().message(), "the moon is not ours");
}

TEST(HeaderExampleAlone, of_handlers_works) {
  auto counters = std::make_shared<holdfast::LockCounters>();
  auto alarm = std::make_shared<holdfast::SlowHoldAlarm>(30s);
  auto client = holdfast::Client::connect("memory:", {.handlers = {counters, alarm}});
  { const auto lease = client.mutex("orders/1").acquire(); }
  std::cout << counters->counts().acquired << "\n";
  EXPECT_EQ(counters->counts().released, 1U);
}

void use_and_release(holdfast::Client& client) {
  holdfast::LockRemoteResource locks(client);
  const auto result = locks.try_acquire("orders/1", "worker 7", 2s);
  if (!result) throw std::runtime_error(result.message());
  locks.release("orders/1", "worker 7");
}

TEST_F(HeaderExample, of_lock_remote_resource_works) {
  use_and_release(client);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_F(HeaderExample, of_lock_manager_works) {
  holdfast::LockManager manager(client);
  holdfast::ManagedLock order = manager.lock("orders/1");
  if (order.try_lock_for(2s)) {
    order.unlock();
  }
  EXPECT_EQ(manager.counts().released, 1U);
}

TEST(HeaderExampleAlone, of_retry_works) {
  using namespace std::chrono_literals;
  holdfast::ClientOptions options{.retry = holdfast::RetryPolicy::until_elapsed(30s, 500ms)};
  auto client = holdfast::Client::connect("memory:", options);
  EXPECT_EQ(options.retry.max_elapsed(), 30s);
}

void keep_to_the_clock(holdfast::Lease& lease, holdfast::Mutex& mutex) {
  using namespace std::chrono_literals;
  if (lease.valid_until() - holdfast::Clock::now() < 5s) return;  // not enough time for the next step
  mutex.try_lock_until(holdfast::Clock::now() + 2s);
}

TEST_F(HeaderExample, of_clock_works) {
  auto lease = mutex.acquire();
  keep_to_the_clock(lease, mutex);
  EXPECT_TRUE(mutex.is_held_by_this_thread());
  mutex.unlock();
}

TEST(HeaderExampleAlone, of_client_works) {
  using namespace std::chrono_literals;
  auto client = holdfast::Client::connect("memory:", {.session_timeout = 10s, .purpose = "monthly run"});
  holdfast::Lease lease = client.mutex("orders/123").acquire();
  EXPECT_EQ(client.session_timeout(), 10s);
}

TEST(HeaderExampleAlone, of_transaction_works) {
  const holdfast::Engine engine({.name = "transaction"});
  auto client = holdfast::Client::connect("embedded:transaction");
  const auto lease = client.mutex("orders/123").acquire();
  holdfast::Transaction changes;
  changes.create("/state", "paid").check("/state");
  client.commit(lease, changes);
  try {
    client.commit(lease, changes);
    ADD_FAILURE() << "it is there already";
  } catch (const holdfast::Error& error) {
    EXPECT_EQ(error.code(), holdfast::Errc::refused);
  }
}

// Compiled only: there are no such hosts.
[[maybe_unused]] void connect_by_tls() {
  holdfast::ClientOptions options{.tls = {.ca = "/etc/holdfast/ca.pem"}};
  auto client = holdfast::Client::connect("zks://db1.example.com:2281", options);
}

[[maybe_unused]] void connect_to_redis(const std::string& secret) {
  holdfast::ClientOptions options{.redis = {.user = "locks", .password = secret}};
  auto client = holdfast::Client::connect("redis://db1.example.com", options);
}

TEST(HeaderExampleAlone, of_zookeeper_options_works) {
  const holdfast::Engine engine({.name = "orders"});
  const std::string login = "billing:secret";
  holdfast::ClientOptions options{.zookeeper = {.auth = {{"digest", login}}, .acl = {{"auth", "", 31}}}};
  auto client = holdfast::Client::connect("embedded:orders", options);
  const auto lease = client.mutex("1").acquire();
  EXPECT_THROW(holdfast::Client::connect("embedded:orders").inspect("1"), holdfast::Error);
}

TEST(HeaderExampleAlone, of_engine_works) {
  const holdfast::testing::TempDir temporary;
  const auto directory = temporary.path().string();
  holdfast::Engine engine({.data_dir = directory, .listen = {{.port = 0}}});
  auto client = holdfast::Client::connect("zk://" + engine.addresses().front());
  holdfast::Lease lease = client.mutex("orders/123").acquire();
  EXPECT_EQ(engine.sessions(), 1);
}

void report_on(const std::string& directory, bool& whole) {
  const auto report = holdfast::check_engine_data(directory);
  for (const auto& line : report.lines) std::cout << line << "\n";
  if (!report.whole) return;
  whole = true;
}

TEST_F(HeaderExample, of_engine_data_works) {
  const holdfast::testing::TempDir temporary;
  const auto directory = temporary.path().string();
  holdfast::Engine({.data_dir = directory}).stop();
  bool whole = false;
  report_on(directory, whole);
  EXPECT_TRUE(whole);
}

TEST(HeaderExampleAlone, of_lock_settings_works) {
  using namespace std::chrono_literals;
  auto rules = std::make_shared<holdfast::LockRules>();
  rules->replace({{"**", {.slow_hold = 30s}}, {"orders/*", {.max_hold = 1min}}});
  auto client = holdfast::Client::connect("memory:", {.locks = rules});
  EXPECT_EQ(client.lock_settings("orders/1").max_hold, 1min);
  EXPECT_EQ(client.lock_settings("orders/1").slow_hold, 30s);
}

TEST(HeaderExampleAlone, of_settings_works) {
  holdfast::ClientSettings settings = holdfast::parse_settings("{url: 'memory:', locks: {jobs/*: {max-hold: 1m}}}");
  settings.options.purpose = "monthly run";
  auto client = holdfast::Client::connect(settings.url, settings.options);
  EXPECT_EQ(client.lock_settings("jobs/1").max_hold, std::chrono::minutes(1));
}

// Compiled only: it is the user's own engine.
[[maybe_unused]] void look_after_the_local_engine() {
  const auto engine = holdfast::find_local_engine();
  if (engine) std::cout << engine->pid << ": " << holdfast::local_sessions() << " sessions\n";
  holdfast::stop_local_engine(std::chrono::seconds(5));
}

TEST(HeaderExampleAlone, of_faulty_service_works) {
  holdfast::testing::FaultyService service;
  auto client = service.connect("worker");
  const auto lease = client.mutex("orders/123").acquire();
  service.expire("worker");  // its session has ended: no lease of it is held when this returns, and lost() fires
  EXPECT_FALSE(lease.is_held());
}

TEST(HeaderExampleAlone, of_queue_backend_works) {
  auto store = std::make_shared<toy::Store>();
  const auto make = [&](auto& executor) { return std::make_unique<toy::Backend>(executor, store, 10s); };
  auto client = holdfast::Client::connect(make);
  EXPECT_TRUE(client.mutex("orders/123").acquire().is_held());
}

TEST_F(HeaderExample, of_executor_works) {
  holdfast::testing::ManualExecutor executor;
  bool connected = false;
  const auto connect = [&] { connected = true; };
  holdfast::spi::Executor::TimerId retry;
  retry = executor.at(holdfast::later(executor.now(), 1s), [&] { connect(); });
  executor.cancel(retry);
  executor.run_for(2s);
  EXPECT_FALSE(connected);
}

}  // namespace
