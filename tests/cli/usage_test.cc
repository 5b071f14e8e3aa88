// What the command says to those who mistype, and where it says its settings come from.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command_run.h"
#include "support/free_port.h"

namespace holdfast::testing {
namespace {

constexpr int kUsage = 64;

TEST(CommandLine, mistakes_are_answered_in_one_sentence_with_the_next_step) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "say which command; holdfast --help lists them"},
      {{"sevrer"}, "there is no command \"sevrer\"; did you mean server? holdfast --help lists them"},
      {{"banana"}, "there is no command \"banana\"; holdfast --help lists them"},
      {{"local"}, "say which command; holdfast local --help lists them"},
      {{"local", "stauts"}, "there is no command \"stauts\"; did you mean status? holdfast local --help lists them"},
      {{"local", "status", "--jsno"},
       "holdfast local status has no option \"--jsno\"; did you mean --json? holdfast local status --help lists them"},
      {{"config", "show", "--ulr=local:"},
       "holdfast config show has no option \"--ulr=local:\"; did you mean --url? holdfast config show --help lists "
       "them"},
      {{"local", "status", "now"},
       "holdfast local status does not take \"now\"; holdfast local status --help says what it takes"},
      {{"ls", "--url", ""}, "--url: has no value; give it one; holdfast ls --help says more"},
      {{"doctor", "--session-timeout="},
       "--session-timeout: has no value; give it one; holdfast doctor --help says more"},
      {{"\x1b[31m"}, R"(there is no command "\x1b[31m"; holdfast --help lists them)"},
  };
  for (const auto& [arguments, expected] : cases) {
    const auto said = run_command(arguments);
    EXPECT_EQ(said.exit_code, kUsage);
    EXPECT_EQ(said.err, "holdfast: " + expected + "\n");
    EXPECT_EQ(said.out, "");
  }
}

