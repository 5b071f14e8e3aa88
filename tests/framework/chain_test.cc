// The chain of handlers: who is told, in which order, and what is left when one of them throws. In memory.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "recorder.h"
#include "support/eventually.h"
#include "support/forked_child.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 20s;

// What a test wants one handler to do.
struct Around : LockHandler {
  using Acquire = std::function<AcquireOutcome(const AcquireRequest&, const AcquireNext&)>;
  explicit Around(Acquire how) : acquire_(std::move(how)) {}
  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override {
    return acquire_(request, next);
  }
  Acquire acquire_;
};

std::shared_ptr<Around> around(Around::Acquire how) { return std::make_shared<Around>(std::move(how)); }

class Handlers : public ::testing::Test {
 protected:
  Client connect(std::vector<std::shared_ptr<LockHandler>> handlers) {
    return Client::connect(url_, {.handlers = std::move(handlers)});
  }
  std::shared_ptr<Recorder> recorder(std::string name, Recorder::Throws throws = Recorder::Throws::never) {
    return std::make_shared<Recorder>(std::move(name), notes_, throws);
  }
  // By the service's own word. A release is sent, and not waited for.
  bool nothing_is_left(std::string_view name) {
    return eventually(kSoon, [&] { return watcher_.inspect(name).tickets.empty(); });
  }

  static inline std::atomic<int> last_ = 0;
  const std::string url_ = "memory:handlers-" + std::to_string(++last_);
  Notes notes_;
  Client watcher_ = Client::connect(url_);
};

const Told kOneRound = {"a: acquire orders/1", "b: acquire orders/1", "b: acquired", "a: acquired",
                        "a: release orders/1", "b: release orders/1", "b: released", "a: released"};

TEST_F(Handlers, stand_around_an_acquire_and_a_release_in_their_order) {
  auto client = connect({recorder("a"), recorder("b")});
  auto mutex = client.mutex("orders/1");
  { const std::scoped_lock hold(mutex); }
  EXPECT_EQ(notes_.take(), kOneRound);
  { const auto lease = mutex.acquire(); }
  EXPECT_EQ(notes_.take(), kOneRound);
}

TEST_F(Handlers, are_told_of_every_way_to_a_lock) {
  auto client = connect({recorder("a"), recorder("b")});
  const auto is_one_round = [&](const char* what) { EXPECT_EQ(notes_.take(), kOneRound) << what; };
  auto mutex = client.mutex("orders/1");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  is_one_round("try_lock, unlock");
  ASSERT_TRUE(mutex.try_lock_for(kSoon));
  EXPECT_EQ(mutex.release(), std::error_code());
  is_one_round("try_lock_for, release");
  ASSERT_TRUE(mutex.try_lock_for(kSoon));
  EXPECT_EQ(mutex.release_for(kSoon), std::error_code());
  is_one_round("try_lock_for, release_for");
  EXPECT_EQ(mutex.try_acquire().lease().release(), std::error_code());
  is_one_round("try_acquire");
  EXPECT_EQ(mutex.try_acquire_for(kSoon).lease().release_for(kSoon), std::error_code());
  is_one_round("try_acquire_for, release_for");
  { const auto lease = client.non_reentrant_mutex("orders/1").acquire(); }
  is_one_round("NonReentrantMutex");
  auto shared = client.shared_mutex("orders/1");
  { const auto lease = shared.acquire(); }
  is_one_round("SharedMutex to write");
  { const auto lease = shared.acquire_shared(); }
  is_one_round("SharedMutex to read");
  { const auto lease = client.multi_lock({{"orders/1"}, {"orders/2"}}).acquire(); }
  is_one_round("MultiLock");
  { const auto lease = client.semaphore("orders/1", 3).acquire(2); }
  is_one_round("Semaphore");
}

TEST_F(Handlers, see_which_lock_it_is) {
  std::vector<std::string> seen;
  auto client = connect({around([&](const auto& request, const auto& next) {
    std::string all;
    for (const auto& name : request.names()) all += name + " ";
    seen.push_back(all + request.path() + " " + std::to_string(static_cast<int>(request.mode())) + " " +
                   std::to_string(request.permits()) + (request.bound_to_thread() ? " bound" : ""));
    return next(request);
  })});
  client.mutex("/a").lock();
  { const auto lease = client.shared_mutex("b").acquire_shared(); }
  { const auto lease = client.semaphore("c", 3).acquire(2); }
  { const auto lease = client.multi_lock({{"d"}, {"e"}}).acquire(); }
  EXPECT_EQ(seen, (Told{"a /a 0 1 bound", "b /b 2 1", "c /c 3 2", "d e /d 0 1"}));
}

