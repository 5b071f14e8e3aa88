#include "engine/path.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::engine {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(Path, is_absolute_and_has_no_empty_part) {
  for (const auto* good : {"/", "/a", "/a/b", "/a b", "/a:b", "/zookeeper", "/~", "/ "}) {
    EXPECT_TRUE(is_valid_path(good)) << good;
  }
  for (const auto* bad : {"", "a", "a/b", "//", "/a/", "/a//b", "//a", "/a/b/"})
    EXPECT_FALSE(is_valid_path(bad)) << bad;
}

TEST(Path, has_no_relative_part) {
  for (const auto* bad : {"/.", "/..", "/a/.", "/a/..", "/./a", "/../a", "/a/./b", "/a/../b"}) {
    EXPECT_FALSE(is_valid_path(bad)) << bad;
  }
  for (const auto* good : {"/...", "/.a", "/a.", "/..a", "/a..", "/a/.b/c", "/a/b../c", "/.../a"}) {
    EXPECT_TRUE(is_valid_path(good)) << good;
  }
}

TEST(Path, has_no_control_characters) {
  for (char c = 0; c < 0x20; ++c) EXPECT_FALSE(is_valid_path("/a"s + c + "b")) << static_cast<int>(c);
  EXPECT_FALSE(is_valid_path("/\x7f"));
  EXPECT_FALSE(is_valid_path("/\xc2\x80"));
  EXPECT_FALSE(is_valid_path("/\xc2\x9f"));
  EXPECT_TRUE(is_valid_path("/\xc2\xa0"));
  EXPECT_FALSE(is_valid_path("/a\0"sv));
}

// The border characters of PathUtils, as UTF-8.
TEST(Path, has_no_surrogates_private_or_special_characters) {
  EXPECT_TRUE(is_valid_path("/\xed\x9f\xbf"));   // U+D7FF
  EXPECT_FALSE(is_valid_path("/\xed\xa0\x80"));  // U+D800
  EXPECT_FALSE(is_valid_path("/\xee\x80\x80"));  // U+E000
  EXPECT_FALSE(is_valid_path("/\xef\xa3\xbf"));  // U+F8FF
  EXPECT_TRUE(is_valid_path("/\xef\xa4\x80"));   // U+F900
  EXPECT_TRUE(is_valid_path("/\xef\xbf\xaf"));   // U+FFEF
  EXPECT_FALSE(is_valid_path("/\xef\xbf\xb0"));  // U+FFF0
  EXPECT_FALSE(is_valid_path("/\xef\xbf\xbd"));  // U+FFFD
  EXPECT_FALSE(is_valid_path("/\xef\xbf\xbf"));  // U+FFFF
}

// Java sees two surrogates there.
TEST(Path, has_no_characters_beyond_the_basic_plane) { EXPECT_FALSE(is_valid_path("/\xf0\x9f\x94\x92")); }

TEST(Path, is_utf8) {
  EXPECT_TRUE(is_valid_path("/\xc3\xa4\xe2\x82\xac"));
  EXPECT_FALSE(is_valid_path("/\x80"));              // a continuation of nothing
  EXPECT_FALSE(is_valid_path("/\xc3"));              // cut short
  EXPECT_FALSE(is_valid_path("/\xc3/a"));            // cut short by a slash
  EXPECT_FALSE(is_valid_path("/\xe2\x82"));          // cut short
  EXPECT_FALSE(is_valid_path("/\xe2\x82x"));         // not continued
  EXPECT_FALSE(is_valid_path("/\xc0\xaf"));          // a slash in disguise
  EXPECT_FALSE(is_valid_path("/\xc1\xbf"));          // too long for what it is
  EXPECT_FALSE(is_valid_path("/\xe0\x80\xaf"));      // the same in three bytes
  EXPECT_FALSE(is_valid_path("/\xe0\x9f\xbf"));      // U+07FF in three bytes
  EXPECT_TRUE(is_valid_path("/\xe0\xa0\x80"));       // U+0800
  EXPECT_FALSE(is_valid_path("/\xf8\x88\x80\x80"));  // no longer UTF-8
  EXPECT_FALSE(is_valid_path("/\xff"));
}

TEST(Path, parts) {
  EXPECT_EQ(depth("/"), 0u);
  EXPECT_EQ(depth("/a"), 1u);
  EXPECT_EQ(depth("/a/b"), 2u);
  EXPECT_EQ(parent_of("/a/b"), "/a");
  EXPECT_EQ(parent_of("/a"), "");
  EXPECT_EQ(parent_of("/"), "");
  EXPECT_EQ(parent_of("a"), "");
  EXPECT_EQ(name_of("/a/b"), "b");
  EXPECT_EQ(name_of("/a"), "a");
  EXPECT_EQ(name_of("/"), "");
  EXPECT_EQ(name_of("a"), "a");
}

TEST(Path, of_what_is_always_there) {
  for (const auto* path : {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) EXPECT_TRUE(is_special(path));
  for (const auto* path : {"", "/a", "/zookeeper/a", "/zookeeper/quota/a"}) EXPECT_FALSE(is_special(path));
}

}  // namespace
}  // namespace holdfast::engine
