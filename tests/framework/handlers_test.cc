// The handlers that come with the library, in memory.
#include "holdfast/handlers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <regex>
#include <thread>

#include "recorder.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 20s;

class ShippedHandlers : public ::testing::Test {
 protected:
  Client connect(std::vector<std::shared_ptr<LockHandler>> handlers, std::string purpose = {}) {
    return Client::connect(url_, {.purpose = std::move(purpose), .handlers = std::move(handlers)});
  }

  static inline std::atomic<int> last_ = 0;
  const std::string url_ = "memory:shipped-handlers-" + std::to_string(++last_);
  Client watcher_ = Client::connect(url_);
};

// The last field is a time: -1 in its place.
std::string without_time(const std::string& line) {
  EXPECT_TRUE(std::regex_match(line, std::regex(".*\\|[0-9]+"))) << line;
  return line.substr(0, line.rfind('|')) + "|-1";
}

TEST_F(ShippedHandlers, access_log_has_one_line_for_each_acquire_release_and_loss) {
  Notes lines;
  auto client = connect({std::make_shared<AccessLog>([&](auto line) { lines.add(without_time(std::string(line))); })});
  auto mutex = client.mutex("orders/1");
  mutex.lock();
  mutex.lock();  // a re-entry, which no other client can notice
  mutex.unlock();
  mutex.unlock();
  EXPECT_EQ(lines.take(), (Told{"acquire|orders/1|true|-1", "release|orders/1|true|-1"}));
  {
    const auto rival = watcher_.mutex("orders/1").acquire();
    EXPECT_FALSE(mutex.try_lock());
  }
  EXPECT_EQ(lines.take(), Told{"acquire|orders/1|false|-1"});
  auto short_mutex = client.mutex("orders/2", {.max_hold = 10ms});
  auto lease = short_mutex.acquire();
  EXPECT_TRUE(eventually(kSoon, [&] { return lines.told().size() == 2; }));
  lease.release();
  EXPECT_EQ(lines.take(), (Told{"acquire|orders/2|true|-1", "lost|orders/2|-1", "release|orders/2|false|-1"}));
  { const auto both = client.multi_lock({{"a"}, {"b"}}).acquire(); }
  EXPECT_EQ(lines.take(), (Told{"acquire|a,b|true|-1", "release|a,b|true|-1"}));
}

TEST_F(ShippedHandlers, access_log_says_how_long_it_took) {
  Notes lines;
  auto client = connect({std::make_shared<AccessLog>([&](auto line) { lines.add(std::string(line)); })});
  auto mutex = client.mutex("orders/1");
  const auto rival = watcher_.mutex("orders/1").acquire();
  EXPECT_FALSE(mutex.try_lock_for(30ms));
  const auto line = lines.take().at(0);
  EXPECT_GE(std::stoi(line.substr(line.rfind('|') + 1)), 30);
}

TEST_F(ShippedHandlers, access_log_appends_whole_lines_to_a_file) {
  const TempDir directory;
  const auto path = (directory.path() / "access.log").string();
  for (int i = 0; i < 2; ++i) {
    auto client = connect({AccessLog::to_file(path)});
    const auto lease = client.mutex("orders/1").acquire();
  }
  std::ifstream file(path);
  const std::regex wanted(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z [0-9]+ "
      "(acquire|release)\\|orders/1\\|true\\|[0-9]+");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) EXPECT_TRUE(std::regex_match(line, wanted)) << line;
  EXPECT_EQ(lines, 4);
  try {
    AccessLog::to_file((directory.path() / "no" / "access.log").string());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "the access log " + (directory.path() / "no" / "access.log").string() +
                                " cannot be opened: No such file or directory; name a file that can be written");
  }
}

