// The engine behind local: under whatever its first client was started: other homes, few descriptors, little priority, another environment. It
// must make no difference to those who come later.
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <regex>

#include "cli/local_world.h"
#include "holdfast/holdfast.h"

namespace holdfast::testing {
namespace {

constexpr uid_t kUser = 65534;

// The command where that user can run it: the build may be in a directory that is closed to other users.
std::string reachable_command(const TempDir& dir) {
  Process look({"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "test", "-x", HOLDFAST_COMMAND});
  if (look.wait(kLocalPatience) == 0) return HOLDFAST_COMMAND;
  std::filesystem::copy_file(HOLDFAST_COMMAND, dir / "command");
  return dir / "command";
}

class LocalPlace : public LocalWorld {
 protected:
  LocalPlace() { ::unsetenv("HOLDFAST_STATE_DIR"); }

  using Environment = std::vector<std::pair<std::string, std::string>>;
  static std::string directory(const Environment& env) {
    // Looks, and leaves nothing behind.
    const auto said = run_command({"local", "status"}, env);
    std::smatch found;
    const auto text = said.out + said.err;
    return std::regex_search(text, found, std::regex("directory: (.*)\n")) ? found[1].str() : text;
  }
};

// cron, sudo, su without a dash, systemd: the same user with another environment.
TEST_F(LocalPlace, depends_on_the_user_alone) {
  const auto* user = ::getpwuid(::geteuid());
  ASSERT_NE(user, nullptr);
  const auto expected = std::string(user->pw_dir) + "/.local/state/holdfast";
  const auto other = dir_.path().string();
  EXPECT_EQ(directory({}), expected);
  EXPECT_EQ(directory({{"HOME", other}}), expected);
  EXPECT_EQ(directory({{"HOME", ""}}), expected);
  EXPECT_EQ(directory({{"XDG_STATE_HOME", other}}), expected);
  EXPECT_EQ(directory({{"XDG_STATE_HOME", other}, {"XDG_RUNTIME_DIR", other}, {"HOME", other}, {"USER", "x"}}),
            expected);
  EXPECT_EQ(directory({{"HOLDFAST_STATE_DIR", other + "/mine"}}), other + "/mine") << "unless the operator says so";
  EXPECT_FALSE(std::filesystem::exists(dir_ / "mine"));
}

TEST_F(LocalPlace, that_makes_no_sense_is_refused_with_one_sentence) {
  EXPECT_EQ(directory({{"HOLDFAST_STATE_DIR", "here"}}),
            "holdfast: HOLDFAST_STATE_DIR is \"here\", which is not an absolute path\n");
  const auto command = reachable_command(dir_);
  const auto as = [&](const std::string& id) {
    const TempDir out("said");
    Process process(
        {.argv = {"setpriv", "--reuid", id, "--regid", id, "--clear-groups", command, "run", "x", "--", "true"},
         .working_dir = "/",
         .stderr_file = out / "err"});
    EXPECT_EQ(process.wait(kLocalPatience), 69);
    return contents(out / "err");
  };
  ASSERT_EQ(::getpwuid(54321), nullptr);
  EXPECT_EQ(
      as("54321"),
      "holdfast: there is no user 54321 in the password database, and local: keeps its state in the home "
      "directory; set HOLDFAST_STATE_DIR to a directory of user 54321, the same for everything that user runs, or use "
      "another URL\n");
  ASSERT_FALSE(std::filesystem::exists(::getpwuid(kUser)->pw_dir));
  EXPECT_EQ(
      as("65534"),
      "holdfast: the home directory of nobody is \"/nonexistent\", which is not there, and local: keeps its state in "
      "the home directory; set HOLDFAST_STATE_DIR to a directory of user 65534, the same for everything that user "
      "runs, or use another URL\n");
}

class LocalStart : public LocalWorld {
 protected:
  LocalStart() {
    EXPECT_EQ(::geteuid(), 0U) << "this test must be root to become another user";
    std::filesystem::create_directory(state());
    EXPECT_EQ(::chown(state().c_str(), kUser, kUser), 0);
    ::setenv("HOLDFAST_COMMAND", command_.c_str(), 1);
  }
  ~LocalStart() override { EXPECT_EQ(as_user("", {"local", "stop"}).exit_code, 0); }

  // The command, by a user without privileges, after `prefix` in a shell.
  Said as_user(const std::string& prefix, const std::vector<std::string>& arguments) const {
    const TempDir out("said");
    auto process = start(prefix, arguments, out);
    process->close_stdin();
    const auto code = process->wait(kLocalPatience);
    return {code, contents(out / "out"), contents(out / "err")};
  }
  std::unique_ptr<Process> start(const std::string& prefix, const std::vector<std::string>& arguments,
                                 const TempDir& out) const {
    std::vector<std::string> argv{
        "setpriv", "--reuid",       "65534", "--regid", "65534", "--clear-groups", "sh", "-c", prefix + "\nexec \"$@\"",
        "sh",      HOLDFAST_COMMAND};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return std::make_unique<Process>(ProcessOptions{
        .argv = std::move(argv), .working_dir = "/", .stdout_file = out / "out", .stderr_file = out / "err"});
  }
  int pid() const {
    std::smatch found;
    const auto said = as_user("", {"local", "status"}).out;
    return std::regex_search(said, found, std::regex("running as process ([0-9]+)")) ? std::stoi(found[1]) : 0;
  }
  // "20 20": what it has, and what it could have at most.
  static std::string limits(int pid, const std::string& of) {
    const auto text = contents("/proc/" + std::to_string(pid) + "/limits");
    std::smatch found;
    return std::regex_search(text, found, std::regex(of + " +([0-9a-z]+) +([0-9a-z]+)"))
               ? found[1].str() + " " + found[2].str()
               : text;
  }
  // Of this process, which is what it was started from.
  static std::string all_there_is(int resource) {
    rlimit limit{};
    EXPECT_EQ(::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit), 0);
    const auto most = limit.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_max);
    return most + " " + most;
  }

  const std::string command_ = reachable_command(dir_);
  static inline const std::vector<std::string> kRun{"run", "--connect-timeout", "60s", "a", "--", "true"};
};

TEST_F(LocalStart, throws_off_what_it_may) {
  const auto cpus = [](int of) {
    cpu_set_t set{};
    EXPECT_EQ(::sched_getaffinity(of, sizeof set, &set), 0);
    return CPU_COUNT(&set);
  };
  const auto said = as_user(
      "umask 0; cd /tmp; export SOMETHING=else LD_PRELOAD=; ulimit -Sn 30; ulimit -Sv 4000000; ulimit -Sf 1000\n"
      "exec chrt --batch 0 taskset -c 0 ionice -c 3 \"$@\"",
      kRun);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const int engine = pid();
  ASSERT_GT(engine, 0);
  EXPECT_EQ(limits(engine, "Max open files"), all_there_is(RLIMIT_NOFILE));
  EXPECT_EQ(limits(engine, "Max address space"), all_there_is(RLIMIT_AS));
  EXPECT_EQ(limits(engine, "Max file size"), all_there_is(RLIMIT_FSIZE));
  EXPECT_EQ(cpus(engine), cpus(0));
  EXPECT_EQ(::sched_getscheduler(engine), SCHED_OTHER);
  const auto proc = "/proc/" + std::to_string(engine);
  // By its own user: root in a container may not look there.
  EXPECT_EQ(as_user("exec readlink " + proc + "/cwd", {}).out, "/\n");
  EXPECT_NE(contents(proc + "/status").find("Umask:\t0077"), std::string::npos);
  const auto environment = as_user("exec cat " + proc + "/environ", {}).out;
  EXPECT_TRUE(environment.starts_with("HOLDFAST_STATE_DIR=" + state().string() + '\0')) << environment;
  for (const auto* name : {"SOMETHING=", "PATH=", "HOME=", "LD_PRELOAD="}) {
    EXPECT_EQ(environment.find(std::string(1, 0) + name), std::string::npos) << environment;
  }
}

// A hard limit cannot be raised again: with twenty descriptors, most of thirty later runs would fail.
TEST_F(LocalStart, under_few_descriptors_does_not_make_later_runs_fail) {
  ASSERT_EQ(as_user("ulimit -n 20", kRun).exit_code, 0);
  const int first = pid();
  EXPECT_EQ(limits(first, "Max open files"), "20 20");
  const auto status = as_user("ulimit -n 20", {"local", "status"}).out;
  EXPECT_NE(status.find("held back: 20 open files at most; the next command without that replaces it\n"),
            std::string::npos)
      << status;
  EXPECT_EQ(as_user("ulimit -n 20", kRun).exit_code, 0);
  EXPECT_EQ(pid(), first) << "one that is no better off takes what there is";

  const TempDir out("out");
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back(start("", {"run", "--connect-timeout", "60s", std::to_string(i), "--", "cat"}, out));
  }
  ASSERT_TRUE(eventually(kLocalPatience,
                         [&] {
                           return as_user("", {"local", "status"}).out.find("sessions:  30\n") != std::string::npos;
                         }))
      << as_user("", {"local", "status"}).out << contents(out / "err");
  for (auto& each : all) each->close_stdin();
  for (auto& each : all) EXPECT_EQ(each->wait(kLocalPatience), 0) << contents(out / "err");
  EXPECT_NE(pid(), first);
  EXPECT_EQ(limits(pid(), "Max open files"), all_there_is(RLIMIT_NOFILE));
  EXPECT_EQ(starts(), 2) << contents(state() / "engine.log");
  EXPECT_NE(contents(state() / "engine.log").find(", held back by 20 open files at most\n"), std::string::npos);
}

// A nice job of cron comes first. Its engine would keep all later holders waiting for the processor.
TEST_F(LocalStart, at_low_priority_is_replaced_and_its_holders_keep_their_locks) {
  const TempDir out("out");
  const auto holder =
      start("exec nice -n 19 \"$@\"",
            {"run", "--connect-timeout", "60s", "a", "--", "sh", "-c", "echo held; cat; echo done"}, out);
  ASSERT_TRUE(eventually(kLocalPatience, [&] { return contents(out / "out") == "held\n"; })) << contents(out / "err");
  const int first = pid();
  EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(first)), 19);
  const int ours = ::getpriority(PRIO_PROCESS, 0);
  ASSERT_LT(ours, 19) << "run this test at a higher priority";
  const auto other = as_user("", {"run", "-n", "--connect-timeout", "60s", "a", "--", "true"});
  EXPECT_EQ(other.exit_code, 75) << "it is held: " << other.err;
  EXPECT_NE(pid(), first);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(pid())), std::max(ours, 0));
  holder->close_stdin();
  EXPECT_EQ(holder->wait(kLocalPatience), 0) << contents(out / "err");
  EXPECT_EQ(contents(out / "out"), "held\ndone\n");
  EXPECT_EQ(starts(), 2) << contents(state() / "engine.log");
}

}  // namespace
}  // namespace holdfast::testing
