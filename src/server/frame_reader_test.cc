#include "server/frame_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/socket_client.h"

namespace holdfast::server {
namespace {

using testing::framed;
using Found = FrameReader::Found;

constexpr std::size_t kLongest = 1'000;

std::vector<std::string> read_all(FrameReader& reader, std::string_view bytes) {
  std::vector<std::string> frames;
  while (!bytes.empty()) {
    if (reader.take(bytes) == Found::frame) frames.push_back(reader.frame());
  }
  return frames;
}

TEST(FrameReader, finds_the_same_frames_wherever_the_bytes_are_split) {
  const std::vector<std::string> bodies{"first", "", "x", std::string(300, 'y')};
  std::string bytes;
  for (const auto& body : bodies) bytes += framed(body);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); second += 7) {
      FrameReader reader(kLongest);
      std::vector<std::string> found;
      for (const auto part :
           {std::string_view(bytes).substr(0, first), std::string_view(bytes).substr(first, second - first),
            std::string_view(bytes).substr(second)}) {
        for (auto& frame : read_all(reader, part)) found.push_back(std::move(frame));
      }
      ASSERT_EQ(found, bodies) << first << " " << second;
      EXPECT_FALSE(reader.waiting());
    }
  }
}

TEST(FrameReader, takes_the_longest_frame_and_no_longer_one) {
  FrameReader reader(kLongest);
  EXPECT_EQ(read_all(reader, framed(std::string(kLongest, 'z'))).size(), 1U);
  const std::string header = framed(std::string(kLongest + 1, 'z')).substr(0, 4);
  std::string_view bytes = header;
  EXPECT_EQ(reader.take(bytes), Found::broken);
}

TEST(FrameReader, refuses_a_negative_length) {
  for (const std::string& header : {std::string("\xff\xff\xff\xff"), std::string("\x80\0\0\1", 4)}) {
    FrameReader reader(kLongest);
    std::string_view bytes = header;
    EXPECT_EQ(reader.take(bytes), Found::broken);
  }
}

TEST(FrameReader, knows_a_word_only_as_the_first_bytes) {
  FrameReader reader(kLongest);
  std::string_view half = "ru";
  EXPECT_EQ(reader.take(half), Found::nothing);
  std::string_view rest = "ok\n";
  EXPECT_EQ(reader.take(rest), Found::word);
  EXPECT_EQ(reader.word(), "ruok");
  EXPECT_EQ(rest, "\n");

  FrameReader later(kLongest);
  EXPECT_EQ(read_all(later, framed("hello")).size(), 1U);
  std::string_view word = "ruok";
  EXPECT_EQ(later.take(word), Found::broken);
}

TEST(FrameReader, waits_for_the_first_frame_and_for_the_rest_of_one) {
  FrameReader reader(kLongest);
  EXPECT_TRUE(reader.waiting());
  read_all(reader, framed("hello"));
  EXPECT_FALSE(reader.waiting());
  read_all(reader, framed("again").substr(0, 1));
  EXPECT_TRUE(reader.waiting());
}

}  // namespace
}  // namespace holdfast::server