TEST_F(ShippedHandlers, counters_count_what_happened) {
  auto counters = std::make_shared<LockCounters>("orders/*");
  auto all = std::make_shared<LockCounters>();
  auto client = connect({all, counters});
  auto mutex = client.mutex("orders/1");
  for (int i = 0; i < 3; ++i) const std::scoped_lock hold(mutex);
  {
    const auto rival = watcher_.mutex("orders/1").acquire();
    EXPECT_FALSE(mutex.try_lock());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(mutex.try_acquire_for(kSoon, stop.get_token()).error(), Errc::cancelled);
  }
  auto lease = client.mutex("orders/2", {.max_hold = 10ms}).acquire();
  EXPECT_TRUE(eventually(kSoon, [&] { return counters->counts().lost == 1; }));
  EXPECT_EQ(counters->counts().held, 1U);
  lease.release();
  const auto other = client.mutex("other").acquire();

  const auto counts = counters->counts();
  EXPECT_EQ(counts.acquired, 4U);
  EXPECT_EQ(counts.timed_out, 1U);
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_EQ(counts.thrown, 0U);
  EXPECT_EQ(counts.released, 3U);
  EXPECT_EQ(counts.lost, 1U);
  EXPECT_EQ(counts.acquiring, 0U);
  EXPECT_EQ(counts.held, 0U);
  EXPECT_EQ(counts.wait.count, 4U);
  EXPECT_EQ(counts.hold.count, 4U);
  EXPECT_EQ(all->counts().acquired, 5U);
  EXPECT_EQ(all->counts().held, 1U);
}

TEST_F(ShippedHandlers, counters_count_what_a_handler_throws) {
  Notes notes;
  auto counters = std::make_shared<LockCounters>();
  auto client = connect({counters, std::make_shared<Recorder>("a", notes, Recorder::Throws::after_acquire)});
  EXPECT_THROW((void)client.mutex("orders/1").acquire(), std::runtime_error);
  EXPECT_EQ(counters->counts().thrown, 1U);
  EXPECT_EQ(counters->counts().acquiring, 0U);
}

TEST_F(ShippedHandlers, count_right_with_64_threads) {
  constexpr int kThreads = 64;
  constexpr int kRounds = 20;
  auto counters = std::make_shared<LockCounters>();
  Notes lines;
  auto log = std::make_shared<AccessLog>([&](auto line) { lines.add(without_time(std::string(line))); });
  std::atomic<int> inside = 0;
  {
    auto client =
        connect({log, std::make_shared<SlowHoldAlarm>(1h), std::make_shared<LocalGate>("orders/*", 4), counters});
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        auto mutex = client.mutex("orders/1");
        for (int round = 0; round < kRounds; ++round) {
          const std::scoped_lock hold(mutex);
          EXPECT_EQ(++inside, 1);
          --inside;
        }
      });
    }
  }
  const auto counts = counters->counts();
  EXPECT_EQ(counts.acquired, kThreads * kRounds);
  EXPECT_EQ(counts.released, kThreads * kRounds);
  EXPECT_EQ(counts.held, 0U);
  EXPECT_EQ(counts.acquiring, 0U);
  EXPECT_EQ(lines.told().size(), 2U * kThreads * kRounds);
}

TEST(Histogram, has_buckets_of_powers_of_two) {
  LockHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0ns);
  for (const auto time : {Clock::duration(0ns), Clock::duration(1us), Clock::duration(1001ns), Clock::duration(3ms),
                          Clock::duration(1000h * 1000)}) {
    histogram.add(time);
  }
  EXPECT_EQ(histogram.buckets[0], 2U);
  EXPECT_EQ(histogram.buckets[1], 1U);
  EXPECT_EQ(histogram.buckets[12], 1U);  // up to 4096 us
  EXPECT_EQ(histogram.buckets[LockHistogram::kBuckets - 1], 1U);
  EXPECT_EQ(histogram.count, 5U);
  EXPECT_EQ(histogram.quantile(0.4), 1us);
  EXPECT_EQ(histogram.quantile(0.8), 4096us);
  EXPECT_EQ(histogram.quantile(1), Clock::duration::max());
}

TEST_F(ShippedHandlers, alarm_reports_a_slow_hold_once_and_names_its_holder) {
  Notes reports;
  std::atomic<std::int64_t> thread = 0;
  auto alarm = std::make_shared<SlowHoldAlarm>(10ms, [&](const auto& slow) {
    thread = slow.held.thread();
    reports.add(slow.message());
  });
  auto client = connect({alarm}, "monthly run");
  {
    const auto slow = client.mutex("orders/1").acquire();
    ASSERT_TRUE(eventually(kSoon, [&] { return reports.told().size() == 1; }));
    EXPECT_EQ(thread.load(), watcher_.inspect("orders/1").tickets.at(0).card.thread);
    EXPECT_EQ(reports.take(), Told{"/orders/1 has been held for more than 10 ms by thread " + std::to_string(thread) +
                                   ": monthly run"});
    // If the first were reported again, that would come before this one.
    const auto second = client.mutex("orders/2").acquire();
    ASSERT_TRUE(eventually(kSoon, [&] { return !reports.told().empty(); }));
    EXPECT_TRUE(reports.told().at(0).starts_with("/orders/2 ")) << reports.told().at(0);
  }
  EXPECT_EQ(reports.told().size(), 1U);
}

