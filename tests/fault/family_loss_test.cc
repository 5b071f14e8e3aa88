// docs/semantics.md, "Unknown is a state", for readers, writers, several names, permits, revocation, guarded writes and
// lock delays: a request or its reply lost at every single step.
#include <fmt/format.h>

#include <functional>
#include <future>

#include "family_network.h"

namespace holdfast::testing {
namespace {

class FamilyLoss : public FamilyNetwork {
 protected:
  enum class Loss { request, reply };

  struct Stage {
    Client& client;  // behind the proxy
    Client& rival;   // past the faults
    std::string name;
    Loss loss;
    std::function<bool()> struck;
  };
  // What is done while nothing is lost, and returns what is to be done with losses. That must end with a hold or a clean error.
  using Play = std::function<std::function<void()>(Stage&)>;

  // False if there was no such request.
  bool survives_losing(Loss loss, int nth, const std::string& kind, const Play& play) {
    const auto name = fmt::format("{}/{}-{}", kind, loss == Loss::request ? "request" : "reply", nth);
    SCOPED_TRACE(name);
    auto client = connect({.session_timeout = 6s, .retry = RetryPolicy::forever(10ms)});
    auto rival = connect_directly();
    std::optional<Rule> rule;
    Stage stage{client, rival, name, loss, [&] { return rule && rule->fired(); }};
    const auto act = play(stage);
    rule = loss == Loss::request ? proxy_.cut_before({.nth = nth}) : proxy_.cut_after({.nth = nth});
    act();
    expect_nothing_left(name);
    const bool struck = rule->fired();
    rule->cancel();
    expect_free(rival, name);
    return struck;
  }

  // Whatever was lost, nobody is kept out.
  void expect_free(Client& rival, const std::string& name) {
    if (observer_.exists("/" + name + "/leases") == ZOK) {
      const auto entered = rival.semaphore(name, 2).try_acquire_for(kSoon, 2);
      EXPECT_TRUE(entered) << entered.message();
    } else if (observer_.exists("/" + name + "/a") == ZOK) {
      const auto entered = rival.multi_lock({{name + "/a"}, {name + "/b"}, {name + "/c"}}).try_acquire_for(kSoon);
      EXPECT_TRUE(entered) << entered.message();
    } else {
      const auto entered = rival.mutex(name).try_acquire_for(kSoon);
      EXPECT_TRUE(entered) << entered.message();
    }
  }

  void survives_losing_each(const std::string& kind, int at_least, const Play& play) {
    for (const auto loss : {Loss::request, Loss::reply}) {
      int nth = 1;
      while (nth < 40 && !HasFailure() && survives_losing(loss, nth, kind, play)) ++nth;
      EXPECT_GT(nth, at_least) << "hardly a request was lost: the test did nothing";
      EXPECT_LT(nth, 40);
    }
  }

  static void hold_and_release(AcquireResult result) {
    EXPECT_TRUE(result) << result.message();
    EXPECT_TRUE(result.lease().is_held());
    const auto released = result.lease().release_for(20s);
    EXPECT_FALSE(released) << released.message();
  }

