#include "net/client_tls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/server_tls.h"
#include "support/certificate.h"
#include "support/temp_dir.h"

namespace holdfast::net {
namespace {

using testing::CertificateFiles;
using testing::make_certificate;
using namespace std::chrono_literals;

// The two sides of one connection, and what each has heard.
struct Pair {
  std::unique_ptr<TlsStream> client;
  std::unique_ptr<TlsStream> server;
  std::string at_client{};
  std::string at_server{};

  // Until neither has anything to send.
  void run() {
    while (client->has_wire() || server->has_wire()) {
      if (client->has_wire()) server->receive(client->take_wire(), at_server);
      if (server->has_wire()) client->receive(server->take_wire(), at_client);
    }
  }
};

class ClientTlsTest : public ::testing::Test {
 protected:
  CertificateFiles certificate(const std::string& name, std::vector<std::string> names,
                               std::chrono::hours until = 24h) const {
    return make_certificate(dir_.path(), name, {.names = std::move(names), .authority = authority_, .until = until});
  }

  Pair pair(ClientTls& client, const CertificateFiles& server, const std::string& client_ca = {},
            const std::string& host = "zk1.example") const {
    return {*client.connect(host), (*ServerTls::read({server.certificate, server.key, client_ca}))->accept()};
  }

  // What became of a connection to `host`: empty if both sides could talk, else why the client ended it.
  std::string outcome(const TlsOptions& options, const CertificateFiles& server, const std::string& client_ca = {},
                      const std::string& host = "zk1.example") const {
    ClientTls client(options);
    auto made = pair(client, server, client_ca, host);
    made.run();
    if (!made.client->open()) return made.client->trouble();
    made.client->seal("ping");
    made.run();
    return made.client->open() ? "" : made.client->trouble();
  }

  std::string why_not(const TlsOptions& options) const {
    ClientTls client(options);
    const auto stream = client.connect("zk1.example");
    return stream ? "" : stream.error();
  }