TEST_F(ShippedHandlers, alarm_is_silent_about_holds_that_end_in_time) {
  Notes reports;
  auto client = connect({std::make_shared<SlowHoldAlarm>(1h, [&](const auto& slow) { reports.add(slow.message()); })});
  auto mutex = client.mutex("orders/1");
  for (int i = 0; i < 100; ++i) const std::scoped_lock hold(mutex);
  EXPECT_EQ(reports.told(), Told{});
}

TEST_F(ShippedHandlers, alarm_goes_by_settings_of_names) {
  Notes reports;
  auto rules = std::make_shared<LockRules>(
      std::vector<LockRules::Rule>{{"orders/*", {.slow_hold = 10ms}}, {"nightly", {.slow_hold = 0ms}}});
  auto client =
      connect({std::make_shared<SlowHoldAlarm>(rules, [&](const auto& slow) { reports.add(slow.held.name()); })});
  const auto other = client.mutex("other").acquire();
  const auto nightly = client.mutex("nightly").acquire();
  const auto order = client.mutex("orders/1").acquire();
  EXPECT_TRUE(eventually(kSoon, [&] { return !reports.told().empty(); }));
  EXPECT_EQ(reports.told(), Told{"orders/1"});
}

// The library's log goes to stderr, as this program has registered no logger.
TEST_F(ShippedHandlers, alarm_of_a_client_of_a_file_warns_in_the_log) {
  const TempDir directory;
  const auto said = directory.path() / "stderr";
  std::ofstream(directory.path() / "settings.yaml") << "url: '" << url_ << "'\nlocks: {orders/*: {slow-hold: 10ms}}\n";
  const auto text = [&] {
    std::ifstream file(said);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const int before = ::dup(STDERR_FILENO);
  const int file = ::open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_GE(::dup2(file, STDERR_FILENO), 0);
  {
    auto client = Client::from_file(directory.path() / "settings.yaml");
    const auto lease = client.mutex("orders/1").acquire();
    EXPECT_TRUE(eventually(kSoon, [&] {
      return text().find("/orders/1 has been held for more than 10 ms") != std::string::npos;
    })) << text();
  }
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(file);
}

TEST_F(ShippedHandlers, rules_deny_by_name_and_say_which_rule) {
  auto client = connect(
      {std::make_shared<NameRules>(NameRules::Patterns{.allow = {"orders/**", "audit"}, .deny = {"orders/secret/*"}})});
  EXPECT_TRUE(client.mutex("orders/1").try_acquire());
  EXPECT_TRUE(client.mutex("audit").try_acquire());
  const auto denied = client.mutex("orders/secret/1").try_acquire();
  EXPECT_EQ(denied.error(), Errc::refused);
  EXPECT_EQ(denied.message(), "orders/secret/1 may not be locked by this client: its rules deny orders/secret/*");
  const auto other = client.multi_lock({{"orders/1"}, {"billing"}}).try_acquire();
  EXPECT_EQ(other.error(), Errc::refused);
  EXPECT_EQ(other.message(), "billing may not be locked by this client: its rules allow only orders/**, audit");
  EXPECT_TRUE(eventually(kSoon, [&] { return watcher_.inspect_all().empty(); }));
  EXPECT_THROW(NameRules({.deny = {"orders//1"}}), Error);
}

TEST_F(ShippedHandlers, gate_lets_as_many_threads_in_as_it_is_wide) {
  auto gate = std::make_shared<LocalGate>("orders/*", 2);
  // Two clients, as one client would share a ticket.
  auto first = connect({gate});
  auto second = connect({gate});
  auto third = connect({gate});
  auto held = std::make_optional(first.mutex("orders/1").acquire());
  std::atomic<int> acquired = 0;
  {
    const std::jthread waits([&] {
      const auto lease = second.mutex("orders/1").acquire();
      ++acquired;
    });
    ASSERT_TRUE(eventually(kSoon, [&] { return watcher_.inspect("orders/1").tickets.size() == 2; }));
    const auto refused = third.mutex("orders/1").try_acquire();
    EXPECT_EQ(refused.error(), Errc::timed_out);
    EXPECT_EQ(refused.message(), "timed out: 2 of this program's threads are before us at the gate of orders/1");
    EXPECT_FALSE(third.mutex("orders/1").try_lock_for(10ms));
    const std::jthread waits_here([&] {
      const auto lease = third.mutex("orders/1").acquire();
      ++acquired;
    });
    ASSERT_TRUE(eventually(kSoon, [&] { return gate->waiting() == 1; }));
    EXPECT_EQ(watcher_.inspect("orders/1").tickets.size(), 2U) << "the third waits here, unknown to the service";
    EXPECT_TRUE(third.mutex("orders/2").try_acquire()) << "each name has a gate of its own";
    EXPECT_TRUE(watcher_.mutex("other").try_acquire());
    held.reset();
  }
  EXPECT_EQ(acquired.load(), 2);
  EXPECT_EQ(gate->waiting(), 0U);
}

TEST_F(ShippedHandlers, gate_ends_a_wait_at_a_stop_and_when_the_client_is_closed) {
  auto gate = std::make_shared<LocalGate>("**");
  auto client = connect({gate});
  auto other = connect({gate});
  const auto held = client.mutex("orders/1").acquire();
  std::stop_source stop;
  {
    const std::jthread waits([&] {
      const auto result = other.mutex("orders/1").try_acquire_for(1h, stop.get_token());
      EXPECT_EQ(result.error(), Errc::cancelled);
      EXPECT_EQ(result.message(), "the caller asked to stop");
    });
    EXPECT_TRUE(eventually(kSoon, [&] { return gate->waiting() == 1; }));
    stop.request_stop();
  }
  const std::jthread waits([&] {
    const auto result = other.mutex("orders/1").try_acquire_for(1h);
    EXPECT_EQ(result.error(), Errc::cancelled);
    EXPECT_EQ(result.message(), "the client was closed");
  });
  EXPECT_TRUE(eventually(kSoon, [&] { return gate->waiting() == 1; }));
  other.close();
}

TEST_F(ShippedHandlers, gate_tells_a_thread_that_would_wait_for_itself) {
  auto client = connect({std::make_shared<LocalGate>("**")});
  auto mutex = client.mutex("orders/1");
  auto again = client.mutex("orders/1");
  const std::scoped_lock hold(mutex);
  try {
    again.lock();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::deadlock);
  }
}

