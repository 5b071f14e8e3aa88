// docs/tls.md, "SASL": what the command does at a ZooKeeper that turns everybody away who has not logged in.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "command_run.h"
#include "holdfast/holdfast.h"
#include "support/secure_server.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;

class SaslCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    fs::permissions(dir_ / name, fs::perms::owner_read | fs::perms::owner_write);
    return (dir_ / name).string();
  }
  // Of `holdfast`, for that server and with this password file.
  std::string settings(const std::string& name, const std::string& url, const std::string& password) const {
    return file(name, "url: " + url + "\ntls: {ca: " + server_.authority().certificate +
                          "}\nsasl: {mechanism: DIGEST-MD5, user: ann, password_file: " + password + "}\n");
  }

  TempDir dir_{"sasl"};
  const std::string jaas_ = file("jaas.conf",
                                 "Server {\n  org.apache.zookeeper.server.auth.DigestLoginModule required\n"
                                 "  user_ann=\"secret\";\n};\n");
  const std::string password_ = file("password", "secret\n");
  SecureServer server_{
      {.make = ServerMake::apache,
       .java_options = {"-Djava.security.auth.login.config=" + jaas_,
                        "-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                        "-Dzookeeper.sessionRequireClientSASLAuth=true"}}};
  const std::string here_ = settings("here.yaml", "zks://" + server_.address(), password_);
};

TEST_F(SaslCommand, logs_in_wherever_it_asks_a_server) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"ls"}, {"run", "a", "--", "true"}, {"shell", "--", "ls", "/"}}) {
    auto line = words;
    line.insert(line.begin() + 1, {"--config", here_});
    const auto said = run_command(line);
    EXPECT_EQ(said.exit_code, 0) << words.front() << ": " << said.err;
  }
  const auto visit = run_command({"doctor", "--config", here_});
  EXPECT_EQ(visit.exit_code, 0) << visit.out << visit.err;
  EXPECT_NE(visit.out.find(server_.address() + " is reached in "), std::string::npos) << visit.out;
}

TEST_F(SaslCommand, says_what_is_wrong_with_its_login) {
  const auto wrong = settings("wrong.yaml", "zks://" + server_.address(), file("guess", "guess\n"));
  for (const auto& words : std::vector<std::vector<std::string>>{{"ls"}, {"shell", "--", "ls", "/"}, {"doctor"}}) {
    auto line = words;
    line.insert(line.begin() + 1, {"--config", wrong});
    const auto said = run_command(line);
    EXPECT_NE(said.exit_code, 0) << words.front();
    EXPECT_NE((said.out + said.err).find("it refuses the login of user \"ann\""), std::string::npos)
        << words.front() << ": " << said.out << said.err;
  }
}

TEST_F(SaslCommand, ends_the_session_of_a_run_that_was_killed) {
  const std::vector<std::string> words{
      HOLDFAST_COMMAND,      "run", "--config", here_, "--session-timeout", "40s", "a", "--", "sh", "-c",
      "echo ready; sleep 60"};
  Process run(words);
  ASSERT_EQ(run.read_line(std::chrono::seconds(60)), "ready");
  auto rival =
      Client::connect("zk://" + server_.server().address(),
                      {.zookeeper = {.sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = password_}}});
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  const auto granted = rival.mutex("a").try_acquire_for(std::chrono::seconds(20));
  EXPECT_TRUE(granted) << granted.message();
}

}  // namespace
}  // namespace holdfast::testing
