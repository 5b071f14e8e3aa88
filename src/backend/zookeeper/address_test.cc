#include "backend/zookeeper/address.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::zookeeper {
namespace {

using namespace std::string_view_literals;

void expect_address(std::string_view url, std::string_view hosts, std::string_view chroot, bool several) {
  const auto address = parse_address(url);
  ASSERT_TRUE(address) << address.error();
  EXPECT_EQ(net::to_text(address->servers), hosts) << url;
  EXPECT_EQ(address->chroot, chroot) << url;
  EXPECT_EQ(address->servers.size() > 1, several) << url;
}

std::string refusal_of(std::string_view url) {
  const auto address = parse_address(url);
  EXPECT_FALSE(address.has_value()) << url << " was taken for " << net::to_text(address->servers) << address->chroot;
  return address ? "" : address.error();
}

void expect_refused(std::string_view url, std::string_view because) {
  const auto sentence = refusal_of(url);
  EXPECT_NE(sentence.find(because), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("is not a ZooKeeper address"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("write zk://host:port,host:port or zk://host:port/chroot"), std::string::npos) << sentence;
}

TEST(Address, of_one_server) { expect_address("zk://10.0.0.1:2182", "10.0.0.1:2182", "", false); }

TEST(Address, without_a_port_means_2181) {
  expect_address("zk://zoo1", "zoo1:2181", "", false);
  expect_address("zk://zoo1,zoo2:2182,zoo3", "zoo1:2181,zoo2:2182,zoo3:2181", "", true);
}

TEST(Address, of_several_servers) { expect_address("zk://a:1,b:65535", "a:1,b:65535", "", true); }

TEST(Address, of_ipv6_stands_in_brackets) {
  expect_address("zk://[::1]:2182", "[::1]:2182", "", false);
  expect_address("zk://[2001:db8::1]", "[2001:db8::1]:2181", "", false);
  expect_address("zk://[2001:db8::1]:1,[2001:db8::2]:2/app", "[2001:db8::1]:1,[2001:db8::2]:2", "/app", true);
  EXPECT_EQ(parse_address("zk://[::1]:2182")->servers.front().host, "::1");
}

TEST(Address, may_leave_out_zk_if_every_host_has_its_port) {
  expect_address("a:2181", "a:2181", "", false);
  expect_address("zk:2181", "zk:2181", "", false);
  expect_address("10.0.0.1:2181,[::1]:2182/app", "10.0.0.1:2181,[::1]:2182", "/app", true);
  for (const auto* url :
       {"a", "a:2181,b", "a:", "local:", "memory:x", "embedded:/tmp", "zk://a:1", "http://a:80", ""}) {
    EXPECT_EQ(with_scheme(url), url);
  }
  EXPECT_EQ(with_scheme("a:1,b:2/app"), "zk://a:1,b:2/app");
  EXPECT_TRUE(is_address("a:1,b:2/app"));
  EXPECT_FALSE(is_address("local:"));
}

TEST(Address, may_have_a_chroot) {
  expect_address("zk://a/app", "a:2181", "/app", false);
  expect_address("zk://a:1,b:2/app/locks", "a:1,b:2", "/app/locks", true);
}

TEST(Address, with_a_slash_alone_has_no_chroot) { expect_address("zk://a:1/", "a:1", "", false); }

TEST(Address, begins_with_zk) {
  for (const auto* url : {"", "a", "zk:", "zk:a", "zk:/a", "ZK://a", "http://a", " zk://a"}) {
    expect_refused(url, "it does not begin with zk://");
  }
}

TEST(Address, has_a_host) {
  for (const auto* url : {"zk://", "zk:///app", "zk://:2181", "zk:///"}) expect_refused(url, "a host is empty");
}

TEST(Address, has_a_host_between_any_two_commas) {
  for (const auto* url : {"zk://a,,b", "zk://,a", "zk://a,", "zk://a:1,,b:2", "zk://,"}) {
    expect_refused(url, "a host is empty");
  }
}

TEST(Address, has_a_port_between_1_and_65535) {
  expect_refused("zk://a:0", "\"0\" is not a port between 1 and 65535");
  expect_refused("zk://a:65536", "\"65536\" is not a port between 1 and 65535");
  expect_refused("zk://a:abc", "\"abc\" is not a port between 1 and 65535");
  for (const auto* port : {"", "-1", "+1", " 1", "1 ", "1x", "0x10", "99999999999999999999", "2181:2181"}) {
    expect_refused("zk://a:" + std::string(port), "is not a port between 1 and 65535");
  }
  expect_refused("zk://a:1,b:0", "\"0\" is not a port");
}

TEST(Address, has_hosts_without_blanks_users_or_queries) {
  for (const auto* url :
       {"zk://a b", "zk://a\tb:1", "zk://a\n", "zk://user@a", "zk://a?x=1", "zk://a#x", "zk://a, b"}) {
    expect_refused(url, "is not a host");
  }
}

TEST(Address, has_hosts_without_control_characters) {
  for (const auto url : {"zk://a\0b:2181"sv, "zk://a\x1b[31m:2181"sv, "zk://a\x7f"sv}) {
    EXPECT_FALSE(parse_address(url).has_value()) << "accepted";
  }
}

TEST(Address, of_ipv6_has_its_closing_bracket) {
  expect_refused("zk://[::1", "has no closing bracket");
  expect_refused("zk://::1", "\"::1\" is an IPv6 address without brackets; write [::1]");
  expect_refused("zk://fe80::1:2181", "is an IPv6 address without brackets");
  expect_refused("zk://[::1:2181,b:1", "has no closing bracket");
}

TEST(Address, of_ipv6_without_brackets_is_refused) { EXPECT_NE(refusal_of("zk://2001:db8::1"), ""); }

TEST(Address, of_ipv6_has_something_in_the_brackets_and_nothing_but_a_port_behind_them) {
  for (const auto* url : {"zk://[]", "zk://[]:2181", "zk://[zoo1]:2181", "zk://[::1]x:2181", "zk://[::1]2181"}) {
    EXPECT_FALSE(parse_address(url).has_value()) << url << " accepted";
  }
}

TEST(Address, has_a_chroot_that_is_a_path) {
  expect_refused("zk://a//", "its chroot: ");
  expect_refused("zk://a//app", "its chroot: ");
  expect_refused("zk://a/app/", "it ends with a slash");
  expect_refused("zk://a/app//x", "empty part");
  expect_refused("zk://a/../x", "it has the part \"..\"");
  expect_refused("zk://a/zookeeper", "ZooKeeper keeps /zookeeper for itself");
  expect_refused("zk://a/app,b:2181/app\x01", "a control character");
}

TEST(Address, is_quoted_in_the_refusal) {
  EXPECT_NE(refusal_of("zk://a:0/app").find("\"zk://a:0/app\""), std::string::npos);
}

TEST(Address, does_not_smuggle_control_characters_into_the_refusal) {
  for (const auto url : {"zk://a\x1b[31m:0"sv, "\x1b[31m"sv, "zk://a\nb"sv, "zk://a:\x07"sv, "zk://a/\x1b"sv}) {
    for (const unsigned char c : refusal_of(url)) {
      ASSERT_TRUE(c >= 0x20 && c != 0x7f) << "byte " << static_cast<int>(c) << " of a refusal is raw";
    }
  }
}

TEST(Address, by_tls_has_a_port_of_its_own) {
  const auto address = parse_address("zks://zk1.example,10.0.0.1:2282/app");
  ASSERT_TRUE(address) << address.error();
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(net::to_text(address->servers), "zk1.example:2281,10.0.0.1:2282");
  EXPECT_EQ(address->chroot, "/app");
  EXPECT_FALSE(parse_address("zk://zk1.example")->tls);
  EXPECT_FALSE(parse_address("zks:zk1.example"));
}

}  // namespace
}  // namespace holdfast::zookeeper
