// include/holdfast/lock_name.h, line by line.
#include "declare/name_template.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/name.h"
#include "holdfast/error.h"
#include "holdfast/lock_name.h"

namespace shop {

struct Isbn {
  std::string text;
};
std::string to_string(const Isbn& isbn) { return "isbn-" + isbn.text; }

}  // namespace shop

namespace holdfast::declare {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

template <class... Args>
std::string refusal_of(std::string_view text, const Args&... args) {
  try {
    return "made " + lock_name(text, args...);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
}

TEST(LockName, is_made_of_ordinary_arguments_as_they_are) {
  enum class Shelf { upper = 7 };
  EXPECT_EQ(lock_name("orders/{0}", 123), "orders/123");
  EXPECT_EQ(lock_name("orders/{}/items/{}", 123, "a-1"), "orders/123/items/a-1");
  EXPECT_EQ(lock_name("{1}/{0}", "a", "b"), "b/a");
  EXPECT_EQ(lock_name("/users/{0}", "jane.doe@example.com"s), "users/jane.doe@example.com");
  EXPECT_EQ(lock_name("{0}:{1}", -5, 18446744073709551615ULL), "-5:18446744073709551615");
  EXPECT_EQ(lock_name("{0}/{1}/{2}", true, 'x', Shelf::upper), "true/x/7");
  EXPECT_EQ(lock_name("books/{0}", shop::Isbn{"12"}), "books/isbn-12");
  EXPECT_EQ(lock_name("users/{0}", "张伟 🔒"sv), "users/张伟%20🔒");
  EXPECT_EQ(lock_name("plain"), "plain");
}

TEST(LockName, spells_what_could_leave_its_place) {
  EXPECT_EQ(lock_name("orders/{0}", "../../admin"), "orders/..%2f..%2fadmin");
  EXPECT_EQ(lock_name("orders/{0}", "/"), "orders/%2f");
  EXPECT_EQ(lock_name("orders/{0}", ".."), "orders/%2e%2e");
  EXPECT_EQ(lock_name("orders/.{0}", "."), "orders/.%2e");
  EXPECT_EQ(lock_name("orders/{0}", "a\0b"sv), "orders/a%00b");
  EXPECT_EQ(lock_name("orders/{0}", ""), "orders/%");
  EXPECT_EQ(lock_name("orders/{0}", "50%"), "orders/50%25");
  EXPECT_EQ(lock_name("orders/{0}", "{1}"), "orders/%7b1%7d");
  EXPECT_EQ(lock_name("orders/{0}", "\xff\xc3"), "orders/%ff%c3");
  EXPECT_EQ(lock_name("orders/{0}", "\u200b"), "orders/%e2%80%8b") << "a space without width";
  EXPECT_EQ(lock_name("orders/{0}", "\ue000"), "orders/%ee%80%80") << "of private use: ZooKeeper refuses it";
}

// They would be refused, or taken for something else.
TEST(LockName, spells_every_byte_of_what_makes_a_part_that_no_name_has) {
  EXPECT_EQ(lock_name("x/{0}", "lock-0000000001"), "x/%6c%6f%63%6b%2d%30%30%30%30%30%30%30%30%30%31");
  EXPECT_EQ(lock_name("x/lock-{0}", "0000000001"), "x/lock-%30%30%30%30%30%30%30%30%30%31");
  EXPECT_EQ(lock_name("x/{0}-0000000001", "lock"), "x/%6c%6f%63%6b-0000000001");
  EXPECT_EQ(lock_name("{0}/x", "zookeeper"), "%7a%6f%6f%6b%65%65%70%65%72/x");
  EXPECT_EQ(lock_name("x/{0}", "zookeeper"), "x/zookeeper");
  EXPECT_EQ(lock_name("{0}/{1}", "..", ".."), "%2e%2e/%2e%2e");
}

TEST(LockName, has_a_digest_of_a_long_argument) {
  const auto name = lock_name("orders/{0}", std::string(10'000, 'x'));
  EXPECT_EQ(name,
            "orders/" + std::string(60, 'x') + "%-e4ee97ec252749d2096447e849628d0d7734f51700416eefbb33574bf0b3ee75");
  EXPECT_NE(name, lock_name("orders/{0}", std::string(9'999, 'x')));
  EXPECT_EQ(lock_name("{0}", std::string(128, 'x')), std::string(128, 'x'));
  EXPECT_EQ(lock_name("{0}", std::string(129, 'x')).size(), 60U + 2 + 64);
  EXPECT_EQ(lock_name("{0}", std::string(100, '/')).substr(0, 62),
            std::string("%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%2f%-"));
}

// Over every short string of the characters that could be confused, and of two such arguments.
TEST(LockName, is_never_that_of_other_arguments) {
  std::vector<std::string> arguments{"", "zookeeper", "lock-0000000001", "lock-%30", "%6c", "2f", "%2f", "-", "%-"};
  const auto alphabet = "./%-2fe0\0{"sv;
  for (const char a : alphabet) {
    arguments.push_back({a});
    for (const char b : alphabet) {
      arguments.push_back({a, b});
      for (const char c : alphabet) arguments.push_back({a, b, c});
    }
  }
  for (const auto text : {"{0}", "x/{0}", ".{0}", "%{0}", "lock-{0}", "{0}-0000000001/x"}) {
    std::map<std::string, std::string> made;
    for (const auto& argument : std::set(arguments.begin(), arguments.end())) {
      const auto name = lock_name(text, argument);
      EXPECT_TRUE(base::parse_name(name)) << name;
      const auto [other, is_new] = made.emplace(name, argument);
      EXPECT_TRUE(is_new) << name << " is made of " << argument << " and of " << other->second;
    }
  }
  for (const auto text : {"{0}/{1}", "{0}-:-{1}", "x{1}, {0}"}) {
    std::set<std::string> made;
    std::size_t count = 0;
    for (const auto first : {"", "a", "a-", "-", "%", "/", ":", "a/b", "a:-", ", "}) {
      for (const auto second : {"", "b", "-b", "-", "%", "/", ":", "b/c", "-:b", " ,"}) {
        made.insert(lock_name(text, first, second));
        ++count;
      }
    }
    EXPECT_EQ(made.size(), count) << text;
  }
}

TEST(LockName, refuses_a_text_that_makes_no_sense_in_one_sentence) {
  EXPECT_EQ(refusal_of("orders/{0", 1),
            "\"orders/{0\" has a brace alone; a name has braces only for arguments, as in orders/{0}");
  EXPECT_EQ(refusal_of("orders/0}", 1),
            "\"orders/0}\" has a brace alone; a name has braces only for arguments, as in orders/{0}");
  EXPECT_EQ(refusal_of("orders/{{0}}", 1),
            "\"orders/{{0}}\" has a brace alone; a name has braces only for arguments, as in orders/{0}");
  EXPECT_EQ(
      refusal_of("orders/{id}", 1),
      "\"orders/{id}\": {id} is not a placeholder; one is {0} for the first argument, or {0.id} for a part of it");
  EXPECT_EQ(
      refusal_of("orders/{-1}", 1),
      "\"orders/{-1}\": {-1} is not a placeholder; one is {0} for the first argument, or {0.id} for a part of it");
  EXPECT_EQ(refusal_of("orders/{99999999999999999999}", 1),
            "\"orders/{99999999999999999999}\": {99999999999999999999} is not a placeholder; one is {0} for the first "
            "argument, or {0.id} "
            "for a part of it");
  EXPECT_EQ(refusal_of("{}/{1}", 1, 2), "\"{}/{1}\": either all placeholders have a number, as {0}, or none has one");
  EXPECT_EQ(refusal_of("orders/{0.id}", 1), "\"orders/{0.id}\": {0.id} needs a projection: .arg(\"id\", ...)");
  EXPECT_EQ(refusal_of("orders/{1}", 1), "\"orders/{1}\": there is no argument for {1}");
  EXPECT_EQ(refusal_of("orders/{0}", 1.5),
            "\"orders/{0}\": {0} is not of a type that a name can be made of; a projection can make it a string or an "
            "integer");
  EXPECT_EQ(refusal_of("orders/{0}", static_cast<const char*>(nullptr)), "\"orders/{0}\": {0} is a null pointer");
  EXPECT_EQ(refusal_of("{0}{1}", "a", "b"),
            "\"{0}{1}\": between {0} and {1} there must be a character that no argument has, such as / or :");
  EXPECT_EQ(refusal_of("{0}-{1}", "a", "b"),
            "\"{0}-{1}\": between {0} and {1} there must be a character that no argument has, such as / or :");
  EXPECT_EQ(refusal_of("orders//{0}", 1),
            "\"orders//1\" is not a name: it has an empty part (//); a name is a path such as orders/123");
  EXPECT_TRUE(
      refusal_of("{0}/{1}/{2}/{3}/{4}", std::string(128, 'a'), std::string(128, 'b'), std::string(128, 'c'),
                 std::string(128, 'd'), 1)
          .ends_with("is not a name: it has 517 bytes, at most 512 are allowed; a name is a path such as orders/123"));
}

TEST(NameTemplate, names_the_projections_that_there_are) {
  try {
    NameTemplate("x/{0.size}", {"id", "shard"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "\"x/{0.size}\": no projection is named \"size\"; there is id, shard");
  }
}

}  // namespace
}  // namespace holdfast::declare
