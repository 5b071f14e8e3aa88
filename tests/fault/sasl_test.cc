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
  SecureServerOptions options() {
    const auto jaas = write_file(dir_, "jaas.conf",
                                 "Server {\n  org.apache.zookeeper.server.auth.DigestLoginModule required\n"
                                 "  user_ann=\"secret\";\n};\n");
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
