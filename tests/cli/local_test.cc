// The engine behind local:, as commands and programs meet it: how it starts, how it ends, what it survives.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "cli/local_world.h"
#include "holdfast/holdfast.h"
#include "support/forked_child.h"

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;

class LocalCommand : public LocalWorld {};

std::uint64_t token_of(const std::string& line) {
  std::smatch found;
  if (!std::regex_match(line, found, std::regex("token ([0-9]+)"))) {
    ADD_FAILURE() << line;
    return 0;
  }
  return std::stoull(found[1]);
}

TEST_F(LocalCommand, the_first_client_starts_it) {
  const auto before = run({"local", "status"});
  EXPECT_EQ(before.exit_code, 3) << "as systemctl says it";
  EXPECT_NE(before.out.find("not running"), std::string::npos) << before.out;
  EXPECT_FALSE(std::filesystem::exists(state())) << "looking must not leave anything behind";

  Process first(holder("a"));
  EXPECT_GT(token_of(first_line(first)), 0u);

  const auto status = run({"local", "status"});
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_NE(status.out.find("running as process " + std::to_string(engine_pid())), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("sessions:  1"), std::string::npos) << status.out;
  const auto json = run({"local", "status", "--json"});
  EXPECT_NE(json.out.find("\"running\":true,"), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"sessions\":1,"), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"held_back\":"), std::string::npos) << json.out;
}

TEST_F(LocalCommand, fifty_clients_at_once_start_one) {
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 50; ++i) all.push_back(std::make_unique<Process>(holder("a/" + std::to_string(i))));
  for (auto& each : all) token_of(first_line(*each));
  EXPECT_EQ(starts(), 1) << contents(state() / "engine.log");
  EXPECT_EQ(local_sessions(), 50u);
}

TEST_F(LocalCommand, has_nothing_to_do_with_whoever_started_it) {
  Process first(holder("a"));
  first_line(first);
  const auto proc = "/proc/" + std::to_string(engine_pid());
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/cwd"), "/");
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/fd/0"), "/dev/null");
  EXPECT_NE(::getsid(engine_pid()), ::getsid(0));
  EXPECT_NE(::getpgid(engine_pid()), ::getpgid(first.pid()));
  // The last of it goes when the engine has seen that the client which started it has come.
  EXPECT_TRUE(eventually(kLocalPatience, [&] {
    const std::filesystem::directory_iterator descriptors(proc + "/fd");
    return std::none_of(begin(descriptors), end(descriptors), [](const auto& each) {
      std::error_code closed_meanwhile;
      return std::filesystem::read_symlink(each.path(), closed_meanwhile).string().starts_with("pipe:");
    });
  })) << "a pipe of the process that started it";
  const int pid = engine_pid();
  ::kill(pid, SIGHUP);  // a terminal that closes
  EXPECT_EQ(run({"local", "status"}).exit_code, 0);
  EXPECT_EQ(engine_pid(), pid);
}

TEST_F(LocalCommand, ends_when_nobody_has_used_it_for_a_while_and_not_before) {
  ::setenv("HOLDFAST_LOCAL_IDLE", "200ms", 1);
  Process first(holder("a"));
  token_of(first_line(first));
  const int pid = engine_pid();
  // Far longer than it would stay without the session.
  EXPECT_FALSE(eventually(milliseconds(1'500), [&] { return engine_pid() != pid; })) << "it ended under a holder";
  first.close_stdin();
  EXPECT_EQ(first_line(first), "held");
  EXPECT_EQ(first.wait(kLocalPatience), 0);
  EXPECT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() == 0; }));
  EXPECT_TRUE(eventually(kLocalPatience, [&] { return is_gone(pid); })) << "the process is still there";
}

// With next to no processor time, a client gets to the engine long after that was ready, and would have ended by then.
TEST_F(LocalCommand, a_client_comes_to_the_engine_that_it_has_started_however_late_it_is) {
  ::setenv("HOLDFAST_LOCAL_IDLE", "1ms", 1);
  std::vector<std::unique_ptr<Process>> spinners;
  for (int i = 0; i < 4; ++i) {
    spinners.push_back(std::make_unique<Process>(ProcessOptions{.argv = {"sh", "-c", "while :; do :; done"}}));
  }
  constexpr int kFirstUses = 8;
  for (int i = 0; i < kFirstUses; ++i) {
    Process late({.argv = {"nice", "-n", "10", HOLDFAST_COMMAND, "run", "--connect-timeout", "60", "a", "--", "true"},
                  .env = {{"HOLDFAST_URL", "local:"}},
                  .stderr_file = dir_ / "errors"});
    EXPECT_EQ(late.wait(kLocalPatience), 0) << contents(dir_ / "errors");
    ASSERT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() == 0; }));
  }
  EXPECT_EQ(starts(), kFirstUses) << "some ended before the client that had started them came";
  // And many at a time, as the boot of a machine has it.
  std::vector<std::unique_ptr<Process>> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::make_unique<Process>(
        ProcessOptions{.argv = {HOLDFAST_COMMAND, "run", "--connect-timeout", "60", "a", "--", "true"},
                       .env = {{"HOLDFAST_URL", "local:"}},
                       .stderr_file = dir_ / "errors"}));
  }
  for (auto& each : crowd) EXPECT_EQ(each->wait(kLocalPatience), 0) << contents(dir_ / "errors");
}

