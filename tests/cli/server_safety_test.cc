// Whom the running command lets in: certificates and logins, as docs/server.md makes them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/logins.h"
#include "cli/server_command.h"
#include "support/plain_client.h"

namespace holdfast::testing {
namespace {

// A key and a certificate that it signs itself.
struct Certificate {
  Certificate(const TempDir& dir, const std::string& name)
      : key(dir / (name + ".key")), certificate(dir / (name + ".pem")) {
    Process openssl({.argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                              "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=" + name,
                              "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"},
                     .stderr_file = dir / "openssl"});
    EXPECT_EQ(openssl.wait(kPatience), 0);
  }
  std::string key;
  std::string certificate;
};

// The answer to srvr over TLS; empty if there is none.
std::string ask_by_tls(const TempDir& dir, const Server& server, const Certificate& trusted,
                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{"openssl",
                                   "s_client",
                                   "-connect",
                                   server.address(),
                                   "-CAfile",
                                   trusted.certificate,
                                   "-verify_return_error",
                                   "-quiet",
                                   "-verify_hostname",
                                   "localhost"};
  Process client({.argv = with(command, more), .stderr_file = dir / "s_client"});
  client.write_line("srvr");
  std::string answer;
  while (const auto line = client.read_line(kPatience)) answer += *line + "\n";
  return answer;
}

TEST(ServerCommand, serves_tls_with_a_certificate_made_by_hand) {
  const TempDir dir("tls");
  const Certificate ours(dir, "server");
  Server server({"--listen-tls", "127.0.0.1:0", "--tls-cert", ours.certificate, "--tls-key", ours.key});
  server.serves();
  EXPECT_NE(ask_by_tls(dir, server, ours).find("Mode: standalone"), std::string::npos) << server.errors();
}

TEST(ServerCommand, turns_away_who_has_no_certificate_if_it_asks_for_one) {
  const TempDir dir("tls");
  const Certificate ours(dir, "server");
  const Certificate theirs(dir, "client");
  Server server({"--listen-tls", "127.0.0.1:0", "--tls-cert", ours.certificate, "--tls-key", ours.key,
                 "--tls-client-ca", theirs.certificate});
  server.serves();
  EXPECT_EQ(ask_by_tls(dir, server, ours), "");
  EXPECT_NE(ask_by_tls(dir, server, ours, {"-cert", theirs.certificate, "-key", theirs.key}).find("Mode: standalone"),
            std::string::npos)
      << server.errors();
}

TEST(ServerCommand, says_which_certificate_it_cannot_read) {
  Server server({"--listen-tls", "127.0.0.1:0", "--tls-cert", "/nowhere/cert.pem", "--tls-key", "/nowhere/key.pem"});
  EXPECT_EQ(server.exit_code(), 1);
  EXPECT_NE(server.errors().find("/nowhere/cert.pem"), std::string::npos) << server.errors();
}

TEST(ServerCommand, serves_only_who_logs_in_if_it_asks_for_that) {
  const TempDir dir("auth");
  write_logins(dir);
  Server server(with(kAnyPort, {"--require-auth", (dir / "users").string()}));
  server.serves();

  EXPECT_EQ(PlainClient(server.address()).create("/a"), ZSESSIONCLOSEDREQUIRESASLAUTH) << server.errors();
  PlainClient client(server.address());
  ASSERT_EQ(zoo_add_auth(client.handle(), "digest", "orders:secret", 13, nullptr, nullptr), ZOK);
  EXPECT_EQ(client.create("/a"), ZOK);
}

}  // namespace
}  // namespace holdfast::testing