TEST_F(ShippedHandlers, gate_does_not_stop_readers_and_downgrades) {
  auto client = connect({std::make_shared<LocalGate>("**")});
  auto shared = client.shared_mutex("orders/1");
  shared.lock();
  shared.lock_shared();
  shared.unlock();
  EXPECT_TRUE(client.shared_mutex("orders/1").try_acquire_shared_for(kSoon));
  shared.unlock_shared();
}

TEST_F(ShippedHandlers, trace_is_on_the_card_of_holder_and_waiter) {
  thread_local std::string current;
  auto client = connect({std::make_shared<TraceContext>([] { return current; })}, "monthly run");
  current = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto lease = client.mutex("orders/1").acquire();
  const auto card = watcher_.inspect("orders/1").tickets.at(0).card;
  EXPECT_EQ(card.trace, current);
  EXPECT_EQ(card.purpose, "monthly run");
  current.clear();
  const auto other = client.mutex("orders/2").acquire();
  EXPECT_EQ(watcher_.inspect("orders/2").tickets.at(0).card.trace, "");
  current = std::string(AcquireRequest::kMostText - 1, 'x') + "\u00e9";
  const auto third = client.mutex("orders/3").acquire();
  EXPECT_EQ(watcher_.inspect("orders/3").tickets.at(0).card.trace, std::string(AcquireRequest::kMostText - 1, 'x'));
}

TEST(ShippedHandlersAlone, refuse_what_makes_no_sense) {
  EXPECT_THROW(AccessLog(AccessLog::Sink()), Error);
  EXPECT_THROW(SlowHoldAlarm(0ms), Error);
  EXPECT_THROW(SlowHoldAlarm(std::shared_ptr<const LockRules>()), Error);
  EXPECT_THROW(LocalGate("orders/*", 0), Error);
  EXPECT_THROW(LocalGate("orders//*"), Error);
  EXPECT_THROW(LockCounters(""), Error);
  EXPECT_THROW(TraceContext(nullptr), Error);
}

}  // namespace
}  // namespace holdfast::testing