TEST_F(Handlers, that_are_not_reached_are_told_nothing) {
  auto client = connect({recorder("a"), around([](const auto&, const auto&) -> AcquireOutcome {
                           return {Errc::refused, "not today"};
                         }),
                         recorder("b")});
  auto mutex = client.mutex("orders/1");
  const auto result = mutex.try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_EQ(result.message(), "not today");
  EXPECT_EQ(notes_.take(), (Told{"a: acquire orders/1", "a: not acquired"}));
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, are_told_of_holds_and_not_of_entries) {
  auto client = connect({recorder("a"), recorder("b")});
  auto mutex = client.mutex("orders/1");
  mutex.lock();
  mutex.lock();
  { const auto lease = mutex.acquire(); }
  mutex.unlock();
  EXPECT_EQ(notes_.told().size(), 4U);
  mutex.unlock();
  EXPECT_EQ(notes_.take(), kOneRound);
}

TEST_F(Handlers, that_throw_before_the_lock_is_asked_for_leave_none) {
  auto client = connect({recorder("a"), recorder("b", Recorder::Throws::before_acquire), recorder("c")});
  auto mutex = client.mutex("orders/1");
  EXPECT_THROW(mutex.lock(), std::runtime_error);
  EXPECT_EQ(notes_.take(),
            (Told{"a: acquire orders/1", "b: acquire orders/1", "b: error orders/1", "a: error orders/1"}));
  EXPECT_THROW((void)mutex.try_acquire(), std::runtime_error);
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, that_throw_after_the_lock_was_acquired_leave_none) {
  auto client = connect({recorder("a"), recorder("b", Recorder::Throws::after_acquire), recorder("c")});
  auto mutex = client.mutex("orders/1");
  EXPECT_THROW(mutex.lock(), std::runtime_error);
  EXPECT_EQ(notes_.take(),
            (Told{"a: acquire orders/1", "b: acquire orders/1", "c: acquire orders/1", "c: acquired", "b: acquired",
                  "c: release orders/1", "c: released", "b: error orders/1", "a: error orders/1"}))
      << "the one that has returned the hold is told that it ends";
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, that_throw_in_release_do_not_keep_the_lock) {
  for (const auto when : {Recorder::Throws::before_release, Recorder::Throws::after_release}) {
    auto client = connect({recorder("a"), recorder("b", when), recorder("c")});
    auto mutex = client.mutex("orders/1");
    mutex.lock();
    notes_.take();
    mutex.unlock();
    auto told = notes_.take();
    // Where the errors come depends on when it threw.
    EXPECT_EQ(std::erase(told, "b: error orders/1"), 1U);
    EXPECT_EQ(std::erase(told, "a: error orders/1"), 1U);
    std::erase(told, "b: released");
    EXPECT_EQ(told, (Told{"a: release orders/1", "b: release orders/1", "c: release orders/1", "c: released",
                          "a: released"}));
    EXPECT_TRUE(nothing_is_left("orders/1"));
    auto lease = mutex.acquire();
    EXPECT_EQ(lease.release(), std::error_code()) << "what release() says is what became of the lock";
    notes_.take();
  }
}

TEST_F(Handlers, that_throw_an_error_fail_the_call_as_it_says) {
  auto client =
      connect({around([](const auto&, const auto&) -> AcquireOutcome { throw Error(Errc::timed_out, "too slow"); })});
  auto mutex = client.mutex("orders/1");
  EXPECT_FALSE(mutex.try_lock_for(kSoon));
  const auto result = mutex.try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.message(), "too slow");
  EXPECT_THROW((void)mutex.acquire(), Error);
}

TEST_F(Handlers, of_a_lost_hold_are_told_once_and_again_when_it_is_let_go_of) {
  auto client = connect({recorder("a"), recorder("b", Recorder::Throws::when_lost), recorder("c")});
  auto mutex = client.mutex("orders/1", {.max_hold = 10ms});
  auto lease = mutex.acquire();
  ASSERT_TRUE(eventually(kSoon, [&] { return notes_.told().size() == 9; }));
  EXPECT_EQ(lease.release(), Errc::session_lost);
  auto told = notes_.take();
  told.erase(told.begin(), told.begin() + 6);
  EXPECT_EQ(told, (Told{"a: lost orders/1", "b: lost orders/1", "c: lost orders/1", "a: release orders/1",
                        "b: release orders/1", "c: release orders/1", "c: was lost", "b: was lost", "a: was lost"}));
}

TEST_F(Handlers, are_told_of_a_loss_by_close) {
  auto client = connect({recorder("a")});
  const auto lease = client.mutex("orders/1").acquire();
  client.close();
  EXPECT_EQ(notes_.take(), (Told{"a: acquire orders/1", "a: acquired", "a: lost orders/1"}));
}

