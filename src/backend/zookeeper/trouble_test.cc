#include "backend/zookeeper/trouble.h"

#include <gtest/gtest.h>

#include "backend/zookeeper/stranger.h"

namespace holdfast::zookeeper {
namespace {

TEST(Trouble, of_one_server_is_its_reason) {
  Trouble trouble;
  EXPECT_EQ(trouble.text({"10.0.0.1:2181"}), "no answer so far");
  trouble.failed("10.0.0.1:2181", "Connection refused");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181"}), "connection refused; is the server running?");
  trouble.failed("10.0.0.1:2181", "No route to host");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181"}), "no route to host");
}

TEST(Trouble, of_servers_with_one_reason_is_that_reason) {
  Trouble trouble;
  trouble.failed("10.0.0.1:2181", "Connection refused");
  trouble.failed("10.0.0.2:2181", "Connection refused");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181", "10.0.0.2:2181"}), "connection refused; is the server running?");
}

TEST(Trouble, of_several_servers_says_which) {
  Trouble trouble;
  trouble.failed("10.0.0.1:2181", "Connection refused");
  trouble.failed("::1:2181", "it does not answer");
  trouble.failed("10.0.0.3:2181", "Connection refused");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181", "::1:2181", "10.0.0.3:2181"}),
            "10.0.0.1:2181, 10.0.0.3:2181: connection refused; is the server running?; [::1]:2181: it does not answer");
}

TEST(Trouble, says_what_a_server_that_hangs_up_may_want) {
  Trouble trouble;
  for (const auto* why : {"closed by the server", "Connection reset by peer", "Broken pipe"}) {
    trouble.failed("10.0.0.1:2181", why);
    const auto text = trouble.text({"10.0.0.1:2181"});
    EXPECT_NE(text.find("too many connections from this address (maxClientCnxns)"), std::string::npos) << text;
    EXPECT_NE(text.find("TLS"), std::string::npos) << text;
  }
}

TEST(Trouble, is_rather_what_listens_there_than_why_a_line_was_lost) {
  Trouble trouble;
  trouble.found("10.0.0.1:2181", "");
  trouble.failed("10.0.0.1:2181", "it does not answer");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181"}), "it does not answer");
  trouble.found("10.0.0.1:2181", "a Redis listens there");
  trouble.failed("10.0.0.1:2181", "it does not answer");
  EXPECT_EQ(trouble.text({"10.0.0.1:2181"}), "a Redis listens there");
}

TEST(Trouble, of_many_servers_is_not_longer_than_anybody_reads) {
  Trouble trouble;
  std::vector<std::string> hosts;
  for (int i = 0; i < 100; ++i) {
    hosts.push_back("10.0.0.1:" + std::to_string(i));
    trouble.failed(hosts.back(), "reason " + std::to_string(i));
  }
  EXPECT_TRUE(trouble.text(hosts).ends_with("; and 95 more")) << trouble.text(hosts);
}

TEST(Stranger, is_known_by_its_answer) {
  EXPECT_EQ(describe_stranger(""), "");
  EXPECT_EQ(describe_stranger("-ERR unknown command 'srvr', with args beginning with: \r\n"), "a Redis listens there");
  EXPECT_EQ(describe_stranger("-NOAUTH Authentication required.\r\n"), "a Redis listens there");
  EXPECT_EQ(describe_stranger("HTTP/1.1 400 Bad Request\r\n"), "a web server listens there");
  EXPECT_EQ(describe_stranger("SSH-2.0-OpenSSH_9.2\r\n"), "an SSH server listens there");
  EXPECT_EQ(describe_stranger(std::string("\x15\x03\x01\x00\x02\x02\x46", 7)), "the server there wants TLS");
  EXPECT_EQ(describe_stranger("220 mail.example.org ESMTP\r\n"), "what listens there is not a ZooKeeper");
}

TEST(Stranger, that_is_a_zookeeper_is_none) {
  EXPECT_EQ(describe_stranger("Zookeeper version: 3.8.0-1\nLatency min/avg/max: 0/0.0/0\n"), "");
  EXPECT_EQ(describe_stranger("srvr is not executed because it is not in the whitelist.\n"), "");
  EXPECT_EQ(describe_stranger("This ZooKeeper instance is not currently serving requests\n"),
            "the server there does not serve at the moment; has its ensemble a majority?");
}

}  // namespace
}  // namespace holdfast::zookeeper