TEST_F(LocalCommand, a_client_that_comes_just_as_it_ends_gets_its_lock) {
  ::setenv("HOLDFAST_LOCAL_IDLE", "1ms", 1);
  std::uint64_t token = 0;
  for (int i = 0; i < 60; ++i) {
    // At every moment of its end, one after the other.
    std::this_thread::sleep_for(std::chrono::microseconds(i * 500));
    auto client = Client::connect("local:");
    const auto lease = client.mutex("a").acquire();
    EXPECT_GT(lease.token(), token) << "tokens grow, whichever engine gave them";
    token = lease.token();
  }
  EXPECT_GT(starts(), 5) << "it never ended in between, so nothing was shown";
}

TEST_F(LocalCommand, what_a_killed_one_left_behind_is_recovered) {
  std::uint64_t token = 0;
  for (int i = 0; i < 3; ++i) {
    auto client = Client::connect("local:");
    const auto lease = client.mutex("a").acquire();
    EXPECT_GT(lease.token(), token);
    token = lease.token();
    client.close();
    kill_engine();
    EXPECT_EQ(run({"local", "status"}).exit_code, 3);
  }
  EXPECT_EQ(starts(), 3);
}

TEST_F(LocalCommand, a_holder_keeps_its_lock_when_the_engine_is_killed) {
  Process first(holder("a"));
  token_of(first_line(first));
  Process second(holder("a"));
  ASSERT_TRUE(eventually(kLocalPatience, [] { return local_sessions() == 2; }));

  kill_engine();
  ASSERT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() != 0; })) << "nobody has started another one";
  EXPECT_FALSE(second.read_line(milliseconds(2'000)).has_value()) << "two have it";
  first.close_stdin();
  EXPECT_EQ(first_line(first), "held");
  EXPECT_GT(token_of(first_line(second)), 0u) << "the waiter was forgotten";
  EXPECT_EQ(first.wait(kLocalPatience), 0);
  EXPECT_EQ(starts(), 2);
}

TEST_F(LocalCommand, is_stopped_in_good_order_and_says_so) {
  { auto client = Client::connect("local:"); }
  const int pid = engine_pid();
  const auto stopped = run({"local", "stop"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_EQ(stopped.out, "stopped the local engine (process " + std::to_string(pid) + ")\n");
  EXPECT_EQ(engine_pid(), 0);
  const auto again = run({"local", "stop"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, "the local engine was not running\n");
}

TEST_F(LocalCommand, says_which_command_is_missing) {
  ::setenv("HOLDFAST_COMMAND", "/nowhere/holdfast", 1);
  try {
    Client::connect("local:");
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_NE(std::string(error.what()).find("/nowhere/holdfast"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("HOLDFAST_COMMAND"), std::string::npos) << error.what();
  }
}

TEST_F(LocalCommand, says_why_the_engine_cannot_start) {
  std::filesystem::create_directory(state());
  std::filesystem::permissions(state(), std::filesystem::perms(0700));
  std::ofstream(state() / "data") << "not a directory";
  try {
    Client::connect("local:");
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_NE(std::string(error.what()).find((state() / "data").string()), std::string::npos) << error.what();
  }
}

// docs/semantics.md, "fork()".
TEST_F(LocalCommand, a_child_that_was_forked_takes_nothing_from_its_parent) {
  auto client = std::make_unique<Client>(Client::connect("local:"));
  auto mutex = client->mutex("a");
  auto lease = std::make_unique<Lease>(mutex.acquire());
  EXPECT_EQ(in_child([&] {
              if (mutex.try_acquire().error() != Errc::forked) return 1;
              lease.reset();
              client.reset();
              auto own = Client::connect("local:");
              if (own.mutex("a").try_acquire().error() != Errc::timed_out) return 2;
              return own.mutex("b").try_acquire_for(kLocalPatience) ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(lease->is_held());
  EXPECT_EQ(client->state(), ConnectionState::connected);
  EXPECT_EQ(lease->release_for(kLocalPatience), std::error_code());
  EXPECT_TRUE(mutex.try_lock_for(kLocalPatience));
  mutex.unlock();
}

}  // namespace
}  // namespace holdfast::testing