// The loss comes first, and the handler's own acquire() returns after it.
TEST_F(Handlers, are_not_told_of_a_loss_before_the_acquire_has_come_back) {
  auto client = connect({recorder("a"), around([](const auto& request, const auto& next) {
                           auto outcome = next(request);
                           EXPECT_TRUE(eventually(kSoon, [&] { return outcome.lost().stop_requested(); }));
                           return outcome;
                         })});
  const auto lease = client.mutex("orders/1", {.max_hold = 10ms}).acquire();
  EXPECT_EQ(notes_.take(), (Told{"a: acquire orders/1", "a: acquired", "a: lost orders/1"}));
}

TEST_F(Handlers, of_a_lock_object_that_is_destroyed_while_it_is_locked_are_told) {
  auto client = connect({recorder("a"), recorder("b")});
  {
    auto mutex = client.mutex("orders/1");
    mutex.lock();
  }
  EXPECT_EQ(notes_.take(), kOneRound);
}

TEST_F(Handlers, cannot_keep_a_lock_by_forgetting_the_rest_of_a_release) {
  struct Forgetful : LockHandler {
    void release(const HeldLock&, const ReleaseNext&) override {}
  };
  struct Eager : LockHandler {
    void release(const HeldLock&, const ReleaseNext& next) override {
      EXPECT_EQ(next(), std::error_code());
      EXPECT_EQ(next(), std::error_code());
    }
  };
  auto client = connect({std::make_shared<Forgetful>(), recorder("a"), std::make_shared<Eager>(), recorder("b")});
  { const auto lease = client.mutex("orders/1").acquire(); }
  EXPECT_EQ(notes_.take(), kOneRound);
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, may_take_locks_themselves) {
  Client* own = nullptr;
  auto client = connect({recorder("a"), around([&](const auto& request, const auto& next) {
                           if (request.name() == "audit") return next(request);
                           const auto audit = own->mutex("audit").acquire();
                           return next(request);
                         })});
  own = &client;
  { const auto lease = client.mutex("orders/1").acquire(); }
  EXPECT_EQ(notes_.take(), (Told{"a: acquire orders/1", "a: acquire audit", "a: acquired", "a: release audit",
                                 "a: released", "a: acquired", "a: release orders/1", "a: released"}));
}

TEST_F(Handlers, that_ask_for_locks_without_end_are_refused) {
  Client* own = nullptr;
  unsigned deep = 0;
  auto client = connect({around([&](const auto& request, const auto& next) {
    const auto deeper = own->mutex("deeper/" + std::to_string(++deep)).acquire();
    return next(request);
  })});
  own = &client;
  const auto result = client.mutex("orders/1").try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_EQ(result.message(),
            "/deeper/16: the handlers of this client ask for locks that go through handlers, 16 deep; leave out the "
            "names that "
            "they ask for themselves");
  EXPECT_TRUE(eventually(kSoon, [&] { return watcher_.inspect_all().empty(); }));
}

TEST_F(Handlers, may_ask_again) {
  auto rival = watcher_.mutex("orders/1");
  auto held = std::make_optional(rival.acquire());
  auto client = connect({around([&](const auto& request, const auto& next) {
                           auto outcome = next(request);
                           if (outcome) return outcome;
                           held.reset();
                           while (!outcome) outcome = next(request);
                           return outcome;
                         }),
                         recorder("b")});
  EXPECT_TRUE(client.mutex("orders/1").try_acquire());
}

TEST_F(Handlers, that_acquire_twice_keep_one_hold) {
  auto client = connect({around([&](const auto& request, const auto& next) {
                           auto first = next(request);
                           first = {Errc::refused, "given back"};
                           return next(request);
                         }),
                         recorder("b")});
  {
    const auto lease = client.mutex("orders/1").acquire();
    EXPECT_EQ(notes_.take(), (Told{"b: acquire orders/1", "b: acquired", "b: release orders/1", "b: released",
                                   "b: acquire orders/1", "b: acquired"}));
    EXPECT_EQ(watcher_.inspect("orders/1").tickets.size(), 1U);
  }
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, cannot_say_that_there_is_a_hold) {
  EXPECT_THROW(AcquireOutcome({}, "fine"), Error);
  auto client = connect({around([&](const auto& request, const auto& next) {
    auto outcome = next(request);
    const auto stolen = std::move(outcome);
    return outcome;  // NOLINT(bugprone-use-after-move)
  })});
  const auto result = client.mutex("orders/1").try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::invalid_argument);
  EXPECT_EQ(result.message(), "a handler returned an outcome that it has moved away; return that of next()");
  EXPECT_TRUE(nothing_is_left("orders/1"));
}