TEST(CommandLine, a_server_that_is_not_there_is_named_within_the_connect_timeout) {
  const auto server = "127.0.0.1:" + std::to_string(free_port());
  const std::vector<std::vector<std::string>> commands{
      {"run", "a", "--", "true"}, {"ls"}, {"show", "a"}, {"watch"}, {"break", "a"}, {"shell", "--", "ls", "/"}};
  for (auto command : commands) {
    const auto name = command.front();
    command.insert(command.begin() + 1, {"--url", "zk://" + server, "--connect-timeout", "300ms"});
    const auto since = std::chrono::steady_clock::now();
    const auto said = run_command(command);
    EXPECT_EQ(said.exit_code, 69) << name << ": " << said.err;
    EXPECT_EQ(said.err.rfind("holdfast: ", 0), 0u) << name << ": " << said.err;
    EXPECT_NE(said.err.find(server), std::string::npos) << name << ": " << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << name << ": " << said.err;
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::milliseconds(300 + 1'000)) << name;
  }
}

TEST(CommandLine, options_may_stand_before_the_command) {
  const auto server = "127.0.0.1:" + std::to_string(free_port());
  const std::vector<std::vector<std::string>> commands{
      {"run", "a", "--", "true"}, {"ls"}, {"ls", "a"}, {"show", "a"}, {"watch"}, {"break", "a"},
      {"shell", "--", "ls", "/"}};
  for (auto command : commands) {
    const auto name = command.front();
    command.insert(command.begin(), {"--url", "zk://" + server, "--connect-timeout=0.1"});
    const auto said = run_command(command);
    EXPECT_EQ(said.exit_code, 69) << name << ": " << said.err;
    EXPECT_NE(said.err.find(server), std::string::npos) << name << ": " << said.err;
  }
  const auto shown = run_command({"--namespace", "app", "--json", "config", "show", "--session-timeout", "3"});
  EXPECT_NE(shown.out.find(R"("namespace":{"value":"app","origin":"--namespace"})"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find(R"("session_timeout":{"value":"3s")"), std::string::npos) << shown.out;
  const auto sure = run_command({"--url", "zk://" + server, "-y", "--connect-timeout", "0.1", "break", "a"});
  EXPECT_EQ(sure.exit_code, 69) << sure.err;
}

TEST(CommandLine, options_before_a_command_that_does_not_have_them_are_refused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--url", "local:"}, "say which command; holdfast --help lists them"},
      {{"--url", "local:", "version"}, "holdfast version has no option \"--url\"; holdfast version --help lists them"},
      {{"--ulr", "local:", "ls"},
       "holdfast ls has no option \"--ulr\"; did you mean --url? holdfast ls --help lists them"},
  };
  for (const auto& [arguments, expected] : cases) {
    const auto said = run_command(arguments);
    EXPECT_EQ(said.exit_code, kUsage);
    EXPECT_EQ(said.err, "holdfast: " + expected + "\n");
  }
}

TEST(CommandLine, help_has_examples) {
  const auto said = run_command({"--help"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_NE(said.out.find("Examples:"), std::string::npos) << said.out;
  const auto all = run_command({"ls", "--help-all"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_NE(all.out.find("--tls-key FILE"), std::string::npos) << all.out;
  EXPECT_EQ(run_command({"ls", "--help"}).out.find("--tls-key FILE"), std::string::npos) << "on one screen";
  EXPECT_EQ(run_command({"local", "--help"}).out.find("serve"), std::string::npos) << "that one is not for people";
}

TEST(Output, that_cannot_be_written_is_not_taken_for_success) {
  for (const auto* words : {"version", "--version", "--help", "run --help", "config show", "completion bash",
                            "local status", "doctor --url zk://127.0.0.1:1"}) {
    const TempDir dir;
    Process command({.argv = {"sh", "-c", std::string("exec \"$0\" ") + words + " > /dev/full", HOLDFAST_COMMAND},
                     .working_dir = dir.path(),
                     .stderr_file = dir / "errors"});
    const auto code = command.wait(std::chrono::seconds(60));
    ASSERT_TRUE(code) << words;
    EXPECT_NE(*code, 0) << words;
    EXPECT_NE(contents(dir / "errors").find("holdfast: cannot write to stdout"), std::string::npos) << words;
  }
}

class Config : public ::testing::Test {
 protected:
  Config() {
    for (const auto* name : {"HOLDFAST_URL", "HOLDFAST_CONFIG"}) ::unsetenv(name);
  }
  Said show(std::vector<std::string> more = {}, std::vector<std::pair<std::string, std::string>> env = {}) const {
    more.insert(more.begin(), {"config", "show"});
    env.emplace_back("XDG_CONFIG_HOME", dir_ / "config");
    return run_command(std::move(more), std::move(env), dir_.path());
  }
  // The line of a setting, with one blank for many.
  static std::string line(const Said& said, const std::string& key) {
    const auto text = "\n" + said.out;
    const auto at = text.find("\n" + key + " ");
    if (at == std::string::npos) return "no line for " + key + ": " + said.out + said.err;
    auto found = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    found.erase(std::unique(found.begin(), found.end(), both_blank), found.end());
    return found;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    std::filesystem::permissions(dir_ / name, std::filesystem::perms(0600));
  }

  const TempDir dir_{"config"};
};

TEST_F(Config, shows_each_setting_and_where_it_came_from) {
  const auto nothing = show();
  EXPECT_EQ(nothing.exit_code, 0) << nothing.err;
  EXPECT_EQ(line(nothing, "url"), "url local: default");
  EXPECT_EQ(line(nothing, "session_timeout"), "session_timeout 15s default");
  EXPECT_EQ(line(nothing, "namespace"), "namespace not set default");

  write("password", "orders:secret\n");
  write("holdfast.yaml", "url: zk://10.0.0.1:2181\nsession_timeout: 10s\nauth: password\n");
  const auto file = show({"--connect-timeout", "2s", "--config", "holdfast.yaml"});
  EXPECT_EQ(line(file, "config"), "config holdfast.yaml --config");
  EXPECT_EQ(line(file, "url"), "url zk://10.0.0.1:2181 holdfast.yaml:1:6");
  EXPECT_EQ(line(file, "session_timeout"), "session_timeout 10s holdfast.yaml:2:18");
  EXPECT_EQ(line(file, "connect_timeout"), "connect_timeout 2s --connect-timeout");
  EXPECT_EQ(line(file, "auth"), "auth orders:... holdfast.yaml:3:7");
  EXPECT_EQ(file.out.find("secret"), std::string::npos) << file.out;

  EXPECT_EQ(line(show({}, {{"HOLDFAST_URL", "zk://env"}}), "url"), "url zk://env HOLDFAST_URL");
  EXPECT_EQ(line(show({"--url", "zk://option"}, {{"HOLDFAST_URL", "zk://env"}}), "url"), "url zk://option --url");
}

TEST_F(Config, shows_the_same_as_json) {
  write("holdfast.yaml", "url: zk://10.0.0.1:2181\n");
  const auto said = show({"--json"}, {{"HOLDFAST_CONFIG", "holdfast.yaml"}});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_NE(said.out.find(R"("url":{"value":"zk://10.0.0.1:2181","origin":"holdfast.yaml:1:6"})"), std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find(R"("namespace":{"value":null,"origin":"default"})"), std::string::npos) << said.out;
}

TEST_F(Config, says_in_which_file_line_and_column_it_is_wrong) {
  write("holdfast.yaml", "url: local\nsession_timeout: soon\n");
  auto said = show({"--config", "holdfast.yaml"});
  EXPECT_EQ(said.exit_code, kUsage);
  EXPECT_EQ(said.err,
            "holdfast: holdfast.yaml:2:18: session_timeout: write a time from 1ms to 1d, such as 2s or 500ms\n");
  write("holdfast.yaml", "url: local\n  oops: 1\n");
  said = show({"--config", "holdfast.yaml"});
  EXPECT_EQ(said.exit_code, kUsage);
  EXPECT_EQ(said.err.rfind("holdfast: holdfast.yaml:2:", 0), 0u) << said.err;
  said = show({"--config", "missing.yaml"});
  EXPECT_EQ(said.exit_code, kUsage);
  EXPECT_EQ(said.err, "holdfast: cannot read missing.yaml: No such file or directory\n");
  std::filesystem::remove(dir_ / "holdfast.yaml");
  said = show({"--session-timeout", "soon"});
  EXPECT_EQ(said.err, "holdfast: --session-timeout: write a time from 1ms to 1d, such as 2s or 500ms\n");
}

TEST_F(Config, a_time_without_a_unit_is_seconds_on_the_command_line_and_refused_in_a_file) {
  const auto options = show({"--session-timeout", "15", "--connect-timeout", "0.5"});
  EXPECT_EQ(line(options, "session_timeout"), "session_timeout 15s --session-timeout");
  EXPECT_EQ(line(options, "connect_timeout"), "connect_timeout 500ms --connect-timeout");
  for (const std::string key : {"session_timeout", "connect_timeout"}) {
    write("holdfast.yaml", key + ": 15000\n");
    const auto said = show({"--config", "holdfast.yaml"});
    EXPECT_EQ(said.exit_code, kUsage);
    EXPECT_EQ(said.err, "holdfast: holdfast.yaml:1:18: " + key +
                            ": a number without a unit could be seconds or milliseconds; write 15000s or 15000ms\n");
  }
  write("holdfast.yaml", "zk-lock: {address: 10.0.0.1:2181, session-timeout: 15000, connection-timeout: 3000}\n");
  const auto java = show({"--config", "holdfast.yaml"});
  EXPECT_EQ(line(java, "session_timeout").substr(0, 20), "session_timeout 15s ") << java.err;
  EXPECT_EQ(line(java, "connect_timeout").substr(0, 19), "connect_timeout 3s ") << java.err;
}

// A repository of a stranger, cloned: its file names the stranger's service, and a file of the user's whose line would be sent there.
TEST_F(Config, of_a_checkout_sends_nothing_to_a_stranger) {
  const int stranger = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(stranger, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(stranger, 1), 0);
  ASSERT_EQ(::getsockname(stranger, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto url = "zk://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  std::filesystem::create_directory(dir_ / "checkout");
  write("credentials", "https://ann:secret@git.example.com\n");
  write("checkout/holdfast.yaml", "url: " + url + "\nauth: " + (dir_ / "credentials").string() + "\n");

  const std::vector<std::pair<std::string, std::string>> env{{"HOLDFAST_STATE_DIR", dir_ / "state"},
                                                             {"XDG_CONFIG_HOME", dir_ / "config"}};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "x", "--", "true"}, {"ls"}, {"shell", "--", "ls", "/"}}) {
    const auto said = run_command(words, env, dir_ / "checkout");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_TRUE(said.err.starts_with(
        "holdfast: ./holdfast.yaml is not used, as it was not named; to use it: --config holdfast.yaml\n"))
        << said.err << "that would be another service than before";
    EXPECT_LT(::accept4(stranger, nullptr, nullptr, SOCK_CLOEXEC), 0) << words.front() << " called the stranger";
  }
  ::close(stranger);
  EXPECT_EQ(run_command({"local", "stop"}, env).exit_code, 0);
}

// It names another service; without it the lock would be asked of local:, where it is free.
TEST_F(Config, that_other_users_can_write_to_ends_every_command_that_would_use_it) {
  std::filesystem::create_directories(dir_ / "config/holdfast");
  write("config/holdfast/config.yaml", "url: zk://127.0.0.1:1\n");
  const auto file = dir_ / "config/holdfast/config.yaml";
  std::filesystem::permissions(file, std::filesystem::perms(0666));
  const std::vector<std::pair<std::string, std::string>> env{{"HOLDFAST_STATE_DIR", dir_ / "state"},
                                                             {"XDG_CONFIG_HOME", dir_ / "config"}};
  const auto ran = dir_ / "ran";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "x", "--", "touch", ran.string()},
                                                {"ls"},
                                                {"show", "x"},

                                                {"break", "x"},
                                                {"watch"},
                                                {"shell", "--", "ls", "/"},
                                                {"config", "show"}}) {
    const auto said = run_command(words, env);
    EXPECT_EQ(said.exit_code, 64) << words.front();
    EXPECT_EQ(said.err,
              "holdfast: " + file.string() +
                  " can be written by other users, so it may not be what you wrote; look at it and chmod go-w " +
                  file.string() + ", or name it with --config if it is\n")
        << words.front();
  }
  EXPECT_FALSE(std::filesystem::exists(ran)) << "it was run under a lock of another service";
  EXPECT_FALSE(std::filesystem::exists(dir_ / "state")) << "an engine was started";
}

// `export HOLDFAST_URL=$LOCKS` in a script where LOCKS was never set.
TEST_F(Config, an_empty_variable_does_not_mean_local) {
  const auto said =
      run_command({"run", "x", "--", "true"}, {{"HOLDFAST_URL", ""}, {"HOLDFAST_STATE_DIR", dir_ / "state"}});
  EXPECT_EQ(said.exit_code, 64);
  EXPECT_EQ(said.err, "holdfast: HOLDFAST_URL is empty; unset it, or name a service: zk://host:port or local:\n");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "state")) << "an engine was started";
  EXPECT_EQ(line(show({"--url", "zk://option"}, {{"HOLDFAST_URL", ""}}), "url"), "url zk://option --url");
}

TEST_F(Config, that_is_not_used_is_not_mentioned_with_q) {
  std::filesystem::create_directory(dir_ / "checkout");
  write("checkout/holdfast.yaml", "url: zk://127.0.0.1:1\n");
  const std::vector<std::pair<std::string, std::string>> env{{"HOLDFAST_STATE_DIR", dir_ / "state"},
                                                             {"XDG_CONFIG_HOME", dir_ / "config"}};
  const auto said = run_command({"run", "-q", "x", "--", "true"}, env, dir_ / "checkout");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(run_command({"local", "stop"}, env).exit_code, 0);
}

}  // namespace
}  // namespace holdfast::testing
