#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <fstream>

#include "net/server_tls.h"
#include "server/recording_host.h"
#include "support/certificate.h"
#include "support/eventually.h"
#include "support/socket_client.h"
#include "support/temp_dir.h"

namespace holdfast::server {
namespace {

using testing::CertificateFiles;
using testing::eventually;
using testing::framed;
using testing::make_certificate;
using testing::SocketClient;
using testing::TlsClientOptions;
using namespace std::chrono_literals;

constexpr auto kSoon = 10s;

class TlsListener : public ::testing::Test {
 protected:
  EngineOptions options() const {
    EngineOptions o;
    o.listen = {{.tls = true}};
    o.tls = {server_.certificate, server_.key};
    o.four_letter_words = {"*"};
    return o;
  }

  static void echo(RecordingServer& server) {
    server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string& f) { peer.send(framed(f)); }; });
  }

  std::string why_not(const Tls& files) const {
    const auto context = net::ServerTls::read(files);
    return context ? "" : context.error();
  }

  testing::TempDir dir_{"tls"};
  CertificateFiles server_ = make_certificate(dir_.path(), "server");
  CertificateFiles client_ = make_certificate(dir_.path(), "client");
  CertificateFiles stranger_ = make_certificate(dir_.path(), "stranger");
};

TEST_F(TlsListener, carries_frames_of_any_size_in_both_directions) {
  RecordingServer server(options());
  echo(server);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SocketClient client(server.port(true), {.version = version});
    for (const std::size_t size : {1UL, 511UL, 512UL, 16'384UL, 100'000UL, 0xfffffUL}) {
      const std::string body(size, static_cast<char>('a' + size % 26));
      ASSERT_TRUE(client.send_frame(body));
      ASSERT_EQ(client.receive_frame(), body);
    }
  }
  EXPECT_TRUE(server.inside([&] { return server.host.origins.front().tls; }));
}

TEST_F(TlsListener, carries_many_frames_at_once) {
  constexpr int kFrames = 3'000;
  RecordingServer server(options());
  echo(server);
  SocketClient client(server.port(true), {});
  std::string bytes;
  for (int i = 0; i < kFrames; ++i) bytes += framed(std::to_string(i));
  ASSERT_TRUE(client.send(bytes));
  for (int i = 0; i < kFrames; ++i) ASSERT_EQ(client.receive_frame(), std::to_string(i));
}

TEST_F(TlsListener, answers_words) {
  RecordingServer server(options());
  SocketClient client(server.port(true), {});
  client.send("ruok");
  EXPECT_EQ(client.receive_all(), "imok");
  EXPECT_TRUE(client.ended());
}

TEST_F(TlsListener, closes_after_what_was_sent_is_out) {
  RecordingServer server(options());
  server.inside([&] {
    server.host.on_frame = [](Peer& peer, const std::string&) {
      peer.send(framed(std::string(4 << 20, 'a')));
      peer.close();
    };
  });
  SocketClient client(server.port(true), {});
  client.send_frame("go");
  EXPECT_EQ(client.receive_frame().size(), 4U << 20);
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.gone_count(), 0U);
}

TEST_F(TlsListener, tells_when_a_client_is_gone) {
  RecordingServer server(options());
  {
    SocketClient client(server.port(true), {});
    client.send_frame("hello");
    ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1 && server.connections() == 0; }));
}

TEST_F(TlsListener, receives_nothing_while_held_back) {
  RecordingServer server(options());
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string& f) { peer.hold_back(f == "stop"); }; });
  SocketClient client(server.port(true), {});
  client.send(framed("stop") + framed("one") + framed("two"));
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  EXPECT_FALSE(eventually(50ms, [&] { return server.frame_count() > 1; }));
  server.inside([&] { server.host.peers.begin()->second->hold_back(false); });
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 3; }));
}

