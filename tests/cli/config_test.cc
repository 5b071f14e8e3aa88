// `holdfast config check`: one command for every kind of configuration.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "cli/command_run.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

class ConfigCheck : public ::testing::Test {
 protected:
  Said check(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    return run_command({"config", "check", path(name)});
  }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  const TempDir dir_{"check"};
};

TEST_F(ConfigCheck, knows_a_clients_file_a_servers_and_a_zoo_cfg) {
  const std::vector<std::pair<std::string, std::string>> files{{"client.yaml", "url: zk://a\nlocks: {a: {wait: 1s}}\n"},
                                                               {"empty.yaml", "# nothing yet\n"}};
  for (const auto& [name, text] : files) {
    const auto said = check(name, text);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, path(name) + " is in order (client)\n");
    EXPECT_EQ(said.err, "");
  }
  EXPECT_EQ(check("server.yaml", "listen: 127.0.0.1:2181\n").out, path("server.yaml") + " is in order (server)\n");
  const auto zoo =
      check("zoo.cfg", "tickTime=2000\nclientPort=2181\nclientPortAddress=127.0.0.1\ndataDir=" + path("data") + "\n");
  EXPECT_EQ(zoo.exit_code, 0) << zoo.err;
  EXPECT_NE(zoo.out.find(path("zoo.cfg") + " is in order (zoo.cfg)\n"), std::string::npos) << zoo.out;
}

TEST_F(ConfigCheck, says_where_it_is_wrong) {
  auto said = check("a.yaml", "url: local\nlocks:\n  a: {max-hodl: 1s}\n");
  EXPECT_EQ(said.exit_code, 64);
  EXPECT_EQ(said.err,
            "holdfast: " + path("a.yaml") + ":3:7: there is no setting \"max-hodl\"; did you mean max_hold?\n");
  EXPECT_EQ(said.out, "");
  said = check("b.yaml", "tick_time: 2\n");
  EXPECT_EQ(said.exit_code, 64);
  EXPECT_EQ(said.err.rfind("holdfast: " + path("b.yaml") + ":1:12: tick_time is \"2\": ", 0), 0u) << said.err;
  said = run_command({"config", "check", path("none")});
  EXPECT_EQ(said.exit_code, 64);
  EXPECT_EQ(said.err, "holdfast: cannot read " + path("none") + ": No such file or directory\n");
}

TEST_F(ConfigCheck, prints_what_there_is_to_say_although_it_is_right) {
  const auto said = check("a.yaml", "zk-lock: {address: a, connection-timeout: 1500000000}\n");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out, path("a.yaml") + ":1:43: connection-timeout is 1500000000 ms, more than 1d; 1d is used\n" +
                          path("a.yaml") + " is in order (client)\n");
}

}  // namespace
}  // namespace holdfast::testing
