// docs/tls.md, "SASL": logins at a real ZooKeeper with JAAS users; and what is said when there is none.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "network.h"
#include "support/secure_server.h"
#include "support/tcp_relay.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;

std::string write_file(const TempDir& dir, const std::string& name, const std::string& text) {
  const fs::path file = dir / name;
  std::ofstream(file) << text;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return file.string();
}

// Apache's server with a user of JAAS, "ann" and her password "secret". Clients that have not logged in are turned away.
class Sasl : public ::testing::Test {
 protected:
  SecureServerOptions options(const std::string& password = "secret") {
    const auto jaas = write_file(dir_, password + ".conf",
                                 "Server {\n  org.apache.zookeeper.server.auth.DigestLoginModule required\n"
                                 "  user_ann=\"" +
                                     password + "\";\n};\n");
    return {.java_options = {"-Djava.security.auth.login.config=" + jaas,
                             "-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                             "-Dzookeeper.sessionRequireClientSASLAuth=true"}};
  }
  SaslOptions ann() { return {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = password_}; }

  std::string sentence_of(const std::string& url, ClientOptions options) {
    try {
      auto client = Client::connect(url, std::move(options));
      return "connected";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::refused) << error.what();
      return error.what();
    }
  }

  TempDir dir_{"sasl"};
  std::string password_ = write_file(dir_, "password", "secret\n");
};

TEST_F(Sasl, lets_a_user_of_jaas_lock_with_tls_and_without_also_after_lost_connections) {
  SecureServer server(options());
  TcpRelay relay(server.secure_port());
  auto plain = Client::connect("zk://" + server.server().address(), {.zookeeper = {.sasl = ann()}});
  EXPECT_TRUE(plain.mutex("b").try_acquire_for(kSoon));
  auto client = Client::connect(fmt::format("zks://127.0.0.1:{}", relay.port()),
                                {.session_timeout = 10s,
                                 .tls = {.ca = server.authority().certificate},
                                 .zookeeper = {.acl = {{"sasl", "ann"}}, .sasl = ann()}});
  auto lease = client.mutex("a").acquire();
  for (int i = 0; i < 3; ++i) {
    relay.cut_all();
    ASSERT_TRUE(eventually(kSoon, [&] { return static_cast<bool>(client.mutex("c").try_acquire_for(1s)); })) << i;
  }
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Sasl, says_what_is_wrong_with_a_login) {
  SecureServer server(options());
  const auto url = "zk://" + server.server().address();
  const auto where = "no login at ZooKeeper at " + server.server().address() + ": ";
  const auto wrong = write_file(dir_, "wrong", "guess\n");
  EXPECT_EQ(
      sentence_of(url, {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = wrong}}}),
      where + "it refuses the login of user \"ann\"; correct sasl.user, or the password in " + wrong);
  // Not with ann's password: ZooKeeper keeps the name of the last user it knew (SaslServerCallbackHandler), and takes that user's password
  // from one that it does not know.
  EXPECT_EQ(
      sentence_of(url, {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "bob", .password_file = wrong}}}),
      where + "it refuses the login of user \"bob\"; correct sasl.user, or the password in " + wrong);
  EXPECT_EQ(sentence_of(
                url, {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = "/nowhere"}}}),
            where + "cannot use the password file /nowhere: No such file or directory");
  fs::permissions(wrong, fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(
      sentence_of(url, {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = wrong}}}),
      where + "cannot use the password file " + wrong +
          ": every user of this machine may read or write it; chmod o= " + wrong);
}

// As while the file with the password is being replaced, or a KDC is restarted.
TEST_F(Sasl, that_cannot_be_made_for_a_moment_is_made_later_also_in_a_new_session) {
  SecureServer server(options());
  FaultProxy proxy(server.server().port());
  auto client =
      Client::connect("zk://" + proxy.address(),
                      {.session_timeout = 2s, .zookeeper = {.sasl = ann()}, .retry = RetryPolicy::forever(50ms)});
  auto lease = client.mutex("a").acquire();
  proxy.refuse(true);
  proxy.cut_all();
  fs::rename(password_, dir_ / "away");
  // Past the end of its session.
  auto other = Client::connect(
      "zk://" + server.server().address(),
      {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = (dir_ / "away").string()}}});
  ASSERT_TRUE(other.mutex("a").try_acquire_for(kSoon));
  proxy.refuse(false);
  const auto meanwhile = client.mutex("a").try_acquire_for(3s);
  EXPECT_EQ(meanwhile.error(), Errc::timed_out) << meanwhile.message();
  EXPECT_NE(meanwhile.message().find("before /a could be reached"), std::string::npos) << meanwhile.message();
  fs::rename(dir_ / "away", password_);
  EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon));
}

// As a server that was not told of a new user. Which one a client tries first is left to chance.
TEST_F(Sasl, that_one_server_refuses_is_made_at_another_and_refused_only_by_all) {
  SecureServer right(options());
  SecureServer wrong(options("another"));
  const auto both = "zk://" + right.server().address() + "," + wrong.server().address();
  for (int i = 0; i < 8; ++i) {
    auto client = Client::connect(both, {.connection_timeout = 60s, .zookeeper = {.sasl = ann()}});
    EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon));
  }
  const auto guess = write_file(dir_, "guess", "guess\n");
  const auto began = Clock::now();
  EXPECT_EQ(
      sentence_of(both, {.connection_timeout = 60s,
                         .zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = guess}}}),
      "no login at ZooKeeper at " + both.substr(5) +
          ": it refuses the login of user \"ann\"; correct sasl.user, or "
          "the password in " +
          guess);
  EXPECT_LT(Clock::now() - began, 30s);
}

// Also the engine, which has no SASL.
TEST_F(Sasl, says_that_a_server_does_not_offer_the_mechanism) {
  ZooKeeperServer server;
  EXPECT_EQ(sentence_of("zk://" + server.address(), {.zookeeper = {.sasl = ann()}}),
            "no login at ZooKeeper at " + server.address() +
                ": it does not offer a login by DIGEST-MD5; give the server a JAAS section \"Server\" for it, or leave "
                "sasl out");
}

}  // namespace
}  // namespace holdfast::testing
