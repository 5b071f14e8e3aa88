#include "backend/redis/address.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::redis {
namespace {

Address of(std::string_view url) {
  auto address = parse_address(url);
  EXPECT_TRUE(address) << url << ": " << (address ? "" : address.error());
  return address.value_or(Address{});
}

std::string servers_of(std::string_view url) { return net::to_text(of(url).servers); }

std::string refusal_of(std::string_view url) {
  const auto address = parse_address(url);
  EXPECT_FALSE(address.has_value()) << url << " was taken for " << (address ? address->called : "");
  return address ? "" : address.error();
}

void expect_refused(std::string_view url, std::string_view because) {
  const auto sentence = refusal_of(url);
  EXPECT_NE(sentence.find(because), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("is not a Redis address: "), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; write redis"), std::string::npos) << sentence;
}

TEST(RedisAddress, of_one_server) {
  const auto address = of("redis://10.0.0.1:6380");
  EXPECT_EQ(net::to_text(address.servers), "10.0.0.1:6380");
  EXPECT_EQ(address.called, "Redis at 10.0.0.1:6380");
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "");
  EXPECT_EQ(address.database, 0);
  EXPECT_FALSE(address.tls);
  EXPECT_FALSE(address.mode || address.prefix || address.key);
}

TEST(RedisAddress, without_a_port_means_6379_and_26379_for_sentinels) {
  EXPECT_EQ(servers_of("redis://a,b:1,c"), "a:6379,b:1,c:6379");
  EXPECT_EQ(servers_of("rediss://a"), "a:6379");
  EXPECT_EQ(servers_of("redis+sentinel://a,b:1/m"), "a:26379,b:1");
}

TEST(RedisAddress, of_ipv6_stands_in_brackets) {
  EXPECT_EQ(servers_of("redis://[::1]:1,[2001:db8::2]/3"), "[::1]:1,[2001:db8::2]:6379");
  EXPECT_EQ(servers_of("redis://ann:pw@[::1]:1"), "[::1]:1");
  expect_refused("redis://::1", "is an IPv6 address without brackets");
  expect_refused("redis://[::1", "has no closing bracket");
}

TEST(RedisAddress, has_a_user_and_a_password_in_which_any_byte_can_be_written) {
  const auto address = of("redis://an%40n:p%2f%3A%25%00x:y@host");
  EXPECT_EQ(address.user, "an@n");
  EXPECT_EQ(address.password, std::string("p/:%\0x:y", 8));
  EXPECT_EQ(of("redis://:secret@host").password, "secret");
  EXPECT_EQ(of("redis://:secret@host").user, "");
  EXPECT_EQ(of("redis://ann@host").user, "ann");
  EXPECT_EQ(of("redis://ann:p@ss@host").password, "p@ss") << "the last @ ends it";
  EXPECT_EQ(of("redis://ann:p@ss@host").servers.front().host, "host");
}

TEST(RedisAddress, may_have_a_database) {
  EXPECT_EQ(of("redis://host/15").database, 15);
  EXPECT_EQ(of("redis://host/").database, 0);
  EXPECT_EQ(of("redis+sentinel://host/m/2").database, 2);
  EXPECT_EQ(of("redis+unix:///run/redis.sock?db=4").database, 4);
  for (const auto* url : {"redis://host/app", "redis://host/-1", "redis://host/1/2", "redis://host/99999999999",
                          "redis+sentinel://h/m/x", "redis+unix:///s?db=x"}) {
    expect_refused(url, "is not the number of a database, such as 0");
  }
}

TEST(RedisAddress, of_a_unix_socket) {
  const auto address = of("redis+unix://ann:pw@/run/my%20redis.sock");
  EXPECT_EQ(address.servers.front().host, "/run/my redis.sock");
  EXPECT_EQ(address.user, "ann");
  EXPECT_EQ(address.called, "Redis at /run/my redis.sock");
  expect_refused("redis+unix://run/redis.sock", "the path of a socket begins with a slash");
  expect_refused("redis+unix://", "there is no path");
}

TEST(RedisAddress, of_sentinels_names_the_master) {
  const auto address = of("rediss+sentinel://:pw@s1,s2/my%2Fmaster");
  EXPECT_EQ(address.master, "my/master");
  EXPECT_EQ(address.password, "pw");
  EXPECT_TRUE(address.tls);
  EXPECT_EQ(address.called, "Redis, master my/master of the Sentinels at s1:26379,s2:26379");
  for (const auto* url : {"redis+sentinel://host", "redis+sentinel://host/", "redis+sentinel://host//0"}) {
    expect_refused(url, "after the Sentinels comes the name of the master, as they know it");
  }
}

TEST(RedisAddress, may_say_how_locks_are_kept) {
  EXPECT_EQ(of("redis://host?mode=queue").mode, RedisMode::queue);
  EXPECT_EQ(of("redis://host/?mode=cell&key=lock:%s").mode, RedisMode::cell);
  EXPECT_EQ(of("redis://host/?mode=cell&key=lock:%s").key, "lock:%s");
  EXPECT_EQ(of("redis://host/1?key=a%26b%25%73:%s").key, "a&b%s:%s");
  EXPECT_EQ(of("redis://host?mode=redisson").mode, RedisMode::redisson);
  EXPECT_EQ(of("redis://host?prefix=billing").prefix, "billing");
  expect_refused("redis://host?mode=fast", "\"fast\" is not a mode; queue, cell and redisson are");
  expect_refused("redis://host?mode", "\"\" is not a mode");
  expect_refused("redis://host?ttl=3", "\"ttl\" is not a setting; mode, prefix and key are");
  expect_refused("redis://host?db=3", "\"db\" is not a setting");
}

TEST(RedisAddress, that_is_wrong_is_refused_with_one_sentence) {
  expect_refused("redis:localhost", "it does not begin with redis://");
  expect_refused("redis+tcp://localhost", "it does not begin with redis://");
  expect_refused("redis://", "a host is empty");
  expect_refused("redis://a,,b", "a host is empty");
  expect_refused("redis://host:0", "\"0\" is not a port between 1 and 65535");
  expect_refused("redis://ho st", "\"ho st\" is not a host");
  expect_refused("redis://a%zz:x@host", "a percent sign is not followed by two hexadecimal digits");
  expect_refused("redis://a:100%@host", "write %25 for the sign itself");
  expect_refused("redis://:a/b@host", "in a password write %2F and %3F for those");
}

TEST(RedisAddress, never_shows_a_password) {
  EXPECT_EQ(without_password("redis://ann:secret@host/1?mode=queue"), "redis://ann:***@host/1?mode=queue");
  EXPECT_EQ(without_password("redis://:secret@host"), "redis://:***@host");
  EXPECT_EQ(without_password("redis://:se@cret@host"), "redis://:***@host");
  EXPECT_EQ(without_password("redis://:se/cret@host"), "redis://:***@host") << "also of a URL that is wrong";
  EXPECT_EQ(without_password("redis://host:1/2"), "redis://host:1/2");
  EXPECT_EQ(without_password("redis://ann@host:1"), "redis://ann@host:1");
  EXPECT_EQ(without_password("zk://a@b:1"), "zk://a@b:1");
  for (const auto* url : {"redis://:secret@host:0", "redis://:se%zzcret@host", "redis://:secret/@host",
                          "redis://:secret@host/x", "redis+sentinel://:secret@host", "redis://:secret@"}) {
    EXPECT_EQ(refusal_of(url).find("cret"), std::string::npos) << refusal_of(url);
  }
}

TEST(RedisAddress, is_told_from_those_of_other_stores) {
  for (const auto* url : {"redis://a", "redis:", "rediss://", "redis+unix:///x", "redis+sentinel://a/b", "redis+x:"}) {
    EXPECT_TRUE(is_address(url)) << url;
  }
  for (const auto* url : {"", "redis", "zk://redis:1", "memory:", "Redis://a", "redis:6379,zoo:2181/app"}) {
    EXPECT_FALSE(is_address(url)) << url;
  }
}

}  // namespace
}  // namespace holdfast::redis
