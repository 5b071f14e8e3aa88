// Every time point and duration from min to max means what it says: docs/semantics.md, "Deadlines".
#include "holdfast/clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration;
using std::chrono::time_point;

constexpr Clock::time_point kForEver = Clock::time_point::max();
constexpr Clock::time_point kDoNotWait{};

// A clock of the user's, which stands wherever the test puts it.
template <class Duration>
struct UserClock {
  using duration = Duration;
  using rep = typename Duration::rep;
  using period = typename Duration::period;
  using time_point = std::chrono::time_point<UserClock>;
  static constexpr bool is_steady = false;
  static inline time_point at{};
  static time_point now() { return at; }
};

template <class Duration>
void expect_for_ever(Duration timeout) {
  EXPECT_EQ(deadline_after(timeout), kForEver);
}
template <class Duration>
void expect_do_not_wait(Duration timeout) {
  EXPECT_EQ(deadline_after(timeout), kDoNotWait);
}
// `given` is that long.
template <class Duration>
void expect_in(Duration given, Clock::duration length) {
  const auto before = Clock::now();
  const auto deadline = deadline_after(given);
  const auto after = Clock::now();
  EXPECT_GE(deadline, before + length - 1us);
  EXPECT_LE(deadline, after + length + 1us);
}

TEST(Deadline, that_is_too_far_away_to_be_counted_is_for_ever) {
  expect_for_ever(Clock::duration::max());
  expect_for_ever(std::chrono::microseconds::max());
  expect_for_ever(std::chrono::milliseconds::max());
  expect_for_ever(std::chrono::seconds::max());
  expect_for_ever(std::chrono::minutes::max());
  expect_for_ever(std::chrono::hours::max());
  expect_for_ever(std::chrono::years::max());
  expect_for_ever(duration<double>::max());
  expect_for_ever(duration<float, std::milli>::max());
  expect_for_ever(duration<double>(std::numeric_limits<double>::infinity()));
  expect_for_ever(duration<std::uint64_t>::max());
  expect_for_ever(duration<std::uint64_t, std::nano>::max());
  expect_for_ever(duration<std::int8_t, std::ratio<std::int64_t{1} << 30>>::max());
  expect_for_ever(duration<std::int64_t, std::ratio<1, 3>>::max());
  expect_for_ever(Clock::duration::max() - 1ns);
  expect_for_ever(292 * 366 * 24h);
}

TEST(Deadline, that_is_no_time_or_less_is_not_waited_for) {
  expect_do_not_wait(Clock::duration::min());
  expect_do_not_wait(std::chrono::microseconds::min());
  expect_do_not_wait(std::chrono::seconds::min());
  expect_do_not_wait(std::chrono::hours::min());
  expect_do_not_wait(duration<double>::min() * 0);
  expect_do_not_wait(duration<double>(std::numeric_limits<double>::lowest()));
  expect_do_not_wait(duration<double>(-std::numeric_limits<double>::infinity()));
  expect_do_not_wait(duration<double>(std::numeric_limits<double>::quiet_NaN()));
  expect_do_not_wait(duration<float>(std::numeric_limits<float>::quiet_NaN()));
  expect_do_not_wait(duration<std::int8_t>::min());
  expect_do_not_wait(duration<std::uint8_t>(0));
  expect_do_not_wait(0ns);
  expect_do_not_wait(-1ns);
}

TEST(Deadline, of_every_kind_of_duration_is_that_far_away) {
  expect_in(1ns, 1ns);
  expect_in(1500us, 1500us);
  expect_in(24h, 24h);
  expect_in(duration<double>(0.25), 250ms);
  expect_in(duration<float, std::milli>(1500.0F), 1500ms);
  expect_in(duration<std::int8_t>(127), 127s);
  expect_in(duration<std::uint8_t, std::milli>(255), 255ms);
  expect_in(duration<std::int64_t, std::ratio<1, 3>>(9), 3s);
  expect_in(duration<std::int64_t, std::pico>(1'500'000), 1500ns);
  expect_in(std::chrono::years(100), std::chrono::years(100));
}