TEST_F(Handlers, keep_what_the_release_has_to_give_back_until_then) {
  struct Kept {
    explicit Kept(Notes& to) : notes(to) {}
    ~Kept() { notes.add("given back"); }
    Notes& notes;
  };
  bool fails = false;
  auto client = connect({around([&](const auto& request, const auto& next) {
                           auto outcome = next(request);
                           outcome.keep(std::make_shared<Kept>(notes_));
                           if (fails) throw std::runtime_error("after keep()");
                           return outcome;
                         }),
                         recorder("b")});
  auto mutex = client.mutex("orders/1");
  auto lease = mutex.acquire();
  EXPECT_EQ(notes_.take(), (Told{"b: acquire orders/1", "b: acquired"}));
  lease.release();
  EXPECT_EQ(notes_.take(), (Told{"b: release orders/1", "b: released", "given back"}));

  fails = true;
  EXPECT_THROW((void)mutex.acquire(), std::runtime_error);
  EXPECT_EQ(notes_.take(),
            (Told{"b: acquire orders/1", "b: acquired", "b: release orders/1", "b: released", "given back"}));

  fails = false;
  const auto rival = watcher_.mutex("orders/1").acquire();
  EXPECT_FALSE(mutex.try_acquire());
  EXPECT_EQ(notes_.take(), (Told{"b: acquire orders/1", "b: not acquired", "given back"}));
}

TEST_F(Handlers, count_against_the_deadline) {
  auto client = connect({around([](const auto& request, const auto& next) {
    EXPECT_TRUE(eventually(kSoon, [&] { return Clock::now() > request.deadline(); }));
    return next(request);
  })});
  const auto result = client.mutex("orders/1").try_acquire_for(1ms);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.message(),
            "timed out before /orders/1 was asked for: the handlers of this client took all the time");
}

TEST_F(Handlers, can_only_shorten_a_wait) {
  const auto rival = watcher_.mutex("orders/1").acquire();
  auto client = connect({around([](const auto& request, const auto& next) {
    EXPECT_EQ(request.with_deadline(Clock::time_point::max()).deadline(), request.deadline());
    return next(request.with_deadline(Clock::now() + 1ms));
  })});
  auto mutex = client.mutex("orders/1");
  EXPECT_FALSE(mutex.try_lock_for(1h));
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_FALSE(mutex.try_lock());
}

TEST_F(Handlers, hear_that_the_caller_gives_up_and_that_the_client_is_closed) {
  std::atomic<bool> waits = false;
  const auto wait_for = [&](std::function<bool(const AcquireRequest&)> what) {
    return around([&waits, what](const auto& request, const auto&) -> AcquireOutcome {
      waits = true;
      EXPECT_TRUE(eventually(kSoon, [&] { return what(request); }));
      return {Errc::cancelled, "heard it"};
    });
  };
  auto stopped = connect({wait_for([](const auto& request) { return request.stop().stop_requested(); })});
  std::stop_source stop;
  {
    const std::jthread caller([&] {
      EXPECT_EQ(stopped.mutex("orders/1").try_acquire_for(kSoon, stop.get_token()).error(), Errc::cancelled);
    });
    EXPECT_TRUE(eventually(kSoon, [&] { return waits.load(); }));
    stop.request_stop();
  }
  waits = false;
  auto closed = connect({wait_for([](const auto& request) { return request.closed().stop_requested(); })});
  const std::jthread caller(
      [&] { EXPECT_EQ(closed.mutex("orders/1").try_acquire_for(kSoon).error(), Errc::cancelled); });
  EXPECT_TRUE(eventually(kSoon, [&] { return waits.load(); }));
  closed.close();
}

TEST_F(Handlers, are_refused_if_they_make_no_sense) {
  EXPECT_THROW(connect({nullptr}), Error);
  EXPECT_THROW(connect(std::vector<std::shared_ptr<LockHandler>>(LockHandler::kMost + 1, recorder("a"))), Error);
}

TEST_F(Handlers, are_told_nothing_in_a_child_of_fork_and_of_an_object_that_was_moved_from) {
  auto client = connect({recorder("a")});
  auto mutex = client.mutex("orders/1");
  auto other = std::move(mutex);
  EXPECT_THROW(mutex.lock(), Error);  // NOLINT(bugprone-use-after-move)
  auto lease = other.acquire();
  notes_.take();
  const auto child = [&] {
    const bool refused = other.try_acquire().error() == Errc::forked && lease.release() == Errc::forked;
    return refused && notes_.told().empty() ? 0 : 1;
  };
  EXPECT_EQ(in_child(child, ChildEnd::immediately), 0);
  EXPECT_TRUE(lease.is_held());
}

}  // namespace
}  // namespace holdfast::testing