  static std::error_code code_of(const std::function<void()>& f, std::string* what = nullptr) {
    try {
      f();
      return {};
    } catch (const Error& error) {
      if (what != nullptr) *what = error.what();
      return error.code();
    }
  }
};

TEST_F(FamilyLoss, a_reader_survives_any) {
  survives_losing_each("read", 3, [](Stage& stage) {
    return [&] { hold_and_release(stage.client.shared_mutex(stage.name).try_acquire_shared_for(20s)); };
  });
}

TEST_F(FamilyLoss, a_writer_survives_any) {
  survives_losing_each("write", 3, [](Stage& stage) {
    return [&] { hold_and_release(stage.client.shared_mutex(stage.name).try_acquire_for(20s)); };
  });
}

TEST_F(FamilyLoss, a_reader_that_waits_for_a_writer_survives_any) {
  survives_losing_each("behind", 4, [this](Stage& stage) {
    auto theirs = std::make_shared<Lease>(stage.rival.shared_mutex(stage.name).acquire());
    return [&, theirs] {
      auto reading = std::async(std::launch::async,
                                [&] { return stage.client.shared_mutex(stage.name).try_acquire_shared_for(20s); });
      EXPECT_TRUE(eventually(kSoon, [&] { return server_.watch_count() > 0 || stage.struck(); }));
      theirs->release();
      hold_and_release(reading.get());
    };
  });
}

TEST_F(FamilyLoss, a_writer_that_becomes_a_reader_survives_any) {
  survives_losing_each("downgrade", 5, [this](Stage& stage) {
    return [&] {
      auto mutex = stage.client.shared_mutex(stage.name);
      auto writing = mutex.try_acquire_for(20s);
      ASSERT_TRUE(writing) << writing.message();
      auto reading = mutex.try_acquire_shared_for(20s);
      ASSERT_TRUE(reading) << reading.message();
      EXPECT_EQ(tickets(stage.name).size(), 2U);
      EXPECT_FALSE(writing.lease().release_for(20s));
      EXPECT_EQ(tickets(stage.name).size(), 1U);
      EXPECT_TRUE(reading.lease().is_held());
      EXPECT_FALSE(stage.rival.shared_mutex(stage.name).try_lock()) << "a writer beside a reader";
      hold_and_release(std::move(reading));
    };
  });
}

TEST_F(FamilyLoss, several_names_at_once_survive_any) {
  survives_losing_each("several", 8, [this](Stage& stage) {
    return [&] {
      const auto& name = stage.name;
      auto multi = stage.client.multi_lock({{name + "/a"}, {name + "/b"}, {name + "/c"}});
      auto result = multi.try_acquire_for(20s);
      for (const auto* part : {"/a", "/b", "/c"}) EXPECT_EQ(tickets(name + part).size(), 1U) << part;
      hold_and_release(std::move(result));
    };
  });
}

TEST_F(FamilyLoss, permits_survive_any) {
  survives_losing_each("permits", 8, [this](Stage& stage) {
    return [&] {
      auto result = stage.client.semaphore(stage.name, 3).try_acquire_for(20s, 2);
      EXPECT_EQ(tickets(stage.name + "/leases").size(), 2U);
      hold_and_release(std::move(result));
    };
  });
}

TEST_F(FamilyLoss, a_wait_for_permits_survives_any) {
  survives_losing_each("waiting", 8, [this](Stage& stage) {
    auto theirs = std::make_shared<Lease>(stage.rival.semaphore(stage.name, 2).acquire());
    return [&, theirs] {
      auto acquiring =
          std::async(std::launch::async, [&] { return stage.client.semaphore(stage.name, 2).try_acquire_for(20s, 2); });
      EXPECT_TRUE(eventually(kSoon, [&] { return server_.watch_count() > 0 || stage.struck(); }));
      theirs->release();
      hold_and_release(acquiring.get());
    };
  });
}

TEST_F(FamilyLoss, permits_of_a_shared_count_survive_any) {
  survives_losing_each("counted", 8, [this](Stage& stage) {
    auto count = std::make_shared<SharedCount>(stage.client.shared_count(stage.name + "/count", 2));
    return [&, count] {
      auto result = stage.client.semaphore(stage.name, *count).try_acquire_for(20s, 2);
      // The count is asked for once: without an answer there is no hold.
      if (result.error() == Errc::not_connected && stage.struck()) {
        EXPECT_NE(result.message().find("/count"), std::string::npos) << result.message();
      } else {
        hold_and_release(std::move(result));
      }
      // If it was the removal of the watch on the count that got lost, the watch is still there; the next acquire removes it.
      if (stage.struck()) {
        ASSERT_TRUE(eventually(kSoon, [&] { return left_below("/" + stage.name).empty(); }));
        hold_and_release(stage.client.semaphore(stage.name, *count).try_acquire_for(20s));
      }
    };
  });
}

TEST_F(FamilyLoss, asking_for_a_lock_back_survives_any) {
  survives_losing_each("revoke", 3, [](Stage& stage) {
    auto theirs = std::make_shared<Lease>(stage.rival.mutex(stage.name).acquire());
    auto giving_back = std::make_shared<std::stop_callback<std::function<void()>>>(
        theirs->revoked(), [held = theirs.get()] { held->release(); });
    return [&, theirs, giving_back] {
      Revocation result;
      std::string what;
      const auto code = code_of([&] { result = stage.client.revoke(stage.name, 300ms); }, &what);
      if (code) {
        EXPECT_TRUE(stage.struck()) << what;
        EXPECT_EQ(code, Errc::not_connected) << what;
        result = stage.rival.revoke(stage.name, kSoon);
        EXPECT_EQ(result.asked, result.gone);
      } else {
        EXPECT_EQ(result.asked, 1U);
        EXPECT_EQ(result.gone, 1U);
      }
    };
  });
}

TEST_F(FamilyLoss, a_guarded_write_says_when_it_does_not_know) {
  survives_losing_each("commit", 1, [this](Stage& stage) {
    auto held = std::make_shared<Lease>(stage.client.mutex(stage.name).acquire());
    return [&, held] {
      const auto path = "/data-" + std::to_string(std::hash<std::string>{}(stage.name));
      std::string what;
      const auto code = code_of([&] { stage.client.commit(*held, Transaction().create(path, "x")); }, &what);
      if (stage.struck()) {
        EXPECT_EQ(code, Errc::not_connected) << what;
        EXPECT_NE(what.find("may or may not"), std::string::npos) << what;
        EXPECT_EQ(observer_.exists(path), stage.loss == Loss::request ? ZNONODE : ZOK);
      } else {
        EXPECT_FALSE(code) << what;
        EXPECT_EQ(observer_.exists(path), ZOK);
      }
      EXPECT_TRUE(held->is_held());
      EXPECT_FALSE(held->release_for(20s));
    };
  });
}

TEST_F(FamilyLoss, a_lock_with_a_delay_survives_any) {
  survives_losing_each("delay", 6, [](Stage& stage) {
    return [&] { hold_and_release(stage.client.mutex(stage.name, {.lock_delay = 50ms}).try_acquire_for(20s)); };
  });
}

TEST_F(FamilyLoss, a_lock_that_waits_out_a_delay_survives_any) {
  survives_losing_each("delayed", 6, [this](Stage& stage) {
    {
      auto dead = connect_directly();
      auto mutex = dead.mutex(stage.name, {.lock_delay = 50ms});
      auto lease = mutex.acquire();
      dead.close();
    }
    EXPECT_EQ(tickets(stage.name).size(), 1U) << "no mark of the dead one";
    return [&] { hold_and_release(stage.client.mutex(stage.name, {.lock_delay = 50ms}).try_acquire_for(20s)); };
  });
}

// One of several tickets was removed while nobody knew whether they had been made. The others must not stay.
TEST_F(FamilyLoss, a_ticket_that_somebody_removed_meanwhile_leaves_no_ghost_of_the_others) {
  for (const std::string removed : {"a", "b", "c"}) {
    SCOPED_TRACE(removed);
    auto client = connect({.session_timeout = 20s, .retry = RetryPolicy::forever(10ms)});
    const auto name = "ghost" + removed;
    auto multi = client.multi_lock({{name + "/a"}, {name + "/b"}, {name + "/c"}});
    multi.lock();
    multi.unlock();
    ASSERT_TRUE(eventually(kSoon, [&] { return left_below("/" + name).empty(); }));
    proxy_.refuse(true);  // from the next connection on
    const auto lost = proxy_.cut_after({.op = Op::multi});
    auto acquiring = std::async(std::launch::async, [&] { return multi.try_acquire_for(20s); });
    ASSERT_TRUE(lost.wait_fired(kSoon));
    const auto queue = name + "/" + removed;
    ASSERT_EQ(tickets(queue).size(), 1U);
    ASSERT_EQ(observer_.remove("/" + queue + "/" + tickets(queue).front()), ZOK);
    proxy_.refuse(false);
    auto result = acquiring.get();
    EXPECT_TRUE(result) << result.message();
    EXPECT_TRUE(eventually(kSoon, [&] { return left_below("/" + name).size() == 3; }))
        << joined(left_below("/" + name));
    hold_and_release(std::move(result));
    expect_nothing_left(name);
  }
}

}  // namespace
}  // namespace holdfast::testing
