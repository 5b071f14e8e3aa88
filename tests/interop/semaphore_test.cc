// Permits of one semaphore in the hands of all makes.
#include <future>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Permits : public Interop {
 protected:
  [[nodiscard]] bool permits_become(std::size_t count) {
    return eventually(kSoon, [&] { return queue(leases()).size() == count && queue(locks()).empty(); });
  }
  // In the middle of an acquire: nobody else can get further than that.
  [[nodiscard]] bool somebody_waits() {
    return eventually(kSoon, [&] { return !queue(locks()).empty(); });
  }
};

struct Roles {
  Make holder;
  Make other_holder;
  Make waiter;
};

std::string name_of(const ::testing::TestParamInfo<Roles>& instance) {
  return std::string(to_string(instance.param.holder)) + "_" + to_string(instance.param.other_holder) + "_before_" +
         to_string(instance.param.waiter);
}

class FullSemaphore : public Permits, public ::testing::WithParamInterface<Roles> {};

TEST_P(FullSemaphore, lets_the_third_in_when_either_of_the_two_inside_leaves) {
  auto& one = start(GetParam().holder, "semaphore:2");
  auto& two = start(GetParam().other_holder, "semaphore:2");
  auto& three = start(GetParam().waiter, "semaphore:2");
  one.acquire();
  two.acquire();
  EXPECT_EQ(three.acquire_within(kShortWait), std::nullopt);
  ASSERT_TRUE(permits_become(2)) << "who gave up left something behind";

  three.send("acquire");
  ASSERT_TRUE(somebody_waits());
  one.release();
  three.expect("acquired ");
  ASSERT_TRUE(permits_become(2));

  one.send("acquire");
  ASSERT_TRUE(somebody_waits());
  EXPECT_EQ(one.reply(kShortWait), std::nullopt) << "three inside";
  two.release();
  one.expect("acquired ");
  one.release();
  one.acquire();  // a permit is free: nobody waits
  three.release();
  one.acquire();  // and the same process may take both
  EXPECT_TRUE(permits_become(2));
  EXPECT_EQ(two.acquire_within(kShortWait), std::nullopt);
  one.release();
  one.release();
  EXPECT_TRUE(permits_become(0));
}

INSTANTIATE_TEST_SUITE_P(All, FullSemaphore,
                         ::testing::Values(Roles{Make::holdfast, Make::curator, Make::kazoo},
                                           Roles{Make::curator, Make::kazoo, Make::holdfast},
                                           Roles{Make::kazoo, Make::holdfast, Make::curator}),
                         name_of);

class KilledHolder : public Permits, public ::testing::WithParamInterface<Roles> {};

TEST_P(KilledHolder, of_a_permit_leaves_it_to_who_waits) {
  auto& victim = start(GetParam().holder, "semaphore:2", kVictimSession);
  auto& other = start(GetParam().other_holder, "semaphore:2");
  auto& waiter = start(GetParam().waiter, "semaphore:2");
  other.acquire();
  victim.acquire();
  waiter.send("acquire");
  ASSERT_TRUE(somebody_waits());
  victim.kill9();
  const auto killed = Peer::Clock::now();
  waiter.expect("acquired ");
  EXPECT_GE(Peer::Clock::now() - killed, kVictimSession / 2) << "a hold that was not respected, see kill_test.cc";
  EXPECT_TRUE(permits_become(2));
}

INSTANTIATE_TEST_SUITE_P(All, KilledHolder,
                         ::testing::Values(Roles{Make::holdfast, Make::kazoo, Make::curator},
                                           Roles{Make::curator, Make::kazoo, Make::holdfast},
                                           Roles{Make::kazoo, Make::holdfast, Make::holdfast}),
                         name_of);

// Who waits for a permit stands in the way of all behind it.
class KilledWaiter : public Permits, public ::testing::WithParamInterface<Roles> {};