  testing::TempDir dir_{"tls"};
  CertificateFiles authority_ = make_certificate(dir_.path(), "authority", {.signs_others = true});
  CertificateFiles other_authority_ = make_certificate(dir_.path(), "other", {.signs_others = true});
  CertificateFiles server_ = certificate("server", {"DNS:zk1.example", "IP:127.0.0.1"});
};

TEST_F(ClientTlsTest, talks_to_a_server_of_its_authority) {
  ClientTls client({.ca = authority_.certificate});
  for (const auto* host : {"zk1.example", "127.0.0.1"}) {
    auto made = pair(client, server_, {}, host);
    EXPECT_FALSE(made.client->seal("too early"));
    made.run();
    ASSERT_TRUE(made.client->open()) << made.client->trouble();
    const std::string much(100'000, 'a');
    made.client->seal(much);
    made.server->seal("an answer");
    made.run();
    EXPECT_EQ(made.at_server, much);
    EXPECT_EQ(made.at_client, "an answer");
  }
}

TEST_F(ClientTlsTest, asks_for_the_server_by_its_name_but_not_by_an_address) {
  ClientTls client({.ca = authority_.certificate});
  EXPECT_NE((*client.connect("zk1.example"))->take_wire().find("zk1.example"), std::string::npos);
  EXPECT_EQ((*client.connect("127.0.0.1"))->take_wire().find("127.0.0.1"), std::string::npos);
  ClientTls named({.ca = authority_.certificate, .server_name = "zk2.example"});
  EXPECT_NE((*named.connect("127.0.0.1"))->take_wire().find("zk2.example"), std::string::npos);
}

TEST_F(ClientTlsTest, says_that_the_authority_is_not_the_right_one) {
  EXPECT_EQ(outcome({.ca = other_authority_.certificate}, server_),
            "its certificate is not signed by an authority in " + other_authority_.certificate +
                "; name the file of its authority with tls.ca (--tls-ca)");
  EXPECT_EQ(outcome({}, server_),
            "its certificate is not signed by an authority of this system; name the file of its authority with tls.ca "
            "(--tls-ca)");
  const auto self_signed = make_certificate(dir_.path(), "self", {.names = {"DNS:zk1.example"}});
  EXPECT_TRUE(outcome({.ca = authority_.certificate}, self_signed).starts_with("its certificate is not signed by"));
  EXPECT_EQ(outcome({.ca = self_signed.certificate}, self_signed), "");
}

TEST_F(ClientTlsTest, says_which_names_the_certificate_has) {
  EXPECT_EQ(outcome({.ca = authority_.certificate}, server_, {}, "zk2.example"),
            "its certificate is for zk1.example, 127.0.0.1, and not for zk2.example; write it in the URL by one of its "
            "names, or set tls.server_name to one");
  EXPECT_EQ(outcome({.ca = authority_.certificate}, server_, {}, "127.0.0.2"),
            "its certificate is for zk1.example, 127.0.0.1, and not for 127.0.0.2; write it in the URL by one of its "
            "names, or set tls.server_name to one");
  EXPECT_EQ(outcome({.ca = authority_.certificate, .server_name = "zk3.example"}, server_),
            "its certificate is for zk1.example, 127.0.0.1, and not for zk3.example; set tls.server_name to one of its "
            "names");
  EXPECT_EQ(outcome({.ca = authority_.certificate, .server_name = "zk1.example"}, server_, {}, "10.0.0.1"), "");
  // Without names there is the subject, as for a certificate of keytool.
  EXPECT_TRUE(outcome({.ca = authority_.certificate}, certificate("zk9.example", {}))
                  .starts_with("its certificate is for zk9.example, and not for zk1.example"));
}

TEST_F(ClientTlsTest, says_when_the_certificate_has_expired) {
  const auto old = make_certificate(
      dir_.path(), "old", {.names = {"DNS:zk1.example"}, .authority = authority_, .from = -48h, .until = -24h});
  const auto why = outcome({.ca = authority_.certificate}, old);
  EXPECT_TRUE(why.starts_with("its certificate has expired on 20")) << why;
  EXPECT_TRUE(why.ends_with("; renew it on the server, if this machine's clock is right")) << why;
  const auto early = make_certificate(
      dir_.path(), "early", {.names = {"DNS:zk1.example"}, .authority = authority_, .from = 24h, .until = 48h});
  EXPECT_TRUE(outcome({.ca = authority_.certificate}, early).starts_with("its certificate is not valid before 20"));
}

TEST_F(ClientTlsTest, says_that_the_other_side_speaks_plain_text) {
  for (const std::string& answer : {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
                                    std::string("-ERR unknown command\r\n"), std::string("\0\0\0\x05\0\0\0\0\0", 9)}) {
    ClientTls client({.ca = authority_.certificate});
    const auto stream = *client.connect("zk1.example");
    std::string plain;
    EXPECT_FALSE(stream->receive(answer, plain));
    EXPECT_EQ(stream->trouble(),
              "what listens there does not speak TLS; take the s out of zks:// or rediss://, or name the server's "
              "secure port")
        << answer;
  }
}

TEST_F(ClientTlsTest, says_that_the_server_wants_a_certificate_or_does_not_accept_this_one) {
  const auto mine = certificate("client", {});
  const auto foreign = make_certificate(dir_.path(), "foreign", {.authority = other_authority_});
  EXPECT_EQ(outcome({.ca = authority_.certificate, .certificate = mine.certificate, .key = mine.key}, server_,
                    authority_.certificate),
            "");
  EXPECT_EQ(outcome({.ca = authority_.certificate}, server_, authority_.certificate),
            "the server wants a certificate of the client; name one with tls.certificate and tls.key (--tls-cert, "
            "--tls-key)");
  const auto refused = outcome({.ca = authority_.certificate, .certificate = foreign.certificate, .key = foreign.key},
                               server_, authority_.certificate);
  EXPECT_TRUE(refused.starts_with("the server does not accept the certificate in " + foreign.certificate)) << refused;
}

TEST_F(ClientTlsTest, believes_every_server_if_told_so) {
  EXPECT_EQ(outcome({.verify = false}, server_, {}, "zk2.example"), "");
}

TEST_F(ClientTlsTest, names_the_file_that_it_cannot_use) {
  const std::string missing = dir_ / "missing.pem";
  const std::string garbage = dir_ / "garbage.pem";
  std::ofstream(garbage) << "not a certificate\n";
  EXPECT_EQ(why_not({.ca = missing}), "cannot use the TLS CA in " + missing + ": no such file or directory");
  EXPECT_TRUE(why_not({.ca = garbage}).starts_with("cannot use the TLS CA in " + garbage + ": "));
  EXPECT_EQ(why_not({.certificate = missing, .key = server_.key}),
            "cannot use the TLS certificate in " + missing + ": no such file or directory");
  EXPECT_EQ(why_not({.certificate = server_.certificate, .key = authority_.key}),
            "cannot use the TLS key in " + authority_.key + ": key values mismatch");
  EXPECT_EQ(why_not({.certificate = server_.certificate}),
            "a TLS certificate needs its key, and a key its certificate");
  EXPECT_EQ(why_not({.ca = authority_.certificate}), "");
}

TEST_F(ClientTlsTest, reads_files_again_that_have_changed) {
  const std::string ca = dir_ / "ca.pem";
  std::filesystem::copy_file(other_authority_.certificate, ca);
  ClientTls client({.ca = ca});
  auto before = pair(client, server_);
  before.run();
  EXPECT_FALSE(before.client->open());
  std::filesystem::copy_file(authority_.certificate, ca, std::filesystem::copy_options::overwrite_existing);
  auto after = pair(client, server_);
  after.run();
  EXPECT_TRUE(after.client->open()) << after.client->trouble();
}

TEST_F(ClientTlsTest, goes_on_with_what_it_read_while_a_file_cannot_be_used) {
  const std::string ca = dir_ / "ca.pem";
  std::filesystem::copy_file(authority_.certificate, ca);
  ClientTls client({.ca = ca});
  ASSERT_TRUE(client.connect("zk1.example"));
  std::filesystem::remove(ca);
  auto without = pair(client, server_);
  without.run();
  EXPECT_TRUE(without.client->open()) << without.client->trouble();
  std::filesystem::copy_file(other_authority_.certificate, ca);
  auto renewed = pair(client, server_);
  renewed.run();
  EXPECT_FALSE(renewed.client->open());
}

}  // namespace
}  // namespace holdfast::net
