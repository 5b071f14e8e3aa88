// local_world.h -- a state directory of a test's own for local:, and what is in it. No engine outlives it.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_run.h"
#include "holdfast/local.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing {

// For a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kLocalPatience{60};

class LocalWorld : public ::testing::Test {
 protected:
  LocalWorld() {
    // For this process, too: it is a client like any other.
    ::setenv("HOLDFAST_STATE_DIR", state().c_str(), 1);
    ::setenv("HOLDFAST_COMMAND", HOLDFAST_COMMAND, 1);
    ::unsetenv("HOLDFAST_LOCAL_IDLE");
    ::unsetenv("HOLDFAST_URL");
    // So that it is our own permissions that keep other users out, not those of the test's directory.
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  }
  ~LocalWorld() override {
    try {
      stop_local_engine(kLocalPatience);
    } catch (const std::exception&) {
      // A test that spoils the directory ends the engine itself.
    }
    if (last_pid_ > 0) ::kill(last_pid_, SIGKILL);
    ::unsetenv("HOLDFAST_STATE_DIR");
    ::unsetenv("HOLDFAST_COMMAND");
    ::unsetenv("HOLDFAST_LOCAL_IDLE");
  }

  static Said run(std::vector<std::string> arguments) { return run_command(std::move(arguments)); }

  static std::vector<std::string> holder(const std::string& name, const std::string& url = "local:") {
    return {HOLDFAST_LOCAL_HOLDER, url, name};
  }
  static std::string first_line(Process& process) {
    return process.read_line(kLocalPatience).value_or("nothing was said");
  }

  // Of the engine that runs; 0 if none does.
  static int engine_pid() {
    const auto engine = find_local_engine();
    return engine ? engine->pid : 0;
  }
  // As kill -9 does it, and until it is gone.
  int kill_engine() {
    const int pid = engine_pid();
    EXPECT_GT(pid, 0);
    if (pid > 0) ::kill(pid, SIGKILL);
    EXPECT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() != pid; }));
    return pid;
  }
  // One that has ended may wait for a parent that looks after it.
  static bool is_gone(int pid) {
    const auto status = contents("/proc/" + std::to_string(pid) + "/stat");
    return status.empty() || status.find(") Z ") != std::string::npos;
  }
  // How often an engine has begun to serve here.
  std::ptrdiff_t starts() const {
    const auto log = contents(state() / "engine.log");
    const std::regex line(" serving on /");
    return std::distance(std::sregex_iterator(log.begin(), log.end(), line), {});
  }
  std::filesystem::path state() const { return dir_ / "holdfast"; }

  const TempDir dir_{"local"};
  int last_pid_ = 0;  // of an engine that cannot be found any more
};

}  // namespace holdfast::testing
