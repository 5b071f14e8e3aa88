#include "transcript.h"

#include <gtest/gtest.h>

#include "jute.h"
#include "reply_text.h"
#include "show.h"

namespace holdfast::testing {
namespace {

Transcript told(std::vector<std::string> lines) {
  Transcript transcript;
  for (std::string& line : lines) {
    StepRecord step;
    step.received[0].push_back(std::move(line));
    transcript.steps.push_back(std::move(step));
  }
  transcript.settle();
  return transcript;
}

std::string set_data_reply(std::int64_t zxid, std::int64_t ctime, std::int64_t mtime, std::int64_t owner) {
  JuteWriter out;
  out.i32(7).i64(zxid).i32(0);                                      // header
  out.i64(3).i64(zxid).i64(ctime).i64(mtime).i32(1).i32(0).i32(0);  // czxid … aversion
  return out.i64(owner).i32(5).i32(0).i64(3).bytes();
}

TEST(Comparison, servers_that_count_differently_are_equal) {
  const Transcript left = told({reply_text(5, set_data_reply(4, 100, 200, 77)), "zxid " + zxid_mark(9)});
  const Transcript right = told({reply_text(5, set_data_reply(1'000, 500, 500, -5)), "zxid " + zxid_mark(1'001)});
  EXPECT_EQ(left.steps[0].received[0][0], right.steps[0].received[0][0]);
  EXPECT_FALSE(first_difference(left, right));
}

TEST(Comparison, another_order_of_zxids_is_a_difference) {
  const Transcript left = told({zxid_mark(4), zxid_mark(5)});
  const Transcript right = told({zxid_mark(4), zxid_mark(4)});
  EXPECT_EQ(first_difference(left, right), 1U);
}

TEST(Comparison, another_session_is_a_difference) {
  const Transcript left = told({session_mark(1), session_mark(2), session_mark(1)});
  const Transcript right = told({session_mark(8), session_mark(9), session_mark(9)});
  EXPECT_EQ(first_difference(left, right), 2U);
}

TEST(Comparison, a_change_before_its_creation_is_a_difference) {
  const Transcript left = told({reply_text(5, set_data_reply(4, 100, 200, 0))});
  const Transcript right = told({reply_text(5, set_data_reply(4, 100, 99, 0))});
  EXPECT_EQ(first_difference(left, right), 0U);
}

TEST(Comparison, no_byte_of_a_reply_is_overlooked) {
  const std::string reply = set_data_reply(4, 1, 1, 0);
  const std::string plain = reply_text(5, reply);
  EXPECT_NE(reply_text(5, reply + "x"), plain);
  EXPECT_NE(reply_text(5, reply.substr(0, reply.size() - 1)), plain);
  for (std::size_t byte = 0; byte < reply.size(); ++byte) {
    // The times may be what they like, as long as they keep their order: bytes 32 to 47.
    if (byte >= 32 && byte < 48) continue;
    std::string changed = reply;
    changed[byte] = static_cast<char>(changed[byte] ^ 1);
    EXPECT_NE(reply_text(5, changed), plain) << "byte " << byte;
  }
}

TEST(Comparison, a_missing_end_is_a_difference) {
  EXPECT_EQ(first_difference(told({"a", "b"}), told({"a"})), 1U);
  EXPECT_FALSE(first_difference(told({"a", "b"}), told({"a", "b"})));
}

TEST(Comparison, long_texts_differ_in_their_last_byte) {
  EXPECT_NE(show(std::string(1'000, 'a') + "b"), show(std::string(1'000, 'a') + "c"));
  EXPECT_NE(show(std::nullopt), show(Text("")));
}

TEST(RandomScript, a_seed_makes_the_same_bytes_again_and_another_seed_others) {
  const auto payloads = [](std::uint64_t seed) {
    std::string all;
    for (const Step& step : make_script({.seed = seed, .steps = 100})) {
      for (const Call& call : step.calls) all += call.payload;
    }
    return all;
  };
  EXPECT_EQ(payloads(5), payloads(5));
  EXPECT_NE(payloads(5), payloads(6));
}

}  // namespace
}  // namespace holdfast::testing
