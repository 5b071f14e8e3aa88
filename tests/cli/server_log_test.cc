// What the server's log says: every client that is turned away, in one format, in a file that can be rotated.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "cli/server_command.h"
#include "raw_client.h"
#include "support/certificate.h"

namespace holdfast::testing {
namespace {

const std::regex kLine(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error|critical) .+)");

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_one_format(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(std::regex_match(line, kLine)) << line;
}

bool eventually_has(const std::filesystem::path& file, const std::string& text) {
  return eventually(kPatience, [&] { return text_of(file).find(text) != std::string::npos; });
}

std::string with_limits(const TempDir& dir, const std::string& limits) {
  const std::string file = dir / "server.yaml";
  std::ofstream(file) << "limits: {" << limits << "}\n";
  return file;
}

TEST(ServerLog, has_one_format_from_the_first_line_to_the_last) {
  Server server(kAnyPort);
  const auto ready = server.serves();
  EXPECT_TRUE(std::regex_match(ready, kLine)) << ready;
  RawClient(server.port()).send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(server.says("warning"));
  server.process().signal(SIGHUP);
  EXPECT_TRUE(server.says("SIGHUP"));
  server.process().signal(SIGTERM);
  EXPECT_EQ(server.exit_code(), 0);
  EXPECT_NE(server.errors().find("info stopped"), std::string::npos) << server.errors();
  expect_one_format(server.errors());
}

TEST(ServerLog, says_what_is_no_request) {
  const TempDir dir("log");
  Server server(with(kAnyPort, {"--config", with_limits(dir, "frame: 1KiB, handshake: 200ms")}));
  server.serves();
  const auto is_turned_away = [&](std::string_view bytes) {
    RawClient client(server.port());
    client.send(bytes);
    return client.receive(kPatience).outcome == RawClient::Outcome::closed;
  };
  EXPECT_TRUE(is_turned_away("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(server.says("began with \"GET \", which is neither a request nor a four-letter word")) << server.errors();
  EXPECT_TRUE(is_turned_away(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01", 8)));
  EXPECT_TRUE(server.says("speaks TLS on a port without it")) << server.errors();
  EXPECT_TRUE(is_turned_away(std::string_view("\0\0\x08\0", 4)));
  EXPECT_TRUE(server.says("began a request of 2048 bytes; the longest is 1024")) << server.errors();
  EXPECT_TRUE(is_turned_away(std::string_view("\0\0\0\4abcd", 8)));
  EXPECT_TRUE(server.says("began with a request that is no handshake")) << server.errors();
  EXPECT_TRUE(is_turned_away(std::string_view("\0", 1)));
  EXPECT_TRUE(server.says("has not sent a whole request within 200 ms")) << server.errors();
  EXPECT_TRUE(is_turned_away(RawClient::framed(::holdfast::testing::Handshake{.last_zxid = INT64_MAX}.bytes())));
  EXPECT_TRUE(server.says("has seen zxid 0x7fffffffffffffff")) << server.errors();
}

TEST(ServerLog, says_who_comes_without_tls_or_without_a_certificate) {
  const TempDir dir("log");
  const auto ours = make_certificate(dir.path(), "server");
  const auto theirs = make_certificate(dir.path(), "client");
  Server server({"--listen-tls", "127.0.0.1:0", "--tls-cert", ours.certificate, "--tls-key", ours.key,
                 "--tls-client-ca", theirs.certificate});
  server.serves();
  RawClient plain(server.port());
  plain.send_frame(::holdfast::testing::Handshake{}.bytes());
  EXPECT_EQ(plain.receive(kPatience).outcome, RawClient::Outcome::closed);
  EXPECT_TRUE(server.says("failed to set up TLS: ")) << server.errors();

  Process stranger({.argv = {"openssl", "s_client", "-connect", server.address(), "-quiet"},
                    .stdout_file = dir / "out",
                    .stderr_file = dir / "err"});
  EXPECT_TRUE(server.says("failed to set up TLS: peer did not return a certificate")) << server.errors();
}

// However often it is tried.
TEST(ServerLog, is_not_filled_by_a_client_that_is_refused_a_thousand_times) {
  Server server(kAnyPort);
  server.serves();
  for (int i = 0; i < 1'000; ++i) {
    RawClient client(server.port());
    client.send("GET / HTTP/1.1\r\n\r\n");
    ASSERT_EQ(client.receive(kPatience).outcome, RawClient::Outcome::closed);
  }
  EXPECT_TRUE(server.says(" more within 10 s, the last: ")) << server.errors();
  EXPECT_LT(server.errors().size(), 100U * 1'000U);
}

TEST(ServerLog, goes_to_a_file_that_is_opened_again_on_a_hangup) {
  const TempDir dir("log");
  const std::filesystem::path file = dir / "holdfast.log";
  Server server(with(kAnyPort, {"--log-file", file.string()}));
  const auto ready = server.serves();
  EXPECT_TRUE(eventually_has(file, "serving on " + server.address()));
  std::filesystem::rename(file, dir / "old");
  server.process().signal(SIGHUP);
  EXPECT_TRUE(eventually_has(file, "SIGHUP: the log was opened again"));
  RawClient(server.port()).send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(eventually_has(file, "GET"));
  EXPECT_EQ(text_of(dir / "old").find("GET"), std::string::npos);
  server.process().signal(SIGTERM);
  EXPECT_EQ(server.exit_code(), 0);
  expect_one_format(text_of(dir / "old") + text_of(file));
  EXPECT_EQ(server.errors(), "");
}

TEST(ServerLog, that_cannot_be_written_is_said_before_anything_is_served) {
  Server server(with(kAnyPort, {"--log-file", "/nowhere/holdfast.log"}));
  EXPECT_EQ(server.exit_code(), 1) << server.errors();
  EXPECT_TRUE(server.says("cannot write the log /nowhere/holdfast.log: No such file or directory"));
}

}  // namespace
}  // namespace holdfast::testing
