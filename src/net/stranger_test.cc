#include "net/stranger.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::net {
namespace {

TEST(Stranger, is_known_by_its_answer) {
  EXPECT_EQ(describe_stranger(""), "");
  EXPECT_EQ(describe_stranger("-ERR unknown command 'srvr', with args beginning with: \r\n"), "a Redis listens there");
  EXPECT_EQ(describe_stranger("-NOAUTH Authentication required.\r\n"), "a Redis listens there");
  EXPECT_EQ(describe_stranger("HTTP/1.1 400 Bad Request\r\n"), "a web server listens there");
  EXPECT_EQ(describe_stranger("SSH-2.0-OpenSSH_9.2\r\n"), "an SSH server listens there");
  EXPECT_EQ(describe_stranger(std::string("\x15\x03\x01\x00\x02\x02\x46", 7)),
            "the server there wants TLS; write zks:// instead of zk://");
  EXPECT_EQ(describe_stranger("220 mail.example.org ESMTP\r\n"), "what listens there is not a ZooKeeper");
}

TEST(Stranger, that_speaks_plain_text_is_told_to_a_client_that_wanted_tls) {
  EXPECT_EQ(describe_stranger("Zookeeper version: 3.8.0-1\n", true),
            "the server there speaks plain text at this port; write zk:// instead of zks://, or name its secure port");
  EXPECT_EQ(describe_stranger(std::string("\x15\x03\x01\x00\x02\x02\x46", 7), true), "");
  EXPECT_EQ(describe_stranger("-ERR unknown command\r\n", true), "a Redis listens there");
}

TEST(Stranger, that_is_a_zookeeper_is_none) {
  EXPECT_EQ(describe_stranger("Zookeeper version: 3.8.0-1\nLatency min/avg/max: 0/0.0/0\n"), "");
  EXPECT_EQ(describe_stranger("srvr is not executed because it is not in the whitelist.\n"), "");
  EXPECT_EQ(describe_stranger("This ZooKeeper instance is not currently serving requests\n"),
            "the server there does not serve at the moment; has its ensemble a majority?");
}

}  // namespace
}  // namespace holdfast::net
