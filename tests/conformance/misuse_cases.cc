// docs/semantics.md, "Deadlines", "Names" and "Misuse": extremes, names of all kinds, and objects that were moved from.
#include <dirent.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Extremes = Conformance;
using Names = Conformance;
using MovedFrom = Conformance;
using ReleaseFor = Conformance;
using Closed = Conformance;
using Threads = Conformance;

namespace {

// Those that have begun to wait, and are stopped.
struct Waits {
  std::vector<std::future<std::error_code>> calls;
  std::stop_source stop;

  template <class F>
  void begin(F call) {
    calls.push_back(std::async(std::launch::async, [this, call] { return call(stop.get_token()).error(); }));
  }
  // None has ended by itself; all do when they are told to.
  void expect_patience() {
    for (auto& call : calls) EXPECT_EQ(call.wait_for(0s), std::future_status::timeout);
    stop.request_stop();
    for (auto& call : calls) EXPECT_EQ(call.get(), Errc::cancelled);
  }
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* const all = ::opendir("/proc/self/fd");
  while (::readdir(all) != nullptr) ++count;
  ::closedir(all);
  return count;
}

}  // namespace

TEST_F(Extremes, a_wait_that_never_ends_does_not_end) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto holding = first.mutex("a");
  const auto lease = holding.acquire();
  auto permits = first.semaphore("s", 1);
  const auto permit = permits.acquire();
  auto second = connect({.hand_over = {.count = 0}, .deadlocks = DeadlockDetection::off});
  auto mutex = second.mutex("a");
  auto semaphore = second.semaphore("s", 1);
  Waits waits;
  const auto begin_until = [&](auto deadline) {
    waits.begin([&, deadline](std::stop_token stop) { return mutex.try_acquire_until(deadline, stop); });
    waits.begin([&, deadline](std::stop_token stop) { return semaphore.try_acquire_until(deadline, 1, stop); });
  };
  const auto begin_for = [&](auto timeout) {
    waits.begin([&, timeout](std::stop_token stop) { return mutex.try_acquire_for(timeout, stop); });
    waits.begin([&, timeout](std::stop_token stop) { return semaphore.try_acquire_for(timeout, 1, stop); });
  };
  begin_until(Clock::time_point::max());
  begin_until(std::chrono::steady_clock::time_point::max());
  begin_until(std::chrono::system_clock::time_point::max());
  begin_for(std::chrono::nanoseconds::max());
  begin_for(std::chrono::hours::max());
  begin_for(std::chrono::duration<double>(std::numeric_limits<double>::infinity()));
  // Their tickets are in the queue: whatever would have ended at once has had its time.
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 2; }));
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length(world_->semaphore("s").turns) >= 1; }));
  std::this_thread::yield();
  waits.expect_patience();
}

TEST_F(Extremes, a_deadline_of_the_past_is_a_try) {
  auto first = connect();
  auto second = connect();
  auto holding = first.mutex("a");
  auto mutex = second.mutex("a");
  const auto expect_try = [&](auto attempt) {
    EXPECT_TRUE(attempt());
    EXPECT_FALSE(mutex.release_for(kSoon));
    auto lease = holding.acquire();
    EXPECT_FALSE(attempt());
    EXPECT_FALSE(lease.release_for(kSoon));  // so that the next try finds it free
  };
  expect_try([&] { return mutex.try_lock_until(Clock::time_point::min()); });
  expect_try([&] { return mutex.try_lock_until(std::chrono::steady_clock::time_point::min()); });
  expect_try([&] { return mutex.try_lock_until(std::chrono::system_clock::time_point::min()); });
  expect_try([&] { return mutex.try_lock_for(std::chrono::hours::min()); });
  expect_try([&] { return mutex.try_lock_for(std::chrono::duration<double>(std::numeric_limits<double>::lowest())); });
  expect_try([&] { return mutex.try_lock_for(std::chrono::duration<float>(std::numeric_limits<float>::quiet_NaN())); });
  EXPECT_EQ(mutex.release_for(std::chrono::hours::min()), Errc::not_owner);
}

