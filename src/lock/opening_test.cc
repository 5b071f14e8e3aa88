#include "lock/opening.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using State = Opening::State;

constexpr auto kLong = 60s;

TEST(Opening, is_waited_for_until_the_deadline) {
  Opening opening;
  EXPECT_EQ(opening.wait_until(Clock::now()), State::waiting);
  EXPECT_EQ(opening.wait_until(Clock::now() + 1ms), State::waiting);
}

TEST(Opening, that_succeeds_stays_open) {
  Opening opening;
  std::thread teller([&] { opening.succeed(); });
  EXPECT_EQ(opening.wait_until(Clock::now() + kLong), State::open);
  teller.join();
  opening.no_service();
  opening.fail(std::make_exception_ptr(std::runtime_error("too late")));
  EXPECT_EQ(opening.wait_until(Clock::now()), State::open);
}

TEST(Opening, that_fails_throws_in_every_wait) {
  Opening opening;
  opening.fail(std::make_exception_ptr(std::runtime_error("refused")));
  EXPECT_THROW(opening.wait_until(Clock::now()), std::runtime_error);
  opening.succeed();
  EXPECT_THROW(opening.wait_until(Clock::now()), std::runtime_error);
}

TEST(Opening, without_a_service_ends_one_wait) {
  Opening opening;
  opening.no_service();
  opening.no_service();
  EXPECT_EQ(opening.wait_until(Clock::now() + kLong), State::no_service);
  EXPECT_EQ(opening.wait_until(Clock::now()), State::waiting) << "the next attempt";
  opening.no_service();
  opening.succeed();
  EXPECT_EQ(opening.wait_until(Clock::now() + kLong), State::open);
}

}  // namespace
}  // namespace holdfast::lock
