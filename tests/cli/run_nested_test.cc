// A `holdfast run` inside another one: whether it is said that it waits for itself, and only then.
#include <gtest/gtest.h>

#include "logins.h"
#include "run_command.h"
#include "server_command.h"
#include "support/pty.h"

namespace holdfast::testing {
namespace {

constexpr auto kWarning = "under which this command runs";

// `holdfast run` with these words, as a command of another one.
std::vector<std::string> nested(std::vector<std::string> outer, const std::vector<std::string>& inner) {
  outer.insert(outer.end(), {"--", HOLDFAST_COMMAND, "run"});
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

std::size_t warnings(const RunCommand& run) {
  const auto errors = run.errors();
  std::size_t count = 0;
  for (auto at = errors.find(kWarning); at != std::string::npos; at = errors.find(kWarning, at + 1)) ++count;
  return count;
}

TEST(RunNested, of_one_name_says_that_it_waits_for_itself_and_goes_on_waiting) {
  const auto name = fresh_name();
  RunCommand outer(nested({name}, {name, "--", "echo", "never"}));
  ASSERT_TRUE(outer.says("holdfast: " + name + " is held by "));
  ASSERT_TRUE(outer.says(kWarning));
  EXPECT_NE(outer.errors().find("(pid " + std::to_string(outer.pid()) + ")"), std::string::npos) << outer.errors();
  ASSERT_TRUE(outer.says("holdfast: waiting for " + name + ": next in line")) << "as everybody else who waits";
  EXPECT_EQ(warnings(outer), 1U) << outer.errors();
  ::kill(outer.pid(), SIGTERM);
  EXPECT_TRUE(outer.exit_code().has_value());
}

TEST(RunNested, two_levels_below_says_so_too) {
  const auto name = fresh_name();
  RunCommand outer(nested(
      {name}, {fresh_name(), "--", "sh", "-c", HOLDFAST_COMMAND " run -w 3 " + name + " -- echo never; exit $?"}));
  EXPECT_EQ(outer.exit_code(), 75);
  EXPECT_EQ(warnings(outer), 1U) << outer.errors();
}

TEST(RunNested, that_waits_for_some_time_only_ends_as_told) {
  const auto name = fresh_name();
  RunCommand outer(nested({name}, {"-w", "2", "-E", "33", name, "--", "echo", "never"}));
  EXPECT_EQ(outer.exit_code(), 33);
  EXPECT_EQ(warnings(outer), 1U) << outer.errors();
  RunCommand at_once(nested({name}, {"-n", name, "--", "echo", "never"}));
  EXPECT_EQ(at_once.exit_code(), 75);
  EXPECT_EQ(warnings(at_once), 0U) << "it does not wait";
  RunCommand quiet(nested({name}, {"-q", "-w", "1", name, "--", "echo", "never"}));
  EXPECT_EQ(quiet.exit_code(), 75);
  EXPECT_EQ(quiet.errors(), "");
}

TEST(RunNested, of_another_name_is_not_alarmed) {
  const auto name = fresh_name();
  RunCommand other({name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(other.line(), "held");
  RunCommand outer(nested({fresh_name()}, {"-v", name, "--", "true"}));
  ASSERT_TRUE(outer.says("waiting for " + name + ": next in line; held for ")) << outer.errors();
  ASSERT_TRUE(other.process().write_line("go"));
  EXPECT_EQ(outer.exit_code(), 0);
  EXPECT_EQ(warnings(outer), 0U) << outer.errors();
}

TEST(RunNested, on_another_service_is_not_alarmed) {
  ZooKeeperServer elsewhere({.make = ServerMake::engine});
  const auto url = "zk://" + elsewhere.address();
  const auto name = fresh_name();
  RunCommand other({name, "--", "sh", "-c", "echo held; read go"}, url);
  ASSERT_EQ(other.line(), "held");
  RunCommand outer(nested({name}, {"-v", "--url", url, name, "--", "true"}));
  ASSERT_TRUE(outer.says("waiting for " + name + ": next in line; held for ")) << outer.errors();
  ASSERT_TRUE(other.process().write_line("go"));
  EXPECT_EQ(outer.exit_code(), 0);
  EXPECT_EQ(warnings(outer), 0U) << outer.errors();
}

TEST(RunNested, whose_outer_one_has_ended_is_not_alarmed) {
  const auto name = fresh_name();
  TempDir dir;
  const auto file = [&](const char* what) { return (dir / what).string(); };
  // Left in the background, where it begins to wait once the outer one has ended and another one has the lock.
  RunCommand outer({name, "--", "sh", "-c",
                    "(while [ ! -e " + file("go") + " ]; do sleep 0.05; done; exec " HOLDFAST_COMMAND " run -v " +
                        name + " -- touch " + file("done") + ") >/dev/null 2>" + file("errors") + " & echo started"});
  ASSERT_EQ(outer.line(), "started");
  ASSERT_EQ(outer.exit_code(), 0);
  RunCommand other({name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(other.line(), "held");
  std::ofstream(file("go")).flush();
  ASSERT_TRUE(eventually(kRunPatience, [&] {
    return content(file("errors")).find("next in line; held for ") != std::string::npos;
  })) << content(file("errors"));
  ASSERT_TRUE(other.process().write_line("go"));
  EXPECT_TRUE(eventually(kRunPatience, [&] { return std::filesystem::exists(file("done")); }));
  EXPECT_EQ(content(file("errors")).find(kWarning), std::string::npos) << content(file("errors"));
}

TEST(RunNested, shares_with_the_outer_one_what_can_be_shared) {
  const auto name = fresh_name();
  RunCommand readers(nested({"-s", name}, {"-s", name, "--", "true"}));
  EXPECT_EQ(readers.exit_code(), 0);
  EXPECT_EQ(readers.errors(), "");
  RunCommand permits(nested({"--permits", "1/2", name}, {"--permits", "1/2", name, "--", "true"}));
  EXPECT_EQ(permits.exit_code(), 0);
  EXPECT_EQ(permits.errors(), "");
}

TEST(RunNested, that_waits_for_permits_of_others_is_not_alarmed) {
  const auto name = fresh_name();
  RunCommand other({"--permits", "1/2", name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(other.line(), "held");
  RunCommand outer(nested({"--permits", "1/2", name}, {"-v", "--permits", "1/2", name, "--", "true"}));
  ASSERT_TRUE(outer.says("waiting for " + name)) << outer.errors();
  ASSERT_TRUE(other.process().write_line("go"));
  EXPECT_EQ(outer.exit_code(), 0);
  EXPECT_EQ(warnings(outer), 0U) << outer.errors();
  RunCommand all(nested({"--permits", "1/2", name}, {"-w", "2", "--permits", "2/2", name, "--", "true"}));
  EXPECT_EQ(all.exit_code(), 75);
  EXPECT_EQ(warnings(all), 1U) << all.errors();
}

TEST(RunNested, on_a_terminal_says_it_above_the_live_line) {
  const auto name = fresh_name();
  Pty tty({.argv = nested({HOLDFAST_COMMAND, "run", name}, {name, "--", "echo", "never"}),
           .env = {{"HOLDFAST_URL", engine_url()}},
           .columns = 250});
  ASSERT_TRUE(tty.expect(kWarning, kRunPatience)) << tty.text();
  ASSERT_TRUE(tty.expect("next in line; held for ", kRunPatience)) << tty.text();
  ASSERT_TRUE(tty.expect("held for 3s", kRunPatience)) << "it is drawn anew: " << tty.text();
  EXPECT_EQ(tty.screen().size(), 2U) << tty.text();
  tty.key('c');
  EXPECT_TRUE(tty.wait(kRunPatience).has_value());
}

TEST(RunNested, a_command_inside_uses_the_same_service_unless_it_has_its_own_file) {
  TempDir dir;
  std::filesystem::create_directory(dir / "own");
  std::ofstream(dir / "own" / "holdfast.yaml") << "url: zk://own.example:2181\n";
  const auto show = HOLDFAST_COMMAND + std::string(" config show | grep -E '^(url|namespace)'");
  const auto own = "export HOLDFAST_CONFIG=" + (dir / "own" / "holdfast.yaml").string() + "; ";
  Process run({.argv = {HOLDFAST_COMMAND, "run", "--url", engine_url(), "--namespace", "outer", fresh_name(), "--",
                        "sh", "-c", "cd " + dir.path().string() + "; " + show + "; " + own + show},
               .env = {{"XDG_CONFIG_HOME", dir / "none"}, {"HOME", dir / "none"}}});
  std::vector<std::string> lines;
  while (const auto line = run.read_line(kRunPatience)) {
    std::string words;
    std::istringstream in(*line);
    for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
    lines.push_back(words);
  }
  ASSERT_EQ(run.wait(kRunPatience), 0);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "url " + engine_url() + " HOLDFAST_RUN_URL");
  EXPECT_EQ(lines[1], "namespace outer HOLDFAST_RUN_NAMESPACE");
  EXPECT_TRUE(lines[2].starts_with("url zk://own.example:2181 ")) << lines[2];
  EXPECT_EQ(lines[3].find("outer"), std::string::npos) << lines[3];
}

// The password is in a file, and only its name is passed on.
TEST(RunNested, a_command_inside_logs_in_as_the_outer_one_did) {
  TempDir dir;
  write_logins(dir);
  Server server(with(kAnyPort, {"--require-auth", (dir / "users").string()}));
  server.serves();
  const auto name = fresh_name();
  // From another directory, and a name that is relative to ours.
  Process run(
      {.argv = {HOLDFAST_COMMAND, "run", "--url", "zk://" + server.address(), "--auth", "password", name, "--", "sh",
                "-c", "cd / && " HOLDFAST_COMMAND " run " + name + "-inner -- echo inside; env | grep -c secret"},
       .env = {{"XDG_CONFIG_HOME", dir / "none"}, {"HOME", dir / "none"}},
       .working_dir = dir.path(),
       .stderr_file = dir / "errors"});
  EXPECT_EQ(run.read_line(kRunPatience), "inside") << content(dir / "errors");
  EXPECT_EQ(run.read_line(kRunPatience), "0") << "the password is in the environment";
  run.wait(kRunPatience);
}

TEST(RunNested, a_login_is_not_sent_to_another_service) {
  TempDir dir;
  write_logins(dir);
  const auto show = HOLDFAST_COMMAND + std::string(" config show | grep ^auth");
  Process run({.argv = {HOLDFAST_COMMAND, "run", "--auth", (dir / "password").string(), fresh_name(), "--",
                        HOLDFAST_COMMAND, "run", "--url", "local:", fresh_name(), "--", "sh", "-c", show},
               .env = {{"XDG_CONFIG_HOME", dir / "none"},
                       {"HOME", dir / "none"},
                       {"HOLDFAST_RUN_URL", engine_url()},
                       {"HOLDFAST_STATE_DIR", dir / "state"}},
               .stderr_file = dir / "errors"});
  const auto line = run.read_line(kRunPatience).value_or("nothing: " + content(dir / "errors"));
  EXPECT_NE(line.find("default"), std::string::npos) << line;
  EXPECT_EQ(run.wait(kRunPatience), 0);
  Process({.argv = {HOLDFAST_COMMAND, "local", "stop"}, .env = {{"HOLDFAST_STATE_DIR", dir / "state"}}})
      .wait(kRunPatience);
}

}  // namespace
}  // namespace holdfast::testing
