#include "vocabulary.h"

#include "script.h"

namespace holdfast::testing {
namespace {

std::string below_root(const std::string& rest) { return "/" + std::string(kRoot) + rest; }

const std::vector<std::string>& good_tails() {
  static const std::vector<std::string> tails{"/a", "/a",   "/a/b", "/a/b", "/a/b/c", "/a/c",
                                              "/b", "/b/a", "/e",   "/e/a", "/c.d",   "/\xc3\xa4\xe2\x82\xac"};
  return tails;
}

// What sequential creates leave behind, if there were that many.
const std::vector<std::string>& numbered_tails() {
  static const std::vector<std::string> tails{"/s-0000000000",   "/s-0000000001", "/s-0000000002", "/a/s-0000000000",
                                              "/a/s-0000000001", "/a/0000000001", "/s-0000000005"};
  return tails;
}

const std::vector<std::string>& own_paths() {
  static const std::vector<std::string> paths{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config",
                                              "/zookeeper/nobody"};
  return paths;
}

// Null is none of them: the engine calls it malformed at once, ZooKeeper wherever it stumbles over it. Nor is
// anything beyond U+FFFF, which ZooKeeper would echo as CESU-8.
std::string bad_path(Dice& dice) {
  using namespace std::string_literals;
  static const std::vector<std::string> absolute{"", "a", "a/b", "//", "//a", "/.", "/..", "/./a", "/\0"s, "\0"s};
  static const std::vector<std::string> tails{"/",
                                              "/a/",
                                              "//a",
                                              "/a//b",
                                              "/.",
                                              "/..",
                                              "/a/.",
                                              "/a/..",
                                              "/a/../b",
                                              "/...",
                                              "/.a",
                                              "/..a",
                                              "/a..",
                                              "/a\0b"s,
                                              "/\x01",
                                              "/\x1f",
                                              "/\x7f",
                                              "/\xc2\x80",
                                              "/\xc2\x9f",
                                              "/\xc2\xa0",
                                              "/\xee\x80\x80",
                                              "/\xef\xa3\xbf",
                                              "/\xef\xa4\x80",
                                              "/\xef\xbf\xaf",
                                              "/\xef\xbf\xb0",
                                              "/\xef\xbf\xbd"};
  if (dice.one_in(3)) return dice.of(absolute);
  if (dice.one_in(30)) return below_root("/" + std::string(5'000, 'l'));
  return below_root(dice.of(tails));
}

// "u1:p1" and so on, as the scheme digest stores them.
const std::vector<std::string>& digests() {
  static const std::vector<std::string> ids{
      "u1:fpT/y03U+EjItKZOSLGvjnJlyng=", "u2:o9NxcCGDPOlcV7JVhmKHOf5ctVE=", "u3:Im5xY/YYc2xRYjWcy4eAeBEG1fk="};
  return ids;
}

std::int32_t any_perms(Dice& dice) {
  static const std::vector<std::int32_t> perms{31, 31, 31, 1, 2, 4, 8, 16, 3, 27, 15, 0, -1, 99};
  return dice.of(perms);
}

AclEntry good_entry(Dice& dice) {
  static const std::vector<std::string> addresses{"127.0.0.1",   "127.0.0.0/8",  "10.0.0.1",     "10.0.0.0/7",
                                                  "127.0.0.1/0", "127.0.0.1/32", "127.0.0.3/30", "1.2.3.4/0"};
  switch (dice.roll(5)) {
    case 0: return {any_perms(dice), "world", "anyone"};
    case 1: return {any_perms(dice), "auth", dice.one_in(2) ? Text("") : Text("whatever")};
    case 2: return {any_perms(dice), "ip", dice.of(addresses)};
    default: return {any_perms(dice), "digest", dice.of(digests())};
  }
}

AclEntry bad_entry(Dice& dice) {
  static const std::vector<AclEntry> entries{{31, "world", "nobody"},
                                             {31, "world", ""},
                                             {31, "digest", "u"},
                                             {31, "digest", ""},
                                             {31, "digest", ":"},
                                             {31, "digest", "u:"},
                                             {31, "digest", "a:b:c"},
                                             {31, "ip", ""},
                                             {31, "ip", "127.0.0"},
                                             {31, "ip", "127.0.0.256"},
                                             {31, "ip", "127.0.0.1/33"},
                                             {31, "ip", "127.0.0.1/-1"},
                                             {31, "ip", "127.0.0.1/"},
                                             {31, "ip", "127.0.0.1/x"},
                                             {31, "ip", "::1"},
                                             {31, "ip", "a.b.c.d"},
                                             {31, "super", ""},
                                             {31, "sasl", "u"},
                                             {31, "x509", "u"},
                                             {31, "", ""},
                                             {31, "nobody", "x"},
                                             // Odd, but good.
                                             {31, "digest", ":b"},
                                             {31, "digest", "a:b:"},
                                             {31, "digest", "a:b::"},
                                             {31, "ip", "127.0.0.1/00"}};
  return dice.of(entries);
}

}  // namespace

std::string good_path(Dice& dice) {
  if (dice.one_in(8)) return below_root(dice.of(numbered_tails()));
  if (dice.one_in(15)) return below_root("");
  return below_root(dice.of(good_tails()));
}

std::string any_path(Dice& dice) {
  if (dice.percent(7)) return bad_path(dice);
  if (dice.percent(4)) return dice.of(own_paths());
  return good_path(dice);
}

std::string new_path(Dice& dice) {
  if (dice.one_in(200)) return below_root("/\xf0\x9f\x98\x80");
  if (dice.percent(7)) return bad_path(dice);
  if (dice.percent(2)) return dice.of(own_paths());
  if (dice.percent(20)) return below_root(dice.one_in(3) ? "/a/s-" : "/s-");
  return good_path(dice);
}

Text any_data(Dice& dice) {
  if (dice.one_in(10)) return std::nullopt;
  if (dice.one_in(10)) return "";
  if (dice.one_in(40)) return std::string(20'000, static_cast<char>(dice.roll(256)));
  std::string data;
  for (std::size_t size = 1 + dice.roll(12); size > 0; --size) data += static_cast<char>(dice.roll(256));
  return data;
}

std::int32_t any_version(Dice& dice) {
  static const std::vector<std::int32_t> odd{-2, 7, 1'000, INT32_MAX, INT32_MIN};
  if (dice.percent(55)) return -1;
  if (dice.percent(80)) return static_cast<std::int32_t>(dice.roll(3));
  return dice.of(odd);
}

Acl open_acl() { return std::vector<AclEntry>{{31, "world", "anyone"}}; }

Acl any_acl(Dice& dice) {
  if (dice.percent(70)) return open_acl();
  if (dice.one_in(20)) return std::nullopt;
  std::vector<AclEntry> entries;
  if (dice.one_in(20)) return entries;
  for (std::size_t count = 1 + dice.roll(3); count > 0; --count)
    entries.push_back(dice.one_in(6) ? bad_entry(dice) : good_entry(dice));
  if (dice.one_in(4)) entries.push_back(entries.front());
  return entries;
}

const std::vector<std::string>& users() {
  static const std::vector<std::string> names{"u1:p1", "u1:p1", "u1:p1", "u2:p2",
                                              "u2:p2", "u3:p3", "u3:p3", "super:secret"};
  return names;
}

}  // namespace holdfast::testing
