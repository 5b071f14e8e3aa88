// docs/tls.md, "SASL": logins by Kerberos at a real ZooKeeper, with a KDC of the test's own.
#include "support/kerberos.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "network.h"
#include "support/tcp_relay.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;

// Apache's server as zookeeper/localhost. Clients that have not logged in are turned away.
class KerberosLogin : public ::testing::Test {
 protected:
  KerberosLogin() {
    // Read by libkrb5 in this process, before there is a thread.
    ::setenv("KRB5_CONFIG", kdc_.client_config().c_str(), 1);
    ::setenv("KRB5CCNAME", cache_.c_str(), 1);
    ::setenv("KRB5RCACHENAME", "none:", 1);
  }

  ZooKeeperOptions options() {
    const auto jaas = dir_ / "jaas.conf";
    std::ofstream(jaas) << fmt::format(
        "Server {{\n  com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"{}\"\n"
        "  storeKey=true useTicketCache=false principal=\"zookeeper/localhost@{}\";\n}};\n",
        kdc_.add_principal("zookeeper/localhost").string(), Kerberos::kRealm);
    return {.java_options = {"-Djava.security.auth.login.config=" + jaas.string(),
                             "-Djava.security.krb5.conf=" + kdc_.client_config().string(),
                             "-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                             "-Dzookeeper.sessionRequireClientSASLAuth=true"}};
  }

  void log_ann_in() { kdc_.log_in("ann", ann_, cache_); }

  // By the name that the server's principal has.
  static std::string url(std::uint16_t port) { return fmt::format("zk://localhost:{}", port); }

  std::string sentence_of(ClientOptions options, Errc code) {
    try {
      auto client = Client::connect(url(server_.port()), std::move(options));
      return "connected";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
  }

  TempDir dir_{"kerberos-login"};
  Kerberos kdc_;
  fs::path cache_ = dir_ / "cache";
  fs::path ann_ = kdc_.add_principal("ann");
  ZooKeeperServer server_{options()};
};

TEST_F(KerberosLogin, lets_a_principal_lock_also_after_lost_connections) {
  log_ann_in();
  TcpRelay relay(server_.port());
  auto client = Client::connect(
      url(relay.port()),
      {.session_timeout = 10s,
       .zookeeper = {.acl = {{"sasl", fmt::format("ann@{}", Kerberos::kRealm)}}, .sasl = {.mechanism = "GSSAPI"}}});
  auto lease = client.mutex("a").acquire();
  for (int i = 0; i < 3; ++i) {
    relay.cut_all();
    ASSERT_TRUE(eventually(kSoon, [&] { return static_cast<bool>(client.mutex("c").try_acquire_for(1s)); })) << i;
  }
  EXPECT_TRUE(lease.is_held());
}

TEST_F(KerberosLogin, says_what_is_missing) {
  const auto where = fmt::format("no login at ZooKeeper at localhost:{}: ", server_.port());
  const auto no_ticket = sentence_of({.zookeeper = {.sasl = {.mechanism = "GSSAPI"}}}, Errc::refused);
  EXPECT_EQ(no_ticket.find(where + "there is no Kerberos ticket for zookeeper@localhost ("), 0U) << no_ticket;
  EXPECT_NE(no_ticket.find("run kinit"), std::string::npos) << no_ticket;
  log_ann_in();
  const auto unknown =
      sentence_of({.zookeeper = {.sasl = {.mechanism = "GSSAPI", .service = "keeper"}}}, Errc::refused);
  EXPECT_EQ(unknown.find(where + "there is no Kerberos ticket for keeper@localhost ("), 0U) << unknown;
  // A service of this realm that is not the server's: its ticket is of no use there.
  kdc_.add_principal("other/localhost");
  EXPECT_EQ(sentence_of({.zookeeper = {.sasl = {.mechanism = "GSSAPI", .service = "other"}}}, Errc::refused),
            where +
                "it refuses the login by GSSAPI; does it have a keytab for other/localhost, and log in by Kerberos "
                "itself?");
}

// libkrb5 waits for it in a thread of its own: neither that client nor others do.
TEST_F(KerberosLogin, does_not_stop_a_client_while_the_kdc_is_silent) {
  log_ann_in();
  kdc_.pause();
  ZooKeeperServer without_logins;
  auto other = Client::connect("zk://" + without_logins.address());
  // The second one destroys its login beside the first one's, which still waits for the KDC.
  for (int i = 0; i < 2; ++i) {
    const auto begin = Clock::now();
    sentence_of({.connection_timeout = 1s, .zookeeper = {.sasl = {.mechanism = "GSSAPI"}}}, Errc::not_connected);
    EXPECT_LT(Clock::now() - begin, kSoon);
    EXPECT_TRUE(other.mutex("a").try_acquire_for(kSoon));
  }
  kdc_.resume();
  auto client =
      Client::connect(url(server_.port()), {.connection_timeout = 60s, .zookeeper = {.sasl = {.mechanism = "GSSAPI"}}});
  EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon));
}

}  // namespace
}  // namespace holdfast::testing