TEST_P(KilledWaiter, for_a_permit_makes_way_for_the_next) {
  auto& holder = start(GetParam().holder, "semaphore:1");
  auto& victim = start(GetParam().other_holder, "semaphore:1", kVictimSession);
  auto& heir = start(GetParam().waiter, "semaphore:1");
  holder.acquire();
  victim.send("acquire");
  ASSERT_TRUE(somebody_waits());
  heir.send("acquire");
  ASSERT_TRUE(eventually(kSoon, [&] { return queue(locks()).size() == 2; }));
  victim.kill9();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue(locks()).size() == 1; }));
  EXPECT_EQ(heir.reply(kShortWait), std::nullopt) << "two inside";
  holder.release();
  heir.expect("acquired ");
  EXPECT_TRUE(permits_become(1));
}

INSTANTIATE_TEST_SUITE_P(All, KilledWaiter,
                         ::testing::Values(Roles{Make::kazoo, Make::holdfast, Make::curator},
                                           Roles{Make::kazoo, Make::curator, Make::holdfast}),
                         [](const auto& instance) {
                           return std::string(to_string(instance.param.other_holder)) + "_before_" +
                                  to_string(instance.param.waiter);
                         });

class SeveralPermits : public Permits {};

TEST_F(SeveralPermits, of_ours_are_taken_when_curator_has_left_enough_and_given_back_together) {
  auto& curator = start(Make::curator, "semaphore:4");
  curator.acquire();
  curator.acquire();
  auto client = connect();
  auto semaphore = client.semaphore(kPath, 4);
  EXPECT_EQ(semaphore.try_acquire_for(kShortWait, 3).error(), Errc::timed_out);
  ASSERT_TRUE(permits_become(2)) << "some were kept";

  auto lease = std::async(std::launch::async, [&] { return semaphore.acquire(3); });
  ASSERT_TRUE(somebody_waits());
  EXPECT_EQ(lease.wait_for(kShortWait), std::future_status::timeout);
  curator.release();
  auto three = lease.get();
  ASSERT_TRUE(permits_become(4));
  EXPECT_EQ(curator.acquire_within(kShortWait), std::nullopt);
  EXPECT_FALSE(three.release());
  curator.acquire();
  EXPECT_TRUE(permits_become(2));
}

class SharedPermits : public Permits {
 protected:
  static constexpr const char* kKind = "semaphore-shared-count:/interop/permits";

  void can_be_changed(Make changer_make, Make waiter_make) {
    auto& changer = start(changer_make, kKind);
    auto& waiter = start(waiter_make, kKind);
    changer.set_count(1);
    changer.acquire();
    waiter.send("acquire");
    ASSERT_TRUE(somebody_waits());
    EXPECT_EQ(waiter.reply(kShortWait), std::nullopt);
    changer.set_count(2);
    waiter.expect("acquired ");
    EXPECT_TRUE(permits_become(2));

    changer.set_count(1);
    EXPECT_EQ(queue(leases()).size(), 2U) << "permits that are held stay so";
    waiter.release();
    // Curator learns a moment later that it is one less.
    EXPECT_TRUE(eventually(kSoon, [&] {
      const bool acquired = waiter.acquire_within(kShortWait).has_value();
      if (acquired) waiter.release();
      return !acquired;
    }));
    changer.release();
    waiter.acquire();
  }
};

TEST_F(SharedPermits, raised_by_curator_wake_ours) { can_be_changed(Make::curator, Make::holdfast); }
TEST_F(SharedPermits, raised_by_ours_wake_curator) { can_be_changed(Make::holdfast, Make::curator); }
TEST_F(SharedPermits, raised_by_ours_wake_ours) { can_be_changed(Make::holdfast, Make::holdfast); }

TEST_F(SharedPermits, are_the_number_that_curator_wrote) {
  start(Make::curator, kKind).set_count(70'000);
  auto client = connect();
  auto count = client.shared_count("/interop/permits", 3);
  EXPECT_EQ(count.get(), 70'000);
  count.set(258);
  EXPECT_EQ(node("/interop/permits")->data, std::string("\0\0\1\2", 4));
}

}  // namespace
}  // namespace holdfast::testing