TEST_F(TlsListener, believes_only_clients_with_a_certificate_of_its_authority_if_there_is_one) {
  EngineOptions strict = options();
  strict.tls.client_ca = client_.certificate;
  RecordingServer server(strict);
  echo(server);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SocketClient known(server.port(true), {client_.certificate, client_.key, version});
    known.send_frame("hello");
    EXPECT_EQ(known.receive_frame(), "hello");

    // In TLS 1.3 a client learns only after its side of the handshake that it was refused.
    for (const TlsClientOptions& other :
         {TlsClientOptions{.version = version}, TlsClientOptions{stranger_.certificate, stranger_.key, version}}) {
      try {
        SocketClient client(server.port(true), other);
        client.send_frame("let me in");
        EXPECT_EQ(client.receive_frame(), "");
        EXPECT_TRUE(client.ended());
      } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("alert"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_EQ(server.frames(), (std::vector<std::string>{"hello", "hello"}));
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 6; }));
}

TEST_F(TlsListener, refuses_old_versions) {
  RecordingServer server(options());
  EXPECT_THROW(SocketClient(server.port(true), {.version = TLS1_1_VERSION}), std::runtime_error);
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
}

TEST_F(TlsListener, closes_a_connection_that_begins_with_anything_else) {
  RecordingServer server(options());
  for (const std::string& bytes : {framed(std::string(44, '\0')), std::string("ruok"), std::string(10'000, '\xa5'),
                                   std::string("GET / HTTP/1.1\r\n\r\n")}) {
    SocketClient client(server.port(true));
    client.send(bytes);
    if (bytes == "ruok") client.half_close();  // four bytes could still become the head of a record
    EXPECT_TRUE(client.ended());
  }
  EXPECT_EQ(server.frame_count(), 0U);
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 4; }));
}

TEST_F(TlsListener, closes_a_connection_whose_handshake_does_not_end) {
  EngineOptions impatient = options();
  impatient.limits.handshake = 100ms;
  RecordingServer server(impatient);
  SocketClient silent(server.port(true));
  SocketClient half(server.port(true));
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));  // the beginning of a greeting
  EXPECT_TRUE(silent.ended());
  EXPECT_TRUE(half.ended());
  try {
    SocketClient polite(server.port(true), {});  // greets, then says nothing
    EXPECT_TRUE(polite.ended());
  } catch (const std::runtime_error&) {
    // Too slow even for that; closed as well.
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 3; }));
}

TEST_F(TlsListener, names_the_file_that_it_cannot_use) {
  const std::string missing = dir_ / "missing.pem";
  const std::string garbage = dir_ / "garbage.pem";
  std::ofstream(garbage) << "not a certificate\n";
  EXPECT_EQ(why_not({missing, server_.key}),
            "cannot use the TLS certificate in " + missing + ": no such file or directory");
  EXPECT_EQ(why_not({server_.certificate, missing}),
            "cannot use the TLS key in " + missing + ": no such file or directory");
  EXPECT_TRUE(why_not({garbage, server_.key}).starts_with("cannot use the TLS certificate in " + garbage + ": "));
  EXPECT_EQ(why_not({server_.certificate, client_.key}),
            "cannot use the TLS key in " + client_.key + ": key values mismatch");
  EXPECT_EQ(why_not({server_.certificate, server_.key, missing}),
            "cannot use the TLS client CA in " + missing + ": no such file or directory");
  EXPECT_EQ(why_not({"", ""}), "listening with TLS needs a certificate and a key");
  EXPECT_EQ(why_not({server_.certificate, server_.key, client_.certificate}), "");
}

TEST_F(TlsListener, does_not_ask_for_a_passphrase) {
  const auto locked = make_certificate(dir_.path(), "locked", {.passphrase = "secret"});
  EXPECT_TRUE(why_not({locked.certificate, locked.key}).starts_with("cannot use the TLS key in " + locked.key + ": "));
}

TEST_F(TlsListener, does_not_listen_without_a_certificate) {
  EngineOptions without = options();
  without.tls = {};
  EXPECT_THROW(RecordingServer{without}, std::runtime_error);
}

}  // namespace
}  // namespace holdfast::server
