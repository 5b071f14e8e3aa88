// What `holdfast run` is asked for, and how it ends.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "holdfast/client.h"
#include "run_command.h"
#include "support/fault_proxy.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

int code_of(std::vector<std::string> arguments) { return RunCommand(std::move(arguments)).exit_code().value_or(-1); }

TEST(RunExit, passes_the_commands_exit_code_on) {
  EXPECT_EQ(code_of({fresh_name(), "--", "true"}), 0);
  EXPECT_EQ(code_of({fresh_name(), "--", "sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(code_of({fresh_name(), "--", "sh", "-c", "exit 255"}), 255);
}

TEST(RunExit, is_128_and_the_signal_when_one_killed_the_command) {
  for (const int signal : {SIGTERM, SIGKILL, SIGINT, SIGSEGV, SIGHUP}) {
    EXPECT_EQ(code_of({fresh_name(), "--", "sh", "-c", "kill -" + std::to_string(signal) + " $$"}), 128 + signal);
  }
}

TEST(RunExit, is_127_for_a_command_that_is_not_found_and_126_for_one_that_cannot_be_run) {
  RunCommand unknown({fresh_name(), "--", "no-such-command-anywhere"});
  EXPECT_EQ(unknown.exit_code(), 127);
  EXPECT_EQ(unknown.errors(), "holdfast: no-such-command-anywhere: command not found\n");
  EXPECT_EQ(code_of({fresh_name(), "--", "/etc/passwd"}), 126);
  EXPECT_EQ(code_of({fresh_name(), "--", "/tmp"}), 126);
  TempDir dir;
  const auto script = dir / "script";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  ::chmod(script.c_str(), 0755);
  EXPECT_EQ(code_of({fresh_name(), "--", script}), 127) << "known only when it is run";
}

TEST(RunExit, does_not_wait_for_the_lock_of_a_command_that_does_not_exist) {
  const auto name = fresh_name();
  RunCommand holder({name, "--", "sh", "-c", "echo held; sleep 1000"});
  ASSERT_EQ(holder.line(), "held");
  EXPECT_EQ(code_of({name, "--", "no-such-command-anywhere"}), 127);
}

TEST(RunExit, runs_a_script_without_a_first_line_as_shells_do) {
  TempDir dir;
  const auto script = dir / "script";
  std::ofstream(script) << "exit 9\n";
  ::chmod(script.c_str(), 0755);
  EXPECT_EQ(code_of({fresh_name(), "--", script}), 9);
}

TEST(RunExit, with_n_or_w_says_who_holds_it_and_ends_with_75_or_as_told) {
  const auto name = fresh_name();
  RunCommand holder({name, "--purpose", "monthly run", "--", "sh", "-c", "echo held; sleep 1000"});
  ASSERT_EQ(holder.line(), "held");

  RunCommand at_once({"-n", name, "--", "true"});
  EXPECT_EQ(at_once.exit_code(), 75);
  EXPECT_NE(at_once.errors().find(name + " is held for "), std::string::npos) << at_once.errors();
  EXPECT_NE(at_once.errors().find("(pid " + std::to_string(holder.pid()) + ")"), std::string::npos) << at_once.errors();
  EXPECT_NE(at_once.errors().find("monthly run"), std::string::npos) << at_once.errors();

  RunCommand quiet({"-q", "-n", "-E", "0", name, "--", "true"});
  EXPECT_EQ(quiet.exit_code(), 0);
  EXPECT_EQ(quiet.errors(), "");

  const auto before = Clock::now();
  EXPECT_EQ(code_of({"-w", "0.4", "-E", "33", name, "--", "true"}), 33);
  EXPECT_GE(Clock::now() - before, 400ms);
  EXPECT_EQ(code_of({"-w", "0", name, "--", "true"}), 75);
}

TEST(RunExit, waits_for_its_turn) {
  const auto name = fresh_name();
  TempDir dir;
  const auto order = (dir / "order").string();
  RunCommand first({name, "--", "sh", "-c", "echo held; read go; echo first >> " + order});
  ASSERT_EQ(first.line(), "held");
  RunCommand second({name, "-v", "--", "sh", "-c", "echo second >> " + order});
  ASSERT_TRUE(second.says("waiting for " + name + ": next in line; held for ")) << second.errors();
  ASSERT_TRUE(first.process().write_line("go"));
  EXPECT_EQ(first.exit_code(), 0);
  EXPECT_EQ(second.exit_code(), 0);
  EXPECT_EQ(content(order), "first\nsecond\n");
}

TEST(RunExit, gives_the_lock_back_before_it_ends) {
  const auto name = fresh_name();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(code_of({"-n", name, "--", "true"}), 0) << i;
}

TEST(RunExit, tells_the_command_name_service_and_token) {
  const auto name = fresh_name();
  const auto other = fresh_name();
  RunCommand run({name, other, "--namespace", "below", "--", "sh", "-c",
                  "echo \"$HOLDFAST_NAME|$HOLDFAST_RUN_URL|$HOLDFAST_RUN_NAMESPACE|$HOLDFAST_TOKEN\""});
  const auto line = run.line().value_or("");
  const auto known = name + " " + other + "|" + engine_url() + "|below|";
  ASSERT_TRUE(line.starts_with(known)) << line;
  const auto token = std::stoull(line.substr(known.size()));
  RunCommand next({"--namespace", "below", name, "--", "sh", "-c", "echo $HOLDFAST_TOKEN"});
  EXPECT_GT(std::stoull(next.line().value_or("0")), token);
}

TEST(RunExit, takes_several_names_all_or_none) {
  const auto a = fresh_name();
  const auto b = fresh_name();
  RunCommand holder({b, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  EXPECT_EQ(code_of({"-n", a, b, "--", "true"}), 75);
  EXPECT_EQ(code_of({"-n", a, "--", "true"}), 0) << "left nothing behind";
  ASSERT_TRUE(holder.process().write_line("go"));
  ASSERT_EQ(holder.exit_code(), 0);
  RunCommand both({"-n", a, b, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(both.line(), "held");
  EXPECT_EQ(code_of({"-n", a, "--", "true"}), 75);
  EXPECT_EQ(code_of({"-n", b, "--", "true"}), 75);
}

TEST(RunExit, shares_with_those_who_share) {
  const auto name = fresh_name();
  RunCommand reader({"-s", name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(reader.line(), "held");
  EXPECT_EQ(code_of({"-s", "-n", name, "--", "true"}), 0);
  EXPECT_EQ(code_of({"-n", name, "--", "true"}), 75);
  ASSERT_TRUE(reader.process().write_line("go"));
  ASSERT_EQ(reader.exit_code(), 0);
  for (const auto* how : {"-x", "-e", "--exclusive", "--purpose=none"}) {
    RunCommand writer({how, name, "--", "sh", "-c", "echo held; read go"});
    ASSERT_EQ(writer.line(), "held") << writer.errors();
    EXPECT_EQ(code_of({"-s", "-n", name, "--", "true"}), 75);
    EXPECT_EQ(code_of({"-x", "-n", name, "--", "true"}), 75);
    EXPECT_EQ(code_of({"-n", name, "--", "true"}), 75);
    ASSERT_TRUE(writer.process().write_line("go"));
    ASSERT_EQ(writer.exit_code(), 0);
  }
}

TEST(RunExit, finds_nothing_strange_in_a_lock_that_some_share_and_others_do_not) {
  const auto name = fresh_name();
  RunCommand reader({"-s", name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(reader.line(), "held");
  RunCommand plain({"-v", name, "--", "true"});
  ASSERT_TRUE(plain.says("next in line")) << plain.errors();
  RunCommand writer({"-v", "-x", name, "--", "true"});
  ASSERT_TRUE(writer.says("in line")) << writer.errors();
  auto client = Client::connect(engine_url());
  const auto lock = client.inspect(name);
  ASSERT_EQ(lock.tickets.size(), 3U);
  EXPECT_EQ(lock.tickets[0].mode, LockMode::read);
  EXPECT_EQ(lock.tickets[1].mode, LockMode::exclusive);
  EXPECT_EQ(lock.tickets[2].mode, LockMode::write);
  EXPECT_FALSE(lock.mixed_recipes);
  ASSERT_TRUE(reader.process().write_line("go"));
  for (auto* run : {&reader, &plain, &writer}) {
    EXPECT_EQ(run->exit_code(), 0);
    EXPECT_EQ(run->errors().find("recipe"), std::string::npos) << run->errors();
  }
}

TEST(RunExit, finds_nothing_strange_in_a_name_below_another) {
  const auto name = fresh_name();
  RunCommand below({name + "/prod", "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(below.line(), "held");
  RunCommand above({name, "--", "true"});
  EXPECT_EQ(above.exit_code(), 0);
  EXPECT_EQ(above.errors(), "");
}

TEST(RunExit, gives_a_text_to_the_shell) {
  RunCommand run({fresh_name(), "-c", "echo one; echo two; exit 7"});
  EXPECT_EQ(run.line(), "one");
  EXPECT_EQ(run.line(), "two");
  EXPECT_EQ(run.exit_code(), 7);
  EXPECT_EQ(code_of({fresh_name(), "-c", "true", "--", "true"}), 64);
}

// With -E 0 that would pass for success.
TEST(RunExit, a_service_that_grants_nothing_is_not_a_lock_that_is_held) {
  for (const auto* quiet : {"-q", "--purpose=none"}) {
    FaultProxy proxy(engine().port());
    proxy.black_hole_before({.where = [](const Request& request) { return creates_a_node(request.op); }});
    RunCommand run({quiet, "-w", "0.5s", "-E", "0", fresh_name(), "--", "true"}, "zk://" + proxy.address());
    EXPECT_EQ(run.exit_code(), 69) << run.errors();
    EXPECT_NE(run.errors().find("timed out before"), std::string::npos) << run.errors();
  }
}

TEST(RunExit, says_that_the_service_has_granted_another_session) {
  RunCommand longer({"--session-timeout", "2m", fresh_name(), "--", "true"});
  EXPECT_EQ(longer.exit_code(), 0);
  EXPECT_NE(longer.errors().find("granted a session timeout of 60s instead of 120s"), std::string::npos)
      << longer.errors();
  RunCommand quiet({"-q", "--session-timeout", "2m", fresh_name(), "--", "true"});
  EXPECT_EQ(quiet.exit_code(), 0);
  EXPECT_EQ(quiet.errors(), "");
}

TEST(RunExit, takes_k_of_n_permits) {
  const auto name = fresh_name();
  RunCommand two({"--permits", "2/3", name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(two.line(), "held");
  EXPECT_EQ(code_of({"--permits", "2/3", "-n", name, "--", "true"}), 75);
  EXPECT_EQ(code_of({"--permits", "1/3", "-n", name, "--", "true"}), 0);
}

TEST(RunExit, keeps_the_lock_for_its_minimum) {
  const auto name = fresh_name();
  const auto before = Clock::now();
  RunCommand run({"--min-hold", "0.7", name, "--", "echo", "done"});
  ASSERT_EQ(run.line(), "done");
  EXPECT_EQ(code_of({"-n", name, "--", "true"}), 75);
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_GE(Clock::now() - before, 700ms);
}

TEST(RunExit, ends_the_command_at_its_maximum) {
  const auto before = Clock::now();
  RunCommand run({"--max-hold", "0.5", fresh_name(), "--", "sleep", "1000"});
  EXPECT_EQ(run.exit_code(), 124) << "as timeout(1) has it; 76 is a lock that was lost";
  EXPECT_GE(Clock::now() - before, 500ms);
  EXPECT_NE(run.errors().find("held for 0.5s, as long as --max-hold allows"), std::string::npos) << run.errors();
}

TEST(RunExit, passes_stdin_and_stdout_through) {
  RunCommand cat({fresh_name(), "--", "cat"});
  ASSERT_TRUE(cat.process().write_line("one"));
  EXPECT_EQ(cat.line(), "one");
  cat.process().close_stdin();
  EXPECT_EQ(cat.exit_code(), 0);
}

TEST(RunExit, holds_no_pipe_that_the_command_has_closed) {
  // The reader sees the end at once, not when the command ends.
  RunCommand run({fresh_name(), "--", "sh", "-c", "echo last; exec >&-; sleep 1000"});
  EXPECT_EQ(run.line(), "last");
  EXPECT_EQ(run.line(), std::nullopt);
  EXPECT_TRUE(run.process().running());
}

TEST(RunExit, leaks_no_descriptor_and_no_signal_mask_into_the_command) {
  const std::string look =
      "cd /proc/self/fd && echo *; grep -E 'Sig(Blk|Ign)' /proc/self/status | tr '\\n\\t' '  '; echo";
  Process direct({"sh", "-c", look});
  RunCommand under({fresh_name(), "--", "sh", "-c", look});
  for (int i = 0; i < 2; ++i) {
    const auto expected = direct.read_line(10s);
    ASSERT_TRUE(expected);
    EXPECT_EQ(under.line(), expected);
  }
}

TEST(RunExit, leaves_ignored_signals_ignored) {
  RunCommand run({fresh_name(), "--", "true"});
  ASSERT_EQ(run.exit_code(), 0);
  TempDir dir;
  const auto out = (dir / "out").string();
  Process nohup({"sh", "-c",
                 "trap '' HUP INT; exec " HOLDFAST_COMMAND " run --url " + engine_url() + " " + fresh_name() +
                     " -- sh -c 'kill -HUP $PPID; kill -INT $$; kill -HUP $$; echo alive'"});
  EXPECT_EQ(nohup.read_line(kRunPatience), "alive");
  EXPECT_EQ(nohup.wait(kRunPatience), 0);
}

TEST(RunExit, leaves_alone_what_the_command_left_in_the_background) {
  TempDir dir;
  const auto file = dir / "pid";
  RunCommand run({fresh_name(), "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $! > " + file.string()});
  EXPECT_EQ(run.exit_code(), 0);
  const pid_t left = pid_in(file);
  ASSERT_GT(left, 0);
  EXPECT_TRUE(runs(left));
  ::kill(left, SIGKILL);
}

struct Refused {
  std::vector<std::string> arguments;
  std::string says;
};

TEST(RunExit, refuses_what_makes_no_sense_in_one_sentence) {
  const std::vector<Refused> all{
      {{"x"}, "write -- and the command"},
      {{"--", "true"}, "write what to lock"},
      {{"-s", "--permits", "1/2", "x", "--", "true"}, "give one of them"},
      {{"--permits", "1/2", "x", "y", "--", "true"}, "--permits are of one name"},
      {{"--permits", "3", "x", "--", "true"}, "such as 1/4"},
      {{"--permits", "3/2", "x", "--", "true"}, "such as 1/4"},
      {{"-n", "-w", "1", "x", "--", "true"}, "give one of them"},
      {{"-w", "soon", "x", "--", "true"}, "write seconds"},
      {{"-w", "", "x", "--", "true"}, "has no value"},
      {{"--permits", "", "x", "--", "true"}, "has no value"},
      {{"-E", "256", "x", "--", "true"}, "from 0 to 255"},
      {{"--on-lost", "panic", "x", "--", "true"}, "term, kill or ignore"},
      {{"--kill-after", "10", "x", "--", "true"}, "give at most 4.75s"},
      {{"--min-hold", "2", "--max-hold", "1", "x", "--", "true"}, "longer than --max-hold"},
      {{"a/../b", "--", "true"}, ".."},
      {{"x", "x", "--", "true"}, "x"},
  };
  for (const auto& [arguments, says] : all) {
    RunCommand run(arguments);
    EXPECT_EQ(run.exit_code(), 64) << run.errors();
    const auto errors = run.errors();
    EXPECT_TRUE(errors.starts_with("holdfast: ")) << errors;
    EXPECT_NE(errors.find(says), std::string::npos) << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

// Connecting is a part of the wait.
TEST(RunExit, with_w_does_not_wait_longer_for_a_service_that_it_cannot_reach) {
  const auto began = Clock::now();
  RunCommand run({"--connect-timeout", "60s", "-w", "0.5s", "x", "--", "true"}, "zk://127.0.0.1:1");
  EXPECT_EQ(run.exit_code(), 69);
  EXPECT_LT(Clock::now() - began, 30s);
  EXPECT_NE(run.errors().find("connection refused; is the server running?"), std::string::npos) << run.errors();
}

// However the lock is asked for. Connecting takes most of the time here, so a wait that began after it would last nearly twice as long.
TEST(RunExit, with_w_counts_the_time_that_connecting_took) {
  auto holder = Client::connect(engine_url());
  const auto name = fresh_name();
  const auto other = fresh_name();
  auto lease = holder.mutex(name).acquire();
  auto permits = fresh_name();
  auto semaphore = holder.semaphore(permits, 1);
  auto permit = semaphore.acquire();
  FaultProxy proxy(engine().port());
  proxy.black_hole();
  const auto began = Clock::now();
  constexpr auto kSilence = 6s;
  std::vector<std::unique_ptr<RunCommand>> runs;
  for (const auto& how : std::vector<std::vector<std::string>>{{"--exclusive", name},
                                                               {"--shared", name},
                                                               {name},
                                                               {name, other},
                                                               {"--exclusive", name, other},
                                                               {"--permits", "1/1", permits}}) {
    std::vector<std::string> arguments{"--connect-timeout", "60s", "-w", "8s"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    arguments.insert(arguments.end(), {"--", "true"});
    runs.push_back(std::make_unique<RunCommand>(std::move(arguments), "zk://" + proxy.address()));
  }
  ASSERT_TRUE(eventually(kRunPatience, [&] { return proxy.accepted() >= runs.size(); }));
  std::this_thread::sleep_until(began + kSilence);  // the silence itself
  proxy.heal();
  for (const auto& run : runs) {
    EXPECT_EQ(run->exit_code(), 75) << run->errors();
    EXPECT_LT(Clock::now() - began, 12s) << run->errors();
  }
}

TEST(RunExit, names_the_address_of_a_service_that_it_cannot_reach) {
  RunCommand run({"--connect-timeout", "300ms", "x", "--", "true"}, "zk://127.0.0.1:1");
  EXPECT_EQ(run.exit_code(), 69);
  EXPECT_NE(run.errors().find("127.0.0.1:1"), std::string::npos) << run.errors();
}

}  // namespace
}  // namespace holdfast::testing
