#include "lock/options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "holdfast/error.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// The sentence with which they are refused; empty, and a failure, if they are not.
std::string refusal_of(const ClientOptions& options) {
  try {
    checked(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

bool says(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

constexpr milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};

TEST(Options, pass_as_they_are_by_default) {
  const auto options = checked({});
  EXPECT_EQ(options.session_timeout, 15s);
  EXPECT_EQ(options.connection_timeout, 5s);
  EXPECT_EQ(options.name_space, "");
}

TEST(Options, refuse_a_session_timeout_that_is_too_short_or_negative) {
  for (const auto timeout : {milliseconds::min(), milliseconds(-1), milliseconds(0), milliseconds(199)}) {
    EXPECT_EQ(refusal_of({.session_timeout = timeout}), "the session timeout is " + std::to_string(timeout.count()) +
                                                            " ms; it must be between 200 and 2147483647 ms");
  }
  EXPECT_EQ(checked({.session_timeout = 200ms}).session_timeout, 200ms);
}

TEST(Options, refuse_a_session_timeout_that_the_protocol_cannot_carry) {
  EXPECT_EQ(refusal_of({.session_timeout = kLongest + 1ms}),
            "the session timeout is 2147483648 ms; it must be between 200 and 2147483647 ms");
  EXPECT_EQ(checked({.session_timeout = kLongest}).session_timeout, kLongest);
}

TEST(Options, refuse_a_connection_timeout_of_zero_or_less_and_one_that_is_too_long) {
  EXPECT_EQ(refusal_of({.connection_timeout = 0ms}),
            "the connection timeout is 0 ms; it must be between 1 and 2147483647 ms");
  EXPECT_TRUE(says(refusal_of({.connection_timeout = -1ms}), "the connection timeout is -1 ms"));
  EXPECT_TRUE(says(refusal_of({.connection_timeout = milliseconds::max()}), "the connection timeout"));
  EXPECT_EQ(checked({.connection_timeout = 1ms}).connection_timeout, 1ms);
}

TEST(Options, refuse_a_negative_time_of_a_hand_over) {
  EXPECT_EQ(refusal_of({.hand_over = {.count = 1, .time = -1ms}}),
            "the time bound of a hand-over is -1 ms; it must be between 0 and 2147483647 ms");
}

TEST(Options, allow_no_hand_over_at_all) {
  const auto options = checked({.hand_over = {.count = 0, .time = 0ms}});
  EXPECT_EQ(options.hand_over.count, 0u);
  EXPECT_EQ(options.hand_over.time, 0ms);
}

TEST(Options, bring_the_name_space_into_normal_form) {
  EXPECT_EQ(checked({.name_space = "/billing/eu"}).name_space, "billing/eu");
  EXPECT_EQ(checked({.name_space = "billing"}).name_space, "billing");
}

TEST(Options, refuse_a_bad_name_space_and_say_why) {
  EXPECT_EQ(refusal_of({.name_space = "billing//eu"}),
            "the name space: \"billing//eu\" is not a name: it has an empty part (//); "
            "a name is a path such as orders/123");
  for (const auto* bad : {"/", "a/", "..", "a\nb", "zookeeper"}) {
    EXPECT_TRUE(says(refusal_of({.name_space = bad}), "the name space: ")) << bad;
  }
}

TEST(Options, refuse_a_program_whose_name_is_too_long) {
  EXPECT_EQ(refusal_of({.program = std::string(257, 'x')}),
            "the program's name has 257 bytes; at most 256 are allowed");
}

TEST(Options, refuse_a_purpose_that_is_too_long) {
  EXPECT_EQ(refusal_of({.purpose = std::string(257, 'x')}), "the purpose has 257 bytes; at most 256 are allowed");
  EXPECT_EQ(checked({.purpose = std::string(256, 'x')}).purpose.size(), 256u);
}

}  // namespace
}  // namespace holdfast::lock