TEST_F(Extremes, releasing_takes_every_timeout) {
  auto client = connect();
  auto mutex = client.mutex("a");
  for (const auto timeout : {std::chrono::hours::max(), std::chrono::hours(1)}) {
    EXPECT_EQ(mutex.acquire().release_for(timeout), std::error_code());
    mutex.lock();
    EXPECT_EQ(mutex.release_for(timeout), std::error_code());
  }
  EXPECT_EQ(mutex.acquire().release_until(std::chrono::system_clock::time_point::max()), std::error_code());
  // Not waited for; it is on its way.
  mutex.lock();
  EXPECT_NE(mutex.release_until(std::chrono::system_clock::time_point::min()), Errc::not_owner);
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") == 0; }));
}

TEST_F(Names, of_every_script_work_and_are_shown_as_they_were_given) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto rival = connect();
  std::set<std::string> nodes;
  for (const std::string name :
       {"\xf0\x9f\x94\x92", "shop/\xf0\xa0\xae\xb7野家/\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "\\u{1f512}",
        "\\u{5c}u{1f512}", "C:\\temp", "100%", "\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80"}) {
    auto mutex = client.mutex(name);
    auto result = mutex.try_acquire_for(kSoon);
    ASSERT_TRUE(result) << name << ": " << result.message();
    EXPECT_EQ(rival.mutex(name).try_acquire().error(), Errc::timed_out) << name;
    EXPECT_TRUE(nodes.insert(mutex.path()).second) << name << " is the node of another name";
    EXPECT_EQ(rival.inspect(name).tickets.size(), 1U) << name;
    const auto all = rival.inspect_all();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const LockInfo& lock) { return lock.name == name; })) << name;
  }
  EXPECT_EQ(client.shared_count("count/\xf0\x9f\x94\xa2", 5).get(), 5);
  auto semaphore = client.semaphore("\xf0\x9f\x9a\xa6", 2);
  EXPECT_TRUE(semaphore.try_acquire_for(kSoon));
}

TEST_F(Names, of_512_bytes_work_whatever_they_are_made_of) {
  auto client = connect();
  std::string name;
  while (name.size() + 4 <= 512) name += "\xf0\x9f\x94\x92";
  for (const auto& each : {name, std::string(512, 'a'), "/" + std::string(512, 'b')}) {
    auto mutex = client.mutex(each);
    EXPECT_TRUE(mutex.try_lock_for(kSoon));
    mutex.unlock();
  }
  EXPECT_EQ(code_of([&] { client.mutex(name + "a"); }), Errc::invalid_argument);
}

TEST_F(MovedFrom, objects_answer_with_an_error) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto mutex = client.mutex("a");
  auto shared = client.shared_mutex("b");
  auto semaphore = client.semaphore("c", 1);
  auto count = client.shared_count("d", 1);
  auto lease = client.mutex("e").acquire();
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  const auto there = std::tuple(std::move(mutex), std::move(shared), std::move(semaphore), std::move(count));
  EXPECT_EQ(code_of([&] { mutex.lock(); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { mutex.try_lock(); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { mutex.try_lock_for(1h); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)mutex.acquire(); }), Errc::invalid_argument);
  EXPECT_EQ(mutex.try_acquire().error(), Errc::invalid_argument);
  EXPECT_NE(mutex.try_acquire().message().find("moved from"), std::string::npos);
  EXPECT_EQ(mutex.release(), Errc::invalid_argument);
  EXPECT_EQ(mutex.release_for(1h), Errc::invalid_argument);
  mutex.unlock();
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(mutex.path(), "");
  EXPECT_EQ(code_of([&] { shared.lock_shared(); }), Errc::invalid_argument);
  EXPECT_EQ(shared.release_shared(), Errc::invalid_argument);
  EXPECT_FALSE(shared.is_shared_by_this_thread());
  EXPECT_EQ(semaphore.try_acquire().error(), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)semaphore.acquire(); }), Errc::invalid_argument);
  EXPECT_EQ(semaphore.path(), "");
  EXPECT_EQ(code_of([&] { (void)count.get(); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { count.set(1); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.semaphore("c", count); }), Errc::invalid_argument);
  Lease other = std::move(lease);
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.release_for(1h), std::error_code());
  EXPECT_EQ(code_of([&] { client.commit(lease, Transaction().set("/a", "b")); }), Errc::session_lost);
  auto moved = std::move(client);
  EXPECT_EQ(code_of([&] { (void)client.mutex("a"); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.shared_mutex("a"); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.multi_lock({{"a"}}); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.semaphore("a", 1); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.shared_count("a", 1); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.revoke("a", 1s); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.inspect("a"); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.inspect_all(); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { client.commit(other, Transaction().set("/a", "b")); }), Errc::invalid_argument);
  EXPECT_EQ(client.state(), ConnectionState::closed);
  client.close();
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_TRUE(other.is_held()) << "closing what was moved from closes nothing";
}

