#include "wire/jute.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace holdfast::wire {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(Jute, numbers_are_big_endian) {
  Writer writer;
  writer.i32(0x01020304);
  writer.i64(-2);
  writer.boolean(true);
  writer.boolean(false);
  EXPECT_EQ(writer.bytes(), "\x01\x02\x03\x04\xff\xff\xff\xff\xff\xff\xff\xfe\x01\x00"sv);
}

TEST(Jute, numbers_come_back_as_they_were) {
  Writer writer;
  writer.i32(std::numeric_limits<std::int32_t>::min());
  writer.i32(std::numeric_limits<std::int32_t>::max());
  writer.i64(std::numeric_limits<std::int64_t>::min());
  writer.i64(std::numeric_limits<std::int64_t>::max());
  Reader reader(writer.bytes());
  EXPECT_EQ(reader.i32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(reader.i32(), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(reader.i64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.i64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Jute, null_and_empty_are_two_things) {
  Writer writer;
  writer.buffer(std::nullopt);
  writer.buffer("");
  EXPECT_EQ(writer.bytes(), "\xff\xff\xff\xff\0\0\0\0"sv);
  Reader reader(writer.bytes());
  EXPECT_EQ(reader.buffer(), std::nullopt);
  EXPECT_EQ(reader.buffer(), Buffer(""));
  EXPECT_TRUE(reader.ok());
}

TEST(Jute, any_other_byte_than_zero_is_true) {
  Reader reader("\0\1\2\xff"sv);
  EXPECT_FALSE(reader.boolean());
  EXPECT_TRUE(reader.boolean());
  EXPECT_TRUE(reader.boolean());
  EXPECT_TRUE(reader.boolean());
  EXPECT_FALSE(reader.boolean());
  EXPECT_FALSE(reader.ok());
}

TEST(Jute, a_text_that_is_null_is_a_mistake) {
  Reader reader("\xff\xff\xff\xff"sv);
  EXPECT_EQ(reader.text(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Jute, a_length_below_minus_one_is_a_mistake) {
  Reader reader("\xff\xff\xff\xfe"sv);
  EXPECT_EQ(reader.buffer(), std::nullopt);
  EXPECT_FALSE(reader.ok());
}

TEST(Jute, a_length_beyond_the_end_is_a_mistake_and_allocates_nothing) {
  Reader reader(
      "\x7f\xff\xff\xff"
      "abc"sv);
  EXPECT_EQ(reader.text(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Jute, after_a_mistake_everything_is_zero_or_empty) {
  Reader reader("\0\0\0\5\0\0\0\1"sv);
  (void)reader.text();
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.i32(), 0);
  EXPECT_EQ(reader.i64(), 0);
  EXPECT_FALSE(reader.boolean());
  EXPECT_EQ(reader.buffer(), std::nullopt);
  EXPECT_EQ(reader.count(1), 0u);
  EXPECT_TRUE(reader.texts().empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Jute, a_number_that_is_cut_short_is_no_number) {
  for (std::size_t length = 0; length < 8; ++length) {
    Reader reader("\1\1\1\1\1\1\1\1"sv.substr(0, length));
    EXPECT_EQ(reader.i64(), 0);
    EXPECT_FALSE(reader.ok()) << length;
  }
}

TEST(Jute, a_list_of_negative_length_is_empty) {
  Reader reader("\xff\xff\xff\xff\x80\0\0\0"sv);
  EXPECT_TRUE(reader.texts().empty());
  EXPECT_EQ(reader.count(4), 0u);
  EXPECT_TRUE(reader.ok());
}

TEST(Jute, a_list_cannot_claim_more_elements_than_there_are_bytes_for) {
  Reader good("\0\0\0\2\0\0\0\0\0\0\0\1x"sv);
  EXPECT_EQ(good.texts(), (std::vector{""s, "x"s}));
  EXPECT_TRUE(good.ok());
  Reader bad("\0\0\0\3\0\0\0\0\0\0\0\0"sv);
  EXPECT_TRUE(bad.texts().empty());
  EXPECT_FALSE(bad.ok());
}

TEST(Jute, a_length_can_be_filled_in_later) {
  Writer writer;
  writer.i32(0);
  writer.raw("abc");
  writer.put_i32(0, static_cast<std::int32_t>(writer.size() - 4));
  EXPECT_EQ(writer.bytes(), "\0\0\0\3abc"sv);
}

}  // namespace
}  // namespace holdfast::wire
