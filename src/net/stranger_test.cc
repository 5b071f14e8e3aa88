#include "net/stranger.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::net {
namespace {

TEST(Stranger, is_known_by_its_answer) {
  EXPECT_EQ(describe_stranger("").clause, "");
  EXPECT_EQ(describe_stranger("-ERR unknown command 'srvr', with args beginning with: \r\n").clause,
            "a Redis listens there");
  EXPECT_EQ(describe_stranger("-NOAUTH Authentication required.\r\n").clause, "a Redis listens there");
  EXPECT_EQ(describe_stranger("HTTP/1.1 400 Bad Request\r\n").clause, "a web server listens there");
  EXPECT_EQ(describe_stranger("SSH-2.0-OpenSSH_9.2\r\n").clause, "an SSH server listens there");
  EXPECT_EQ(describe_stranger(std::string("\x15\x03\x01\x00\x02\x02\x46", 7)).clause,
            "the server there wants TLS; write zks:// instead of zk://");
  EXPECT_EQ(describe_stranger("220 mail.example.org ESMTP\r\n").clause, "what listens there is not a ZooKeeper");
}

TEST(Stranger, that_speaks_plain_text_is_told_to_a_client_that_wanted_tls) {
  EXPECT_EQ(describe_stranger("Zookeeper version: 3.8.0-1\n", true).clause,
            "the server there speaks plain text at this port; write zk:// instead of zks://, or name its secure port");
  EXPECT_EQ(describe_stranger(std::string("\x15\x03\x01\x00\x02\x02\x46", 7), true).clause, "");
  EXPECT_EQ(describe_stranger("-ERR unknown command\r\n", true).clause, "a Redis listens there");
}

TEST(Stranger, of_another_kind_will_never_give_a_session) {
  const std::string tls("\x15\x03\x01\x00\x02\x02\x46", 7);
  for (const auto& answer : {std::string("-ERR unknown"), std::string("HTTP/1.1 400 Bad Request\r\n"),
                             std::string("<!DOCTYPE HTML>"), std::string("SSH-2.0-OpenSSH_9.2\r\n"), tls}) {
    EXPECT_TRUE(describe_stranger(answer).another_kind) << answer;
  }
  EXPECT_FALSE(describe_stranger("Zookeeper version: 3.8.0-1\n", true).another_kind) << "it may take TLS there, too";
  for (const std::string answer : {"", "Zookeeper version: 3.8.0-1\n", "220 mail.example.org ESMTP\r\n",
                                   "This ZooKeeper instance is not currently serving requests\n"}) {
    EXPECT_FALSE(describe_stranger(answer).another_kind) << answer;
  }
  EXPECT_FALSE(describe_stranger(tls, true).another_kind);
}

TEST(Stranger, that_is_a_zookeeper_is_none) {
  EXPECT_EQ(describe_stranger("Zookeeper version: 3.8.0-1\nLatency min/avg/max: 0/0.0/0\n").clause, "");
  EXPECT_EQ(describe_stranger("srvr is not executed because it is not in the whitelist.\n").clause, "");
  EXPECT_EQ(describe_stranger("This ZooKeeper instance is not currently serving requests\n").clause,
            "the server there does not serve at the moment; has its ensemble a majority?");
}

}  // namespace
}  // namespace holdfast::net
