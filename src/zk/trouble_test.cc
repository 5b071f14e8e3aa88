#include "zk/trouble.h"

#include <gtest/gtest.h>

namespace holdfast::zk {
namespace {

const net::ServerAddress kFirst{"10.0.0.1", "2181"};
const net::ServerAddress kSecond{"10.0.0.2", "2181"};
const net::ServerAddress kThird{"10.0.0.3", "2181"};
const net::ServerAddress kLocal{"::1", "2181"};

TEST(Trouble, of_one_server_is_its_reason) {
  Trouble trouble;
  EXPECT_EQ(trouble.text({kFirst}), "no answer so far");
  trouble.failed(kFirst, "Connection refused");
  EXPECT_EQ(trouble.text({kFirst}), "connection refused; is the server running?");
  trouble.failed(kFirst, "No route to host");
  EXPECT_EQ(trouble.text({kFirst}), "no route to host");
}

TEST(Trouble, of_servers_with_one_reason_is_that_reason) {
  Trouble trouble;
  trouble.failed(kFirst, "Connection refused");
  trouble.failed(kSecond, "Connection refused");
  EXPECT_EQ(trouble.text({kFirst, kSecond}), "connection refused; is the server running?");
}

TEST(Trouble, of_several_servers_says_which) {
  Trouble trouble;
  trouble.failed(kFirst, "Connection refused");
  trouble.failed(kLocal, "it does not answer");
  trouble.failed(kThird, "Connection refused");
  EXPECT_EQ(trouble.text({kFirst, kLocal, kThird}),
            "10.0.0.1:2181, 10.0.0.3:2181: connection refused; is the server running?; [::1]:2181: it does not answer");
}

TEST(Trouble, says_what_a_server_that_hangs_up_may_want) {
  Trouble trouble;
  for (const auto* why : {"closed by the server", "Connection reset by peer", "Broken pipe"}) {
    trouble.failed(kFirst, why);
    const auto text = trouble.text({kFirst});
    EXPECT_NE(text.find("too many connections from this address (maxClientCnxns)"), std::string::npos) << text;
    EXPECT_NE(text.find("TLS"), std::string::npos) << text;
  }
}

TEST(Trouble, is_rather_what_listens_there_than_why_a_line_was_lost) {
  Trouble trouble;
  trouble.found(kFirst, {});
  trouble.failed(kFirst, "it does not answer");
  EXPECT_EQ(trouble.text({kFirst}), "it does not answer");
  trouble.found(kFirst, {"a Redis listens there", true});
  trouble.failed(kFirst, "it does not answer");
  EXPECT_EQ(trouble.text({kFirst}), "a Redis listens there");
}

TEST(Trouble, is_for_good_once_every_server_is_of_another_kind) {
  Trouble trouble;
  trouble.found(kFirst, {"a Redis listens there", true});
  EXPECT_TRUE(trouble.all_are_strangers({kFirst}));
  EXPECT_FALSE(trouble.all_are_strangers({kFirst, kSecond})) << "nothing is known of the second";
  trouble.found(kSecond, {"the server there does not serve at the moment"});
  EXPECT_FALSE(trouble.all_are_strangers({kFirst, kSecond})) << "it may serve in a moment";
  trouble.found(kSecond, {"a web server listens there", true});
  EXPECT_TRUE(trouble.all_are_strangers({kFirst, kSecond}));
}

TEST(Trouble, of_many_servers_is_not_longer_than_anybody_reads) {
  Trouble trouble;
  net::ServerAddresses hosts;
  for (int i = 0; i < 100; ++i) {
    hosts.push_back({"10.0.0.1", std::to_string(i)});
    trouble.failed(hosts.back(), "reason " + std::to_string(i));
  }
  EXPECT_TRUE(trouble.text(hosts).ends_with("; and 95 more")) << trouble.text(hosts);
}

}  // namespace
}  // namespace holdfast::zk
