// A lock that does not come in time: an exception, nothing at all, or another function.
#include <stop_token>
#include <thread>

#include "declared.h"
#include "support/eventually.h"

namespace holdfast::testing {
namespace {

class DeclaredTimeout : public Declared {
 protected:
  // The lock that a rival holds.
  const LockSpec busy_{.name = "busy", .wait = kNotLong};
  Lease theirs_ = rival.mutex("busy").acquire();
  int calls_ = 0;
};

TEST_F(DeclaredTimeout, is_thrown_and_says_who_holds) {
  auto count = locked(client, busy_, [&] { ++calls_; });
  EXPECT_EQ(code_of(count), Errc::timed_out);
  EXPECT_TRUE(sentence_of(count).starts_with("timed out: /busy is held by ")) << sentence_of(count);
  EXPECT_EQ(code_of([&] { with_lock(client, busy_, [&] { ++calls_; }); }), Errc::timed_out);
  EXPECT_EQ(code_of([&] {
              HOLDFAST_LOCKED(client, busy_);
              ++calls_;
            }),
            Errc::timed_out);
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(rival.inspect("busy").tickets.size(), 1U) << "no ticket of ours is left";
  theirs_.release();
  count();
  EXPECT_EQ(calls_, 1);
}

TEST_F(DeclaredTimeout, can_leave_the_call_out) {
  auto nothing = locked(
      client, busy_, [&] { ++calls_; }, skip);
  auto number = locked(
      client, busy_, [&](int one) { return calls_ += one; }, skip);
  auto reference = locked(
      client, busy_, [&]() -> int& { return calls_; }, skip);
  static_assert(std::is_same_v<decltype(nothing()), bool>);
  static_assert(std::is_same_v<decltype(number(1)), std::optional<int>>);
  static_assert(std::is_same_v<decltype(reference()), std::optional<std::reference_wrapper<int>>>);
  EXPECT_FALSE(nothing());
  EXPECT_EQ(number(1), std::nullopt);
  EXPECT_FALSE(reference().has_value());
  EXPECT_FALSE(with_lock(
      client, busy_, [&] { ++calls_; }, skip));
  EXPECT_EQ(calls_, 0);
  theirs_.release();
  EXPECT_TRUE(nothing());
  EXPECT_EQ(number(1), 2);
  reference()->get() = 7;
  EXPECT_EQ(calls_, 7);
}

TEST_F(DeclaredTimeout, can_call_something_else) {
  auto read = locked(
      client, {.name = "{0}", .wait = kNotLong}, [](const std::string& what) { return "fresh " + what; },
      [](const std::string& what) { return "cached " + what; });
  EXPECT_EQ(read("busy"), "cached busy");
  auto explain = locked(
      client, busy_, [](int) { return std::string(); },
      [](const AcquireResult& why, int) { return why.holder() ? why.message() : "no holder"; });
  EXPECT_TRUE(explain(1).starts_with("timed out: /busy is held by ")) << explain(1);
  // Only one of the two gets the argument.
  auto pass = locked(
      client, busy_, [](std::unique_ptr<int>) { return 0; }, [](std::unique_ptr<int> one) { return *one; });
  EXPECT_EQ(pass(std::make_unique<int>(3)), 3);
  EXPECT_EQ(with_lock(
                client, busy_, [] { return 1; }, [] { return 2; }),
            2);
  theirs_.release();
  EXPECT_EQ(read("busy"), "fresh busy");
}

TEST_F(DeclaredTimeout, is_immediate_with_no_wait) {
  auto now = locked(
      client, {.name = "busy", .wait = 0ms}, [&] { ++calls_; }, skip);
  EXPECT_FALSE(now());
  theirs_.release();
  EXPECT_TRUE(eventually(kSoon, now));
}

TEST_F(DeclaredTimeout, can_wait_as_long_as_it_takes) {
  std::jthread patient(locked(client, {.name = "busy", .wait = std::chrono::milliseconds::max()}, [&] { ++calls_; }));
  ASSERT_TRUE(eventually(kSoon, [&] { return rival.inspect("busy").tickets.size() == 2; }));
  theirs_.release();
  patient.join();
  EXPECT_EQ(calls_, 1);
}

// As std::jthread gives it to what it runs.
TEST_F(DeclaredTimeout, comes_early_when_the_stop_token_of_the_call_says_so) {
  std::jthread waiting(locked(
      client, {.name = "busy", .wait = 1h}, [&](std::stop_token) { ++calls_; }, skip));
  ASSERT_TRUE(eventually(kSoon, [&] { return rival.inspect("busy").tickets.size() == 2; }));
  waiting.request_stop();
  waiting.join();
  EXPECT_EQ(calls_, 0);
}

TEST_F(DeclaredTimeout, comes_early_when_the_stop_token_of_the_specification_says_so) {
  std::stop_source stop;
  auto count = locked(client, {.name = "busy", .wait = 1h, .stop = stop.get_token()}, [&] { ++calls_; });
  std::jthread stopping([&] {
    EXPECT_TRUE(eventually(kSoon, [&] { return rival.inspect("busy").tickets.size() == 2; }));
    stop.request_stop();
  });
  EXPECT_EQ(code_of(count), Errc::cancelled);
  EXPECT_EQ(calls_, 0);
}

TEST_F(DeclaredTimeout, is_not_what_other_failures_are) {
  auto count = locked(
      client, busy_, [&] { ++calls_; }, skip);
  client.close();
  EXPECT_EQ(code_of(count), Errc::cancelled) << "no stop was requested: the client was closed";
}

TEST_F(DeclaredTimeout, stands_for_every_failure_of_a_noexcept_function) {
  auto count = locked(
      client, "busy", [&]() noexcept { ++calls_; }, skip);
  auto number = locked(
      client, "busy", [&](int one) noexcept { return one; },
      [](const AcquireResult& why, int one) noexcept { return why.error() == Errc::cancelled ? -one : 0; });
  auto named = locked(
      client, "{0}", [&](const std::string&) noexcept { ++calls_; }, skip);
  EXPECT_FALSE(named("zookeeper/" + std::string(600, '/')) && calls_ != 1) << "a long argument has a name too";
  client.close();
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(count());
  EXPECT_EQ(number(3), -3);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the client was closed"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::testing