// Right after unlock() it often fails, because the release is not waited for.
TEST_F(ReleaseFor, of_every_lock_lets_a_try_of_another_client_succeed) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mutex = first.mutex("a");
  auto shared = first.shared_mutex("b");
  auto several = first.multi_lock({{"a"}, {"b"}});
  auto once = first.non_reentrant_mutex("a");
  auto theirs = second.mutex("a");
  auto also_theirs = second.mutex("b");
  const auto expect_free = [&](Mutex& lock) {
    ASSERT_TRUE(lock.try_lock());
    ASSERT_EQ(lock.release_for(kSoon), std::error_code());
  };
  for (int round = 0; round < 50; ++round) {
    mutex.lock();
    ASSERT_EQ(mutex.release_for(kSoon), std::error_code());
    expect_free(theirs);
    shared.lock();
    ASSERT_EQ(shared.release_until(Clock::now() + kSoon), std::error_code());
    expect_free(also_theirs);
    shared.lock_shared();
    ASSERT_EQ(shared.release_shared_for(kSoon), std::error_code());
    expect_free(also_theirs);
    several.lock();
    ASSERT_EQ(several.release_for(kSoon), std::error_code());
    expect_free(theirs);
    expect_free(also_theirs);
    once.lock();
    ASSERT_EQ(once.release_for(kSoon), std::error_code());
    expect_free(theirs);
  }
}

TEST_F(ReleaseFor, waits_only_for_the_last_of_several_entries) {
  auto client = connect();
  auto mutex = client.mutex("a");
  mutex.lock();
  mutex.lock();
  EXPECT_EQ(mutex.release_for(kSoon), std::error_code());
  EXPECT_TRUE(mutex.is_held_by_this_thread());
  EXPECT_EQ(mutex.release_for(kSoon), std::error_code());
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(mutex.release_for(kSoon), Errc::not_owner);
}

TEST_F(Closed, a_client_keeps_no_descriptor_though_its_locks_live_on) {
  std::vector<Mutex> mutexes;
  {
    auto client = connect();  // the first may open what stays open for all
    auto mutex = client.mutex("a");
    mutexes.push_back(std::move(mutex));
  }
  const auto before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    auto client = connect();
    auto mutex = client.mutex("a");
    mutex.lock();
    mutex.unlock();
    mutexes.push_back(std::move(mutex));
  }
  EXPECT_EQ(open_descriptors(), before);
  for (auto& mutex : mutexes) EXPECT_EQ(mutex.try_acquire().error(), Errc::cancelled);
}

TEST_F(Threads, of_the_library_are_named_and_block_the_signals_of_the_program) {
  const auto threads = [] {
    std::map<std::string, std::string> masks;  // by the thread's name and number
    DIR* const all = ::opendir("/proc/self/task");
    while (const auto* entry = ::readdir(all)) {
      std::ifstream status(std::string("/proc/self/task/") + entry->d_name + "/status");
      std::string name;
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Name:\t")) name = line.substr(6);
        if (line.starts_with("SigBlk:\t")) masks[name + "#" + entry->d_name] = line.substr(8);
      }
    }
    ::closedir(all);
    return masks;
  };
  const auto before = threads();
  auto client = connect({.listener = [](ConnectionState) {}});
  auto mutex = client.mutex("a");
  mutex.lock();
  const auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  // A thread has its name as soon as it runs.
  ASSERT_TRUE(eventually(kSoon, [&] {
    auto named = threads();
    std::erase_if(named, [&](const auto& entry) { return before.contains(entry.first); });
    return named.size() >= 3 &&
           std::all_of(named.begin(), named.end(), [](const auto& entry) { return entry.first.starts_with("hf-"); });
  }));
  for (const auto& [thread, mask] : threads()) {
    if (before.contains(thread)) continue;
    const auto blocked = std::stoull(mask, nullptr, 16);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD}) {
      EXPECT_NE(blocked & bit(signal), 0U) << thread << " " << signal;
    }
    EXPECT_EQ(blocked & bit(SIGSEGV), 0U) << thread;
  }
}

}  // namespace holdfast::testing