// Each, as an integer and as a fraction, must lie between the two beside it.
TEST(Deadline, never_comes_sooner_for_a_longer_time) {
  Clock::time_point last = kDoNotWait;
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t count :
         {std::int64_t{1} << bit, (std::int64_t{1} << bit) + ((std::int64_t{1} << bit) - 1)}) {
      const auto exact = deadline_after(std::chrono::nanoseconds(count));
      EXPECT_GE(exact, last) << count;
      last = exact;
      const auto fraction = deadline_after(duration<double, std::nano>(static_cast<double>(count)));
      EXPECT_GT(fraction, kDoNotWait) << count;
    }
  }
  EXPECT_EQ(last, kForEver);
}

template <class OtherClock, class Duration>
void expect_extremes() {
  using Point = time_point<OtherClock, Duration>;
  EXPECT_EQ(deadline_at(Point::max()), kForEver);
  EXPECT_EQ(deadline_at(Point::min()), kDoNotWait);
  EXPECT_EQ(deadline_at(Point(Duration(0))), kDoNotWait);
}

TEST(Deadline, of_every_clock_works_from_min_to_max) {
  expect_extremes<Clock, Clock::duration>();
  expect_extremes<Clock, std::chrono::hours>();
  expect_extremes<Clock, duration<double>>();
  expect_extremes<std::chrono::steady_clock, std::chrono::steady_clock::duration>();
  expect_extremes<std::chrono::steady_clock, std::chrono::seconds>();
  expect_extremes<std::chrono::system_clock, std::chrono::system_clock::duration>();
  expect_extremes<std::chrono::system_clock, std::chrono::hours>();
  expect_extremes<std::chrono::system_clock, duration<double>>();
}

TEST(Deadline, of_another_clock_is_as_far_away_as_it_says) {
  const auto near = [](Clock::time_point deadline, Clock::duration length) {
    return deadline > Clock::now() + length - 10s && deadline <= Clock::now() + length;
  };
  EXPECT_TRUE(near(deadline_at(Clock::now() + 1h), 1h));
  EXPECT_TRUE(near(deadline_at(std::chrono::steady_clock::now() + 1h), 1h));
  EXPECT_TRUE(near(deadline_at(std::chrono::system_clock::now() + 1h), 1h));
  EXPECT_EQ(deadline_at(std::chrono::system_clock::now() - 1ns), kDoNotWait);
  const auto mine = Clock::now() + 5s;
  EXPECT_EQ(deadline_at(mine), mine) << "to the nanosecond";
}

TEST(Deadline, of_a_clock_of_the_users_works_wherever_that_clock_stands) {
  using Nanoseconds = UserClock<std::chrono::nanoseconds>;
  for (const auto at : {std::chrono::nanoseconds::min(), -1ns, 0ns, 1ns, std::chrono::nanoseconds(9'000'000'000s)}) {
    Nanoseconds::at = Nanoseconds::time_point(at);
    EXPECT_EQ(deadline_at(Nanoseconds::time_point::max()), kForEver);
    EXPECT_EQ(deadline_at(Nanoseconds::time_point::min()), kDoNotWait);
    EXPECT_EQ(deadline_at(Nanoseconds::at), kDoNotWait);
  }
  Nanoseconds::at = Nanoseconds::time_point(-1h);
  EXPECT_GT(deadline_at(Nanoseconds::time_point()), Clock::now() + 59min);
  using Small = UserClock<duration<std::int8_t>>;
  Small::at = Small::time_point::min();
  EXPECT_EQ(deadline_at(Small::time_point::min()), kDoNotWait);
  EXPECT_GT(deadline_at(Small::time_point::max()), Clock::now() + 254s);
  using Fraction = UserClock<duration<float>>;
  EXPECT_EQ(deadline_at(Fraction::time_point(duration<float>(std::numeric_limits<float>::infinity()))), kForEver);
  EXPECT_EQ(deadline_at(Fraction::time_point(duration<float>(std::numeric_limits<float>::quiet_NaN()))), kDoNotWait);
}

TEST(Deadline, that_is_moved_stops_at_both_ends_of_time) {
  EXPECT_EQ(later(kForEver, 1ns), kForEver);
  EXPECT_EQ(later(kForEver, Clock::duration::max()), kForEver);
  EXPECT_EQ(later(Clock::time_point::min(), Clock::duration::min()), Clock::time_point::min());
  EXPECT_EQ(later(Clock::time_point(5s), 2s), Clock::time_point(7s));
  EXPECT_EQ(later(Clock::time_point(5s), -2s), Clock::time_point(3s));
}

}  // namespace
}  // namespace holdfast
