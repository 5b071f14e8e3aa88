// `holdfast demo`, whole: what is seen, what is checked, what is left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "support/eventually.h"
#include "support/free_port.h"
#include "support/process.h"
#include "support/pty.h"
#include "support/secure_server.h"
#include "support/temp_dir.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::chrono_literals;

// It takes about 13 s; this is for a starved machine.
constexpr seconds kPlayed{100};

struct Run {
  int exit_code = -1;
  std::string output;
};

Run run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {HOLDFAST_COMMAND, "demo"});
  const TempDir dir("demo");
  Process process({.argv = std::move(arguments), .stdout_file = dir / "out", .stderr_file = dir / "out"});
  Run run;
  run.exit_code = process.wait(kPlayed).value_or(-1);
  std::ifstream file(dir / "out");
  run.output.assign(std::istreambuf_iterator<char>(file), {});
  return run;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

void expect_held(const std::string& output) {
  EXPECT_EQ(count(output, "  held   "), 3u) << output;
  EXPECT_NE(output.find("never two at once"), std::string::npos) << output;
  EXPECT_NE(output.find("1 late and refused"), std::string::npos) << output;
  EXPECT_NE(output.find("The lock held."), std::string::npos) << output;
}

// Processes whose parent that is.
std::vector<pid_t> children_of(pid_t parent) {
  const auto id = std::to_string(parent);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

bool is_gone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  // A zombie is nobody, too: whoever inherited it has not reaped it yet.
  return !std::getline(stat, text) || text.find(") Z ") != std::string::npos;
}

TEST(Demo, shows_both_faults_and_that_the_lock_held_line_by_line) {
  const auto [exit_code, output] = run({});
  EXPECT_EQ(exit_code, 0) << output;
  expect_held(output);
  EXPECT_EQ(count(output, "KILLED (-9) while it holds"), 1u) << output;
  EXPECT_EQ(count(output, "PAUSED (SIGSTOP) while it holds"), 1u) << output;
  EXPECT_EQ(count(output, "WRITE REFUSED"), 1u) << output;
  EXPECT_EQ(count(output, "is told that its lock is lost"), 1u) << output;
  EXPECT_EQ(output.find('\x1b'), std::string::npos) << "no terminal, no escape sequences";
}

TEST(Demo, draws_a_picture_on_a_terminal_that_fits_it) {
  Pty terminal({HOLDFAST_COMMAND, "demo"});
  // In one look: a holder, somebody who waits, and a log.
  const auto row = [&](const std::string& pattern) {
    const auto rows = terminal.screen();
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& each) { return std::regex_search(each, std::regex(pattern)); });
  };
  EXPECT_TRUE(eventually(kPlayed, [&] {
    return row("^  HOLDS     [A-E]  pid [0-9]+ +token [0-9]+") && row("^  waits 4");
  })) << terminal.text();
  EXPECT_TRUE(eventually(kPlayed, [&] { return row("^  killed    [A-E]"); })) << terminal.text();
  EXPECT_TRUE(eventually(kPlayed, [&] { return row("^  PAUSED    [A-E]"); })) << terminal.text();
  EXPECT_EQ(terminal.wait(kPlayed), 0) << terminal.text();
  EXPECT_TRUE(terminal.expect("The lock held.", 10s)) << terminal.text();
  expect_held(terminal.text());
  EXPECT_NE(terminal.bytes().find("\x1b[32m"), std::string::npos) << "green";
  EXPECT_GT(terminal.bytes().rfind("\x1b[?25h"), terminal.bytes().rfind("\x1b[?25l")) << "the cursor is back";
}

TEST(Demo, has_no_colours_for_those_who_want_none) {
  Pty terminal({.argv = {HOLDFAST_COMMAND, "demo"}, .env = {{"NO_COLOR", "1"}}});
  ASSERT_TRUE(terminal.expect("HOLDS", kPlayed)) << terminal.text();
  EXPECT_FALSE(std::regex_search(terminal.bytes(), std::regex("\x1b\\[[0-9;]*m")));
}

TEST(Demo, writes_lines_on_a_terminal_that_is_too_small) {
  Pty terminal({.argv = {HOLDFAST_COMMAND, "demo"}, .columns = 60, .rows = 20});
  ASSERT_TRUE(terminal.expect("granted, token", kPlayed)) << terminal.text();
  EXPECT_EQ(terminal.bytes().find("\x1b[?25l"), std::string::npos);
}

TEST(Demo, leaves_nobody_behind_when_it_is_interrupted) {
  Pty terminal({HOLDFAST_COMMAND, "demo"});
  ASSERT_TRUE(terminal.expect("PAUSED", kPlayed)) << terminal.text();
  const auto workers = children_of(terminal.pid());
  ASSERT_EQ(workers.size(), 4u) << "one was killed, one is paused";
  terminal.key('c');
  EXPECT_EQ(terminal.wait(30s), 128 + SIGINT) << terminal.text();
  EXPECT_TRUE(terminal.expect("none of its processes is left", 10s)) << terminal.text();
  EXPECT_TRUE(std::all_of(workers.begin(), workers.end(), is_gone));
  EXPECT_GT(terminal.bytes().rfind("\x1b[?25h"), terminal.bytes().rfind("\x1b[?25l")) << "the cursor is back";
}

TEST(Demo, leaves_nobody_behind_when_it_is_killed) {
  const TempDir dir("demo");
  Process process({.argv = {HOLDFAST_COMMAND, "demo"}, .stderr_file = dir / "err"});
  ASSERT_TRUE(
      eventually(kPlayed, [&] { return process.read_line(1s).value_or("").find("granted") != std::string::npos; }));
  const auto workers = children_of(process.pid());
  ASSERT_EQ(workers.size(), 5u);
  process.kill9();
  EXPECT_EQ(process.wait(30s), 128 + SIGKILL);
  EXPECT_TRUE(eventually(30s, [&] { return std::all_of(workers.begin(), workers.end(), is_gone); }));
}

TEST(Demo, runs_on_another_service) {
  const ZooKeeperServer server({.make = ServerMake::apache});
  const auto [exit_code, output] = run({"--url", "zk://" + server.address()});
  EXPECT_EQ(exit_code, 0) << output;
  expect_held(output);
  EXPECT_NE(output.find("on zk://" + server.address()), std::string::npos) << output;
}

TEST(Demo, gives_its_processes_what_they_need_for_tls) {
  const SecureServer server({.make = ServerMake::engine});
  const auto [exit_code, output] =
      run({"--url", "zks://" + server.address(), "--tls-ca", server.authority().certificate});
  EXPECT_EQ(exit_code, 0) << output;
  expect_held(output);
}

TEST(Demo, says_which_service_it_cannot_use) {
  const auto nobody = "127.0.0.1:" + std::to_string(free_port());
  const auto dead = run({"--url", "zk://" + nobody, "--connect-timeout", "500ms"});
  EXPECT_NE(dead.exit_code, 0);
  EXPECT_NE(dead.output.find(nobody), std::string::npos) << dead.output;
  const auto memory = run({"--url", "memory:"});
  EXPECT_NE(memory.exit_code, 0);
  EXPECT_NE(memory.output.find("is not a valid URL; locks there exist in one process only"), std::string::npos)
      << memory.output;
}

}  // namespace
}  // namespace holdfast::testing
