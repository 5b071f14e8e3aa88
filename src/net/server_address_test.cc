#include "net/server_address.h"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

TEST(ServerAddresses, have_ports_and_brackets) {
  const auto servers = parse_servers("10.0.0.1:2182,[::1]:2183,zoo,[fe80::1]");
  ASSERT_TRUE(servers) << servers.error();
  EXPECT_EQ(to_text(*servers), "10.0.0.1:2182,[::1]:2183,zoo:2181,[fe80::1]:2181");
  EXPECT_EQ((*servers)[1], (ServerAddress{"::1", "2183"}));
  for (const std::string text : {"", ":1", "a:", "a:0", "a:65536", "a:x", "[::1", "[::1]2", "a,,b", "::1", "a b"}) {
    EXPECT_FALSE(parse_servers(text)) << text;
  }
}

TEST(ServerAddresses, have_the_port_of_tls_where_that_is_asked_for) {
  EXPECT_EQ(to_text(*parse_servers("zoo,[::1],a:1", kTlsPort)), "zoo:2281,[::1]:2281,a:1");
}

TEST(ServerAddresses, are_shown_by_the_name_that_was_looked_up) {
  EXPECT_EQ((ServerAddress{"10.0.0.1", "2181", "zoo"}).text(), "zoo:2181");
  EXPECT_EQ((ServerAddress{"10.0.0.1", "2181", "zoo"}).name_or_host(), "zoo");
  EXPECT_EQ((ServerAddress{"10.0.0.1", "2181"}).name_or_host(), "10.0.0.1");
}

TEST(ServerAddresses, may_be_the_path_of_a_socket) {
  const auto servers = parse_servers("/run/a,b:1");
  ASSERT_TRUE(servers);
  ASSERT_EQ(servers->size(), 1u);
  EXPECT_TRUE(servers->front().is_path());
  EXPECT_EQ(servers->front().text(), "/run/a,b:1");
}

TEST(ServerAddresses, are_not_more_than_an_ensemble_has) {
  std::string list = "a:1";
  for (int i = 1; i < 100; ++i) list += ",a:1";
  EXPECT_TRUE(parse_servers(list));
  EXPECT_FALSE(parse_servers(list + ",a:1"));
}

TEST(ServerAddresses, are_recognised_by_their_ports) {
  for (const std::string text : {"a:1", "a:1,b:2", "[::1]:2181", "10.0.0.1:2181/app", "zk:2181"}) {
    EXPECT_TRUE(looks_like_servers(text)) << text;
  }
  for (const std::string text : {"", "a", "a,b:1", "a:1,", "[::1]", "::1:2181", "local:", "http://a:80", "/run/a:1"}) {
    EXPECT_FALSE(looks_like_servers(text)) << text;
  }
}

}  // namespace
}  // namespace holdfast::net
