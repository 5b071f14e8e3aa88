#include "resp/reader.h"

#include <gtest/gtest.h>

#include "resp/command.h"

namespace holdfast::resp {
namespace {

using Type = Value::Type;

Value text(std::string words) { return {.type = Type::text, .text = std::move(words)}; }
Value integer(std::int64_t number) { return {.type = Type::integer, .integer = number}; }
Value list(std::vector<Value> items) { return {.type = Type::list, .items = std::move(items)}; }

// All values, however the bytes are cut.
std::vector<Value> read(std::string_view bytes, std::size_t piece = std::string_view::npos) {
  Reader reader;
  std::vector<Value> values;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at)) {
    reader.feed(bytes.substr(at, piece));
    while (auto value = reader.next()) values.push_back(std::move(*value));
  }
  EXPECT_EQ(reader.trouble(), "");
  return values;
}

std::string trouble(std::string_view bytes) {
  Reader reader;
  reader.feed(bytes);
  while (reader.next()) {
  }
  return reader.trouble();
}

TEST(RespReader, reads_every_type_of_redis) {
  EXPECT_EQ(read("+OK\r\n"), std::vector{text("OK")});
  EXPECT_EQ(read("$3\r\na\r\n\r\n"), std::vector{text("a\r\n")});
  EXPECT_EQ(read("$0\r\n\r\n"), std::vector{text("")});
  EXPECT_EQ(read(":-12\r\n"), std::vector{integer(-12)});
  EXPECT_EQ(read("#t\r\n#f\r\n"), (std::vector{integer(1), integer(0)}));
  EXPECT_EQ(read(",1.5\r\n"), std::vector{text("1.5")});
  EXPECT_EQ(read("(3492890328409238509324850943850943825024385\r\n"),
            std::vector{text("3492890328409238509324850943850943825024385")});
  EXPECT_EQ(read("=8\r\ntxt:some\r\n"), std::vector{text("some")});
  EXPECT_EQ(read("_\r\n$-1\r\n*-1\r\n"), (std::vector{Value{}, Value{}, Value{}}));
  EXPECT_EQ(read("*0\r\n"), std::vector{list({})});
  EXPECT_EQ(read("*2\r\n:1\r\n*1\r\n+x\r\n"), std::vector{list({integer(1), list({text("x")})})});
  EXPECT_EQ(read("~1\r\n:1\r\n"), std::vector{list({integer(1)})});
  EXPECT_EQ(read("%1\r\n+a\r\n:1\r\n"), std::vector{list({text("a"), integer(1)})});
  EXPECT_EQ(read("|1\r\n+ttl\r\n:1\r\n:7\r\n"), std::vector{integer(7)}) << "an attribute is not a value";
  EXPECT_EQ(read(">2\r\n+message\r\n+x\r\n"),
            std::vector{(Value{.type = Type::push, .items = {text("message"), text("x")}})});
}

TEST(RespReader, knows_the_code_of_an_error) {
  const auto values = read("-NOSCRIPT No matching script.\r\n!9\r\nOOM other\r\n");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].code(), "NOSCRIPT");
  EXPECT_EQ(values[1].code(), "OOM");
  EXPECT_TRUE(values[1].is_error());
}

TEST(RespReader, reads_the_same_from_pieces_of_any_size) {
  const std::string bytes =
      "*3\r\n$5\r\nhe\r\no\r\n%1\r\n+k\r\n*2\r\n:1\r\n_\r\n-ERR x\r\n>3\r\n+message\r\n$1\r\nc\r\n$0\r\n\r\n+OK\r\n";
  const auto whole = read(bytes);
  ASSERT_EQ(whole.size(), 3U);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) EXPECT_EQ(read(bytes, piece), whole) << piece;
}

TEST(RespReader, says_what_is_not_resp) {
  EXPECT_EQ(trouble("HTTP/1.1 400 Bad Request\r\n"), "there is no type 0x48");
  EXPECT_EQ(trouble("\r\n"), "there is a line without a type");
  EXPECT_EQ(trouble("$x\r\n"), "the length of a text is wrong");
  EXPECT_EQ(trouble("$-2\r\n"), "the length of a text is wrong");
  EXPECT_EQ(trouble("$99999999999\r\n"), "the length of a text is wrong");
  EXPECT_EQ(trouble("$1\r\nabc"), "a text does not end");
  EXPECT_EQ(trouble("*?\r\n"), "the length of a list is wrong");
  EXPECT_EQ(trouble("*2000000\r\n"), "the length of a list is wrong");
  EXPECT_EQ(trouble(":1x\r\n"), "a number is not one");
  EXPECT_EQ(trouble("#x\r\n"), "a truth value is neither true nor false");
  EXPECT_EQ(trouble(std::string(Reader::kMostLine + 2, '+')), "a line does not end");
  std::string deep;
  for (std::size_t i = 0; i <= Reader::kMostDepth; ++i) deep += "*1\r\n";
  EXPECT_EQ(trouble(deep), "there are too many lists in each other");
}

TEST(RespReader, says_nothing_more_once_the_bytes_were_wrong) {
  Reader reader;
  reader.feed("x\r\n+OK\r\n");
  EXPECT_FALSE(reader.next());
  reader.feed("+OK\r\n");
  EXPECT_FALSE(reader.next());
}

TEST(RespCommand, has_the_length_before_every_word) {
  EXPECT_EQ(encode({"SET", "a\r\n", ""}), "*3\r\n$3\r\nSET\r\n$3\r\na\r\n\r\n$0\r\n\r\n");
}

}  // namespace
}  // namespace holdfast::resp
