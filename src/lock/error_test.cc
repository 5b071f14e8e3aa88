#include "holdfast/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

const std::vector<std::pair<Errc, std::errc>> kPairs{
    {Errc::timed_out, std::errc::timed_out},
    {Errc::cancelled, std::errc::operation_canceled},
    {Errc::deadlock, std::errc::resource_deadlock_would_occur},
    {Errc::session_lost, std::errc::owner_dead},
    {Errc::not_connected, std::errc::not_connected},
    {Errc::refused, std::errc::permission_denied},
    {Errc::not_owner, std::errc::operation_not_permitted},
    {Errc::invalid_argument, std::errc::invalid_argument},
    {Errc::forked, std::errc::no_such_process},
    {Errc::unsupported, std::errc::not_supported},
};

TEST(Errc, equals_the_std_condition_beside_it_and_no_other) {
  for (const auto& [ours, mine] : kPairs) {
    for (const auto& [other, theirs] : kPairs) {
      EXPECT_EQ(std::error_code(ours) == theirs, ours == other) << std::error_code(ours).message();
    }
  }
}

TEST(Errc, is_never_zero_because_zero_means_success) {
  for (const auto& [ours, theirs] : kPairs) EXPECT_TRUE(std::error_code(ours));
}

TEST(Errc, has_a_message_of_its_own) {
  std::set<std::string> messages;
  for (const auto& [ours, theirs] : kPairs) messages.insert(std::error_code(ours).message());
  EXPECT_EQ(messages.size(), kPairs.size());
  EXPECT_FALSE(messages.contains("unknown"));
  EXPECT_FALSE(messages.contains(""));
}

TEST(Errc, belongs_to_the_category_holdfast) {
  EXPECT_STREQ(error_category().name(), "holdfast");
  EXPECT_EQ(&std::error_code(Errc::deadlock).category(), &error_category());
}

TEST(Errc, of_another_version_is_unknown_and_equals_nothing) {
  const std::error_code code(99, error_category());
  EXPECT_EQ(code.message(), "unknown");
  for (const auto& [ours, theirs] : kPairs) EXPECT_FALSE(code == theirs);
}

TEST(Error, says_exactly_the_sentence) {
  const Error error(Errc::refused, "the door is closed; knock");
  EXPECT_STREQ(error.what(), "the door is closed; knock");
  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_EQ(error.code(), std::errc::permission_denied);
}

TEST(Error, can_be_caught_as_system_error) {
  try {
    throw Error(Errc::timed_out, "too late");
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(), "too late");
    EXPECT_EQ(error.code(), std::errc::timed_out);
  }
}

TEST(Error, keeps_its_sentence_when_it_is_copied) {
  std::string sentence(100, 'x');
  const Error copy = [&] { return Error(Errc::cancelled, sentence); }();
  const Error another = copy;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
  EXPECT_EQ(another.what(), sentence);
}

TEST(Error, carries_codes_of_others_too) {
  const Error error(std::make_error_code(std::errc::io_error), "the disk is gone");
  EXPECT_EQ(error.code(), std::errc::io_error);
  EXPECT_STREQ(error.what(), "the disk is gone");
}

}  // namespace
}  // namespace holdfast
