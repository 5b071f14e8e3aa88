// docs/tls.md: locks by TLS, on a real server, with a network that fails.
#include <fmt/format.h>

#include <filesystem>

#include "network.h"
#include "support/secure_server.h"
#include "support/tcp_relay.h"

namespace holdfast::testing {
namespace {

std::string sentence_of(const std::string& url, ClientOptions options = {}) {
  if (options.connection_timeout == ClientOptions().connection_timeout) options.connection_timeout = 2s;
  try {
    auto client = Client::connect(url, std::move(options));
    return "connected";
  } catch (const Error& error) {
    return error.what();
  }
}

bool says(const std::string& sentence, std::string_view what) { return sentence.find(what) != std::string::npos; }

TEST(Tls, carries_locks_of_every_kind_for_clients_with_a_certificate) {
  SecureServer server({.wants_client_certificates = true});
  const ClientOptions options{.tls = {.ca = server.authority().certificate,
                                      .certificate = server.client().certificate,
                                      .key = server.client().key}};
  auto client = Client::connect("zks://" + server.address(), options);
  auto other = Client::connect("zks://" + server.address(), options);

  auto mine = client.mutex("orders/1");
  auto lease = mine.acquire();
  auto theirs = other.mutex("orders/1");
  EXPECT_FALSE(theirs.try_acquire_for(50ms));
  lease.release();
  EXPECT_TRUE(theirs.try_acquire_for(kSoon));

  auto shared = client.shared_mutex("table");
  const auto read = shared.acquire_shared();
  EXPECT_TRUE(other.shared_mutex("table").try_acquire_shared_for(kSoon));
  EXPECT_FALSE(other.shared_mutex("table").try_acquire_for(50ms));

  auto permits = client.semaphore("printers", 2);
  const auto one = permits.acquire();
  EXPECT_TRUE(other.semaphore("printers", 2).try_acquire_for(kSoon));
  EXPECT_EQ(client.inspect_all().size(), 2U);
}

TEST(Tls, keeps_a_hold_when_the_connection_is_cut) {
  SecureServer server;
  TcpRelay relay(server.secure_port());
  auto client = Client::connect(fmt::format("zks://127.0.0.1:{}", relay.port()),
                                {.session_timeout = 10s, .tls = {.ca = server.authority().certificate}});
  auto lease = client.mutex("a").acquire();
  for (int i = 0; i < 5; ++i) {
    relay.cut_all();
    ASSERT_TRUE(eventually(kSoon, [&] { return static_cast<bool>(client.mutex("b").try_acquire_for(1s)); })) << i;
  }
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.lost().stop_requested());
}

TEST(Tls, tells_of_the_loss_before_a_rival_is_granted) {
  SecureServer server;
  TcpRelay relay(server.secure_port());
  const TlsOptions tls{.ca = server.authority().certificate};
  auto client = Client::connect(fmt::format("zks://127.0.0.1:{}", relay.port()), {.session_timeout = 1s, .tls = tls});
  auto rival = Client::connect("zks://" + server.address(), {.tls = tls});
  auto lease = client.mutex("a").acquire();
  relay.stall();
  auto won = rival.mutex("a").acquire();
  EXPECT_TRUE(lease.lost().stop_requested());
  relay.heal();
  EXPECT_TRUE(eventually(kSoon, [&] { return static_cast<bool>(client.mutex("b").try_acquire_for(1s)); }));
}

TEST(Tls, takes_up_its_session_at_a_server_with_a_renewed_certificate) {
  SecureServer server;
  const auto next = make_certificate(server.directory().path(), "next", {.signs_others = true});
  const std::string ca = server.directory() / "ca.pem";
  std::filesystem::copy_file(server.authority().certificate, ca);
  auto client = Client::connect("zks://" + server.address(), {.session_timeout = 30s, .tls = {.ca = ca}});
  auto lease = client.mutex("a").acquire();
  std::filesystem::copy_file(next.certificate, ca, std::filesystem::copy_options::overwrite_existing);
  server.renew_certificate(next);
  server.server().restart();
  EXPECT_TRUE(eventually(kSoon, [&] { return static_cast<bool>(client.mutex("b").try_acquire_for(1s)); }));
  EXPECT_TRUE(lease.is_held());
}

TEST(Tls, says_what_is_wrong_between_client_and_server) {
  SecureServer server;
  const auto secure = server.address();
  const TlsOptions right{.ca = server.authority().certificate};
  const auto localhost = fmt::format("zks://localhost:{}", server.secure_port());

  auto said = sentence_of("zks://" + secure, {.tls = {.ca = server.stranger().certificate}});
  EXPECT_TRUE(says(said, "its certificate is not signed by an authority in " + server.stranger().certificate)) << said;
  said = sentence_of(localhost, {.tls = right});
  EXPECT_TRUE(says(said,
                   "its certificate is for zk.example, 127.0.0.1, and not for localhost; write it in the URL by "
                   "one of its names, or set tls.server_name to one"))
      << said;
  said = sentence_of(localhost, {.tls = {.ca = right.ca, .server_name = "zk.example"}});
  EXPECT_EQ(said, "connected");
  said = sentence_of("zk://" + secure);
  EXPECT_TRUE(says(said, "the server there wants TLS; write zks:// instead of zk://")) << said;
  said = sentence_of("zks://" + server.server().address(), {.tls = right});
  EXPECT_TRUE(says(said, "the server there speaks plain text at this port; write zk:// instead of zks://")) << said;
  said = sentence_of("zk://" + secure, {.tls = right});
  EXPECT_TRUE(says(said, "is a URL without it; write zks://")) << said;
  said = sentence_of("zks://" + secure, {.tls = {.ca = "/nowhere/ca.pem"}});
  EXPECT_EQ(said, "cannot use the TLS CA in /nowhere/ca.pem: no such file or directory");
}

TEST(Tls, says_that_the_servers_certificate_has_expired) {
  SecureServer server({.until = std::chrono::hours(-24)});
  const auto said = sentence_of("zks://" + server.address(), {.tls = {.ca = server.authority().certificate}});
  EXPECT_TRUE(says(said, "its certificate has expired on 20")) << said;
  EXPECT_TRUE(says(said, "; renew it on the server")) << said;
}

TEST(Tls, says_that_the_server_wants_another_certificate_of_the_client) {
  SecureServer server({.wants_client_certificates = true});
  const auto url = "zks://" + server.address();
  auto said = sentence_of(url, {.tls = {.ca = server.authority().certificate}});
  EXPECT_TRUE(says(said, "the server wants a certificate of the client; name one with tls.certificate and tls.key"))
      << said;
  said = sentence_of(url, {.tls = {.ca = server.authority().certificate,
                                   .certificate = server.stranger().certificate,
                                   .key = server.stranger().key}});
  EXPECT_TRUE(says(said, "the server does not accept the certificate in " + server.stranger().certificate)) << said;
}

}  // namespace
}  // namespace holdfast::testing
