// Completions, by the shells themselves; and the manual page, by the command itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/process.h"
#include "support/pty.h"
#include "support/temp_dir.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

struct Ran {
  int exit_code = -1;
  std::string output;  // of both streams
};

Ran run(Words words, std::vector<std::pair<std::string, std::string>> env = {}, const std::string& in = {}) {
  const TempDir dir("completion");
  Process process({.argv = std::move(words),
                   .env = std::move(env),
                   .working_dir = in,
                   .stdout_file = dir / "out",
                   .stderr_file = dir / "out"});
  Ran ran;
  ran.exit_code = process.wait(60s).value_or(-1);
  std::ifstream file(dir / "out");
  ran.output.assign(std::istreambuf_iterator<char>(file), {});
  return ran;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The scripts as the build made them, with the command of this build in $PATH.
class Completion : public ::testing::Test {
 protected:
  Completion() {
    std::filesystem::create_directory(dir_ / "bin");
    std::filesystem::create_symlink(HOLDFAST_COMMAND, dir_ / "bin" / "holdfast");
    const char* path = std::getenv("PATH");
    env_ = {{"PATH", (dir_ / "bin").string() + ":" + (path == nullptr ? "" : path)},
            {"HOME", dir_.path()},
            {"HOLDFAST_STATE_DIR", dir_ / "state"},
            {"XDG_CONFIG_HOME", dir_ / "config"}};
    std::filesystem::create_directory(dir_ / "work");
    std::ofstream(dir_ / "work" / "settings.yaml") << "";
    std::filesystem::create_directory(dir_ / "work" / "setup");
  }

  Words shell(Words words) const { return lines_of(run(std::move(words), env_, dir_ / "work").output); }

  // What bash would offer behind this line, as it calls the function. It takes words apart at colons.
  Words bash(const std::string& line) const {
    constexpr auto kAsk = R"(
source "$1"; COMP_LINE=$2; COMP_POINT=${#2}
read -ra COMP_WORDS <<< "${2//:/ : }"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_holdfast
((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}")";
    auto words = shell({"bash", "--norc", "-c", kAsk, "bash", HOLDFAST_COMPLETIONS "/holdfast.bash", line});
    std::sort(words.begin(), words.end());
    return words;
  }

  Words fish(const std::string& line) const {
    auto lines = shell({"fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
                        HOLDFAST_COMPLETIONS "/holdfast.fish", line});
    for (auto& each : lines) each.erase(std::min(each.find('\t'), each.size()));  // the description
    return lines;
  }

  const TempDir dir_{"completion"};
  std::vector<std::pair<std::string, std::string>> env_;
};

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST_F(Completion, bash_knows_the_commands) {
  EXPECT_EQ(bash("holdfast vers"), Words{"version"});
  EXPECT_EQ(bash("holdfast local st"), (Words{"status", "stop"}));
  const auto all = bash("holdfast ");
  EXPECT_TRUE(has(all, "server"));
  EXPECT_TRUE(has(all, "demo"));
  EXPECT_FALSE(has(all, "complete-names")) << "not for people";
}

TEST_F(Completion, bash_knows_options_and_what_they_take) {
  EXPECT_EQ(bash("holdfast server --dur"), Words{"--durability"});
  EXPECT_EQ(bash("holdfast server --durability pr"), Words{"process"});
  EXPECT_EQ(bash("holdfast server --durability=pr"), Words{"process"});
  EXPECT_EQ(bash("holdfast doctor --config se"), (Words{"settings.yaml", "setup"}));
  EXPECT_EQ(bash("holdfast server --data se"), Words{"setup"});
  EXPECT_EQ(bash("holdfast doctor --session-timeout "), Words{}) << "nobody can guess a time";
  EXPECT_EQ(bash("holdfast doctor --url zk://h:1,i:2 --js"), Words{"--json"});
  EXPECT_FALSE(has(bash("holdfast demo --"), "--worker")) << "not for people";
}

TEST_F(Completion, bash_completes_a_url_behind_its_colon) {
  EXPECT_EQ(bash("holdfast doctor --url lo"), Words{"local:"});
  EXPECT_EQ(bash("holdfast doctor --url zk:"), Words{"//"});
}

TEST_F(Completion, fish_knows_the_same) {
  EXPECT_EQ(fish("holdfast vers"), Words{"version"});
  EXPECT_EQ(fish("holdfast local st"), (Words{"status", "stop"}));
  EXPECT_EQ(fish("holdfast server --dur"), Words{"--durability"});
  EXPECT_EQ(fish("holdfast server --durability pr"), Words{"process"});
  EXPECT_TRUE(has(fish("holdfast doctor --config se"), "settings.yaml"));
  EXPECT_EQ(fish("holdfast complete"), Words{}) << "not for people";
}

TEST_F(Completion, zsh_knows_the_same) {
  // zsh completes for a person only, so there is one.
  auto env = env_;
  env.insert(env.end(), {{"ZDOTDIR", dir_ / "zsh"}});
  std::filesystem::create_directory(dir_ / "zsh");
  std::ofstream(dir_ / "zsh" / ".zshrc") << "PS1='ready> '; fpath=(" HOLDFAST_COMPLETIONS " $fpath)\n"
                                         << "autoload -Uz compinit; compinit -u -D\nunsetopt beep\n";
  Pty zsh({.argv = {"zsh", "-i"}, .env = env, .working_dir = dir_ / "work"});
  ASSERT_TRUE(zsh.expect("ready> ", 60s)) << zsh.text();
  zsh.send("holdfast vers\t");
  EXPECT_TRUE(zsh.expect("version ", 30s)) << zsh.text();
  zsh.send("--js\t");
  EXPECT_TRUE(zsh.expect("--json ", 30s)) << zsh.text();
  zsh.send("\x15holdfast server --durability pr\t");  // Ctrl-U: another line
  EXPECT_TRUE(zsh.expect("process ", 30s)) << zsh.text();
  zsh.send("\x15holdfast local stat\t");
  EXPECT_TRUE(zsh.expect("status ", 30s)) << zsh.text();
}

TEST_F(Completion, knows_the_command_after_options_that_stand_before_it) {
  for (const bool in_bash : {true, false}) {
    const auto complete = [&](const std::string& line) { return in_bash ? bash(line) : fish(line); };
    EXPECT_EQ(complete("holdfast --url zk://h:1 vers"), Words{"version"});
    EXPECT_EQ(complete("holdfast --url zk://h:1 server --dur"), Words{"--durability"});
    EXPECT_EQ(complete("holdfast --names"), Words{"--namespace"});
  }
}

TEST_F(Completion, scripts_have_no_mistakes) {
  for (const auto& check : {Words{"bash", "-n", HOLDFAST_COMPLETIONS "/holdfast.bash"},
                            Words{"zsh", "-n", HOLDFAST_COMPLETIONS "/_holdfast"},
                            Words{"fish", "-n", HOLDFAST_COMPLETIONS "/holdfast.fish"}}) {
    const auto ran = run(check);
    EXPECT_EQ(ran.exit_code, 0) << check.front();
    EXPECT_EQ(ran.output, "") << check.front();
  }
}

TEST_F(Completion, tells_names_of_locks_and_only_plain_ones) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  auto client = Client::connect("zk://" + server.address());
  auto first = client.mutex("orders/123");
  auto second = client.mutex("orders/456");
  auto odd = client.mutex("orders/it's $(odd)");
  auto other = client.mutex("stock");
  const auto holds = {first.acquire(), second.acquire(), odd.acquire(), other.acquire()};
  EXPECT_EQ(holds.size(), 4u);

  const auto names = [&](const std::string& line, const std::string& prefix) {
    return shell({HOLDFAST_COMMAND, "complete-names", "--line", line, "--", prefix});
  };
  const auto line = "holdfast show --url zk://" + server.address() + " or";
  EXPECT_EQ(names(line, "or"), (Words{"orders/123", "orders/456"}));
  EXPECT_EQ(names("holdfast show --namespace=orders --url=zk://" + server.address() + " ", ""), (Words{"123", "456"}));
  EXPECT_EQ(names("holdfast show --url zk://127.0.0.1:1 ", ""), Words{}) << "a prompt is no place for errors";
}

TEST_F(Completion, offers_the_locks_that_there_are) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  auto client = Client::connect("zk://" + server.address());
  auto mutex = client.mutex("orders/123");
  const auto hold = mutex.acquire();
  const auto url = " --url zk://" + server.address() + " ";
  EXPECT_EQ(bash("holdfast show" + url + "ord"), Words{"orders/123"});
  EXPECT_EQ(bash("holdfast run" + url + "-n other ord"), Words{"orders/123"});
  EXPECT_EQ(fish("holdfast show" + url + "ord"), Words{"orders/123"});
}

TEST_F(Completion, knows_the_command_behind_the_dashes) {
  EXPECT_TRUE(has(bash("holdfast run nightly -- mkf"), "mkfifo"));
  EXPECT_EQ(bash("holdfast run nightly -- cat sett"), Words{"settings.yaml"});
  EXPECT_TRUE(has(fish("holdfast run nightly -- mkf"), "mkfifo"));
  EXPECT_EQ(fish("holdfast run nightly -- cat sett"), Words{"settings.yaml"});
  EXPECT_EQ(bash("holdfast run nightly --on-lost t"), Words{"term"}) << "before them, it is ours";
}

TEST_F(Completion, does_not_start_the_local_engine) {
  EXPECT_EQ(shell({HOLDFAST_COMMAND, "complete-names", "--", ""}), Words{});
  EXPECT_FALSE(std::filesystem::exists(dir_ / "state"));
}

TEST_F(Completion, says_which_shells_there_are) {
  const auto ran = run({HOLDFAST_COMMAND, "completion", "tcsh"});
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_EQ(ran.output, "holdfast: there are completions for bash, zsh and fish\n");
}

// --- the manual page ---

constexpr const char* kPage = HOLDFAST_PACKAGING "/man/holdfast.1";

// Its text by sections; commands are subsections called "holdfast run NAME...". Escapes are gone.
std::map<std::string, std::string> sections() {
  std::map<std::string, std::string> sections;
  std::string section;
  std::ifstream file(kPage);
  for (std::string line; std::getline(file, line);) {
    for (auto at = line.find("\\-"); at != std::string::npos; at = line.find("\\-")) line.erase(at, 1);
    for (const auto* font : {"\\fB", "\\fI", "\\fR"}) {
      for (auto at = line.find(font); at != std::string::npos; at = line.find(font)) line.erase(at, 3);
    }
    if (line.starts_with(".SH ") || line.starts_with(".SS ")) {
      section = line.substr(4);
      section.erase(std::remove(section.begin(), section.end(), '"'), section.end());
    }
    sections[section] += line + "\n";
  }
  return sections;
}

bool mentions(const std::string& text, const std::string& option) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  for (auto at = text.find(option); at != std::string::npos; at = text.find(option, at + 1)) {
    const auto end = at + option.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

TEST(ManualPage, has_every_command_and_every_option) {
  const auto page = sections();
  const auto common = page.count("OPTIONS OF ALL COMMANDS") == 0 ? "" : page.at("OPTIONS OF ALL COMMANDS");
  const auto words = lines_of(run({HOLDFAST_COMMAND, "completion", "words"}).output);
  ASSERT_GT(words.size(), 20u);
  for (const auto& line : words) {
    const auto tab = line.find('\t');
    const auto command = line.substr(0, tab);
    const auto heading = "holdfast" + (command.empty() ? "" : " " + command);
    const auto section = std::find_if(page.begin(), page.end(), [&](const auto& each) {
      return each.first == heading || each.first.starts_with(heading + " ");
    });
    // A group of commands has none of its own.
    const auto text = common + (section == page.end() ? "" : section->second);
    if (tab == std::string::npos) {
      EXPECT_NE(section, page.end()) << "the manual page has no section \"" << heading << "\"";
    } else {
      EXPECT_TRUE(mentions(text, line.substr(tab + 1))) << heading << ": " << line.substr(tab + 1);
    }
  }
}

TEST(ManualPage, has_no_mistakes) {
  for (const auto& check :
       {Words{"mandoc", "-T", "lint", "-W", "warning", kPage}, Words{"groff", "-man", "-ww", "-z", "-Tutf8", kPage}}) {
    const auto ran = run(check);
    EXPECT_EQ(ran.exit_code, 0) << check.front();
    EXPECT_EQ(ran.output, "") << check.front();
  }
}

}  // namespace
}  // namespace holdfast::testing
