// docs/tls.md: what the command says and does by TLS.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "command_run.h"
#include "holdfast/holdfast.h"
#include "support/secure_server.h"

namespace holdfast::testing {
namespace {

class TlsCommand : public ::testing::Test {
 protected:
  // That of the server, and of a client that it lets in.
  std::vector<std::string> options() const {
    return {"--url",      "zks://" + server_.address(), "--tls-ca",  server_.authority().certificate,
            "--tls-cert", server_.client().certificate, "--tls-key", server_.client().key};
  }
  std::vector<std::string> with_options(std::vector<std::string> words) const {
    const auto all = options();
    words.insert(words.begin() + 1, all.begin(), all.end());
    return words;
  }

  SecureServer server_{{.make = ServerMake::engine, .wants_client_certificates = true}};
};

TEST_F(TlsCommand, runs_under_a_lock_and_hands_its_settings_to_the_commands_in_it) {
  const auto said = run_command(with_options({"run", "-q", "a", "--", HOLDFAST_COMMAND, "ls", "--json"}));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("\"a\""), std::string::npos) << said.out << said.err;
}

TEST_F(TlsCommand, takes_its_options_before_the_command_and_in_the_shell) {
  auto words = options();
  words.push_back("ls");
  EXPECT_EQ(run_command(words).exit_code, 0);
  const auto said = run_command(with_options({"shell", "--", "ls", "/"}));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("zookeeper"), std::string::npos) << said.out;
}

TEST_F(TlsCommand, doctor_asks_every_server_by_tls) {
  const auto visit = run_command(with_options({"doctor"}));
  EXPECT_EQ(visit.exit_code, 0) << visit.out << visit.err;
  EXPECT_NE(visit.out.find(server_.address() + " is reached in "), std::string::npos) << visit.out;
  EXPECT_NE(visit.out.find(", standalone"), std::string::npos) << visit.out;

  const auto stranger =
      run_command({"doctor", "--url", "zks://" + server_.address(), "--tls-ca", server_.stranger().certificate,
                   "--tls-cert", server_.client().certificate, "--tls-key", server_.client().key});
  EXPECT_EQ(stranger.exit_code, 1);
  EXPECT_NE(stranger.out.find(server_.address() + ": its certificate is not signed by an authority in "),
            std::string::npos)
      << stranger.out;

  const auto plain = run_command(
      {"doctor", "--url", "zks://" + server_.server().address(), "--tls-ca", server_.authority().certificate});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_NE(plain.out.find(server_.server().address() + ": "), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("plain text"), std::string::npos) << plain.out;
}

TEST_F(TlsCommand, ends_the_session_of_a_run_that_was_killed) {
  auto words = with_options({"run", "--session-timeout", "40s", "a", "--", "sh", "-c", "echo ready; sleep 60"});
  words.insert(words.begin(), HOLDFAST_COMMAND);
  Process run(words);
  ASSERT_EQ(run.read_line(std::chrono::seconds(60)), "ready");
  auto rival = Client::connect("zk://" + server_.server().address());
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  const auto granted = rival.mutex("a").try_acquire_for(std::chrono::seconds(20));
  EXPECT_TRUE(granted) << granted.message();
}

TEST_F(TlsCommand, takes_files_beside_its_configuration_file) {
  const TempDir dir("config");
  for (const auto& file : {server_.authority().certificate, server_.client().certificate, server_.client().key}) {
    std::filesystem::copy(file, dir.path());
  }
  std::ofstream(dir / "here.yaml") << "url: zks://" << server_.address()
                                   << "\ntls: {ca: authority.pem, certificate: client.pem, key: client.key}\n";
  const auto said = run_command({"run", "a", "--config", dir / "here.yaml", "--", "true"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const auto shown = run_command({"config", "show", "--config", dir / "here.yaml"});
  EXPECT_NE(shown.out.find("tls.ca"), std::string::npos) << shown.out << shown.err;
}

TEST_F(TlsCommand, says_which_file_or_url_is_wrong) {
  const auto missing = run_command({"ls", "--url", "zks://" + server_.address(), "--tls-ca", "/nowhere/ca.pem"});
  EXPECT_EQ(missing.err, "holdfast: cannot use the TLS CA in /nowhere/ca.pem: no such file or directory\n");
  const auto plain = run_command({"ls", "--url", "zk://" + server_.address(), "--tls-ca", "/nowhere/ca.pem"});
  EXPECT_NE(plain.err.find("is a URL without it; write zks://"), std::string::npos) << plain.err;
}

}  // namespace
}  // namespace holdfast::testing
