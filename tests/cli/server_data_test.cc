// The data of a server in the hands of its operator: looked at, copied, restored, damaged, and never used by two.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command_run.h"
#include "cli/server_command.h"
#include "session_client.h"
#include "support/free_port.h"

namespace holdfast::testing {
namespace {

using asking::create;
using asking::exists;
using asking::SessionClient;

class ServerData : public ::testing::Test {
 protected:
  std::vector<std::string> on_data(const std::vector<std::string>& more = {}) const {
    return with(with(kAnyPort, {"--data", data().string()}), more);
  }
  std::filesystem::path data() const { return dir_ / "data"; }

  // Runs one, lets `work` use it, and ends it as it is told to. What it had in memory is gone.
  template <class Work>
  void live(int signal, Work work) {
    Server server(on_data());
    ASSERT_NE(server.serves().find("serving on"), std::string::npos) << server.errors();
    work(server.port());
    server.process().signal(signal);
    ASSERT_TRUE(server.exit_code());
  }

  // In the directory where `data` is, word for word as docs/operating.md has it; `holdfast` is the command.
  Said shell(const std::string& script) const {
    const TempDir out("said");
    Process process({.argv = {"sh", "-ec", "holdfast() { \"$0\" \"$@\"; }\n" + script, HOLDFAST_COMMAND},
                     .working_dir = dir_.path(),
                     .stdout_file = out / "out",
                     .stderr_file = out / "err"});
    process.close_stdin();
    const auto code = process.wait(kPatience);
    return {code, contents(out / "out"), contents(out / "err")};
  }
  Said check() const { return shell("holdfast server --check data"); }

  std::filesystem::path newest_segment() const {
    std::filesystem::path newest;
    for (const auto& file : std::filesystem::directory_iterator(data())) {
      if (file.path().filename().string().starts_with("log.")) newest = std::max(newest, file.path());
    }
    return newest;
  }

  const TempDir dir_{"server-data"};
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is not in: " << text;
}

TEST_F(ServerData, is_not_used_by_a_second_server_although_the_lock_file_was_removed) {
  Server first(on_data());
  ASSERT_NE(first.serves().find("serving on"), std::string::npos) << first.errors();
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::filesystem::remove(data() / "lock");
    Server second(on_data());
    EXPECT_EQ(second.exit_code(), 1);
    expect_part(second.errors(), "another engine uses this directory");
  }
  EXPECT_TRUE(SessionClient(first.port()).call(create("/a")).ok());
  first.process().kill9();
  first.exit_code();
  Server next(on_data());
  ASSERT_NE(next.serves().find("serving on"), std::string::npos) << next.errors();
  EXPECT_TRUE(SessionClient(next.port()).call(exists("/a")).ok());
}

TEST_F(ServerData, is_looked_at_while_a_server_uses_it) {
  EXPECT_EQ(check().exit_code, 1);
  Server server(on_data());
  ASSERT_NE(server.serves().find("serving on"), std::string::npos) << server.errors();
  SessionClient client(server.port());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.call(create("/" + std::to_string(i))).ok());
    const auto said = check();
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    expect_part(said.out, "data: an engine (process " + std::to_string(server.process().pid()) + ") uses it now");
    expect_part(said.out, "\nwhole: a start begins with nothing and reads the log up to index ");
  }
}

TEST_F(ServerData, that_lost_the_end_of_its_log_is_refused_with_file_offset_and_next_step) {
  live(SIGKILL, [](std::uint16_t port) {
    SessionClient client(port);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(client.call(create("/" + std::to_string(i))).ok());
  });
  EXPECT_EQ(check().exit_code, 0);
  const auto segment = newest_segment();
  std::filesystem::resize_file(segment, 500);
  Server server(on_data());
  EXPECT_EQ(server.exit_code(), 1);
  expect_part(server.errors(), segment.string() + ": at offset ");
  expect_part(server.errors(), "but had reached index");
  expect_part(server.errors(), "holdfast server --check DIR");
  expect_part(server.errors(), "docs/operating.md");
  const auto said = check();
  EXPECT_EQ(said.exit_code, 1);
  expect_part(said.out, "\nnot whole: data/" + segment.filename().string() + ": at offset ");
}

// What follows is docs/operating.md, command by command.
TEST_F(ServerData, is_copied_when_the_server_is_stopped_or_runs_and_restored_without_a_token_that_was_given_before) {
  // One that has just begun to run has no snapshot yet, nor a log.
  const auto copy_of_running =
      "mkdir -m 700 copy-of-running\n"
      "cp -a data/epoch data/reached copy-of-running/\n"
      "find data -name 'snapshot.*' -exec cp -a -t copy-of-running {} +\n"
      "find data -name 'log.*' -exec cp -a -t copy-of-running {} +\n"
      "holdfast server --check copy-of-running";
  Said said;
  live(SIGTERM, [&](std::uint16_t port) {
    said = shell(copy_of_running);
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    ASSERT_TRUE(SessionClient(port).call(create("/first")).ok());
    std::filesystem::remove_all(dir_ / "copy-of-running");
    said = shell(copy_of_running);
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    std::filesystem::remove_all(dir_ / "copy-of-running");
  });
  said = shell("cp -a data copy\nholdfast server --check copy");
  EXPECT_EQ(said.exit_code, 0) << said.out << said.err;

  std::int64_t last = 0;
  live(SIGTERM, [&](std::uint16_t port) {
    SessionClient client(port);
    ASSERT_TRUE(client.call(create("/second")).ok());
    last = client.zxid();
    said = shell(copy_of_running);
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
  });

  said = shell("mv data data.lost\ncp -a copy data\nholdfast server --accept-loss data");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  expect_part(said.out, "nothing is damaged or missing\nkept: everything up to index ");
  live(SIGTERM, [&](std::uint16_t port) {
    SessionClient client(port);
    EXPECT_TRUE(client.call(exists("/first")).ok());
    EXPECT_FALSE(client.call(exists("/second")).ok());
    ASSERT_TRUE(client.call(create("/third")).ok());
    EXPECT_GT(client.zxid(), last) << "a token could be given out twice";
  });
}

TEST_F(ServerData, that_is_not_there_is_no_loss_to_accept) {
  const auto expect_nothing_made = [&](const std::string& directory, const std::string& sentence) {
    const auto said = shell("holdfast server --accept-loss " + directory);
    EXPECT_NE(said.exit_code, 0) << said.out;
    expect_part(said.err, sentence);
  };
  expect_nothing_made("dta", "dta: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "dta"));
  std::filesystem::create_directory(dir_ / "home");
  std::ofstream(dir_ / "home" / "letter.txt") << "to a friend";
  expect_nothing_made("home", "home: there is no store in it, so there is no loss to accept");
  for (const auto& file : std::filesystem::directory_iterator(dir_ / "home")) {
    EXPECT_EQ(file.path().filename(), "letter.txt") << "something was made";
  }
}

TEST_F(ServerData, goes_on_without_what_is_lost_if_the_operator_accepts_it) {
  std::int64_t last = 0;
  live(SIGKILL, [&](std::uint16_t port) {
    SessionClient client(port);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(client.call(create("/" + std::to_string(i))).ok());
    last = client.zxid();
  });
  std::filesystem::resize_file(newest_segment(), 500);
  auto said = shell("holdfast server --accept-loss data");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  expect_part(said.out, "lost: data/log.");
  expect_part(said.out, "\nkept: everything up to index ");
  EXPECT_EQ(check().exit_code, 0);
  live(SIGTERM, [&](std::uint16_t port) {
    SessionClient client(port);
    EXPECT_TRUE(client.call(exists("/0")).ok());
    EXPECT_FALSE(client.call(exists("/9")).ok());
    ASSERT_TRUE(client.call(create("/new")).ok());
    EXPECT_GT(client.zxid(), last);
  });
  // Not beside a server, nor where there is nothing.
  Server server(on_data());
  ASSERT_NE(server.serves().find("serving on"), std::string::npos) << server.errors();
  said = shell("holdfast server --accept-loss data");
  EXPECT_NE(said.exit_code, 0);
  expect_part(said.err, "another engine, process ");
  EXPECT_NE(shell("holdfast server --accept-loss nowhere").exit_code, 0);
}

TEST_F(ServerData, loses_nothing_with_a_damaged_segment_that_a_snapshot_makes_unnecessary) {
  std::filesystem::path damaged;
  for (const auto& [node, signal] : {std::pair("/first", SIGTERM), {"/second", SIGTERM}, {"/third", SIGKILL}}) {
    live(signal, [&, node = node](std::uint16_t port) { ASSERT_TRUE(SessionClient(port).call(create(node)).ok()); });
    if (signal == SIGTERM) damaged = newest_segment();
  }
  ASSERT_LT(damaged, newest_segment());
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).seekp(20) << "damage";
  Server server(on_data());
  EXPECT_EQ(server.exit_code(), 1);
  expect_part(server.errors(), damaged.string() + ": at offset 0");

  const auto said = shell("holdfast server --accept-loss data");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  expect_part(said.out, "lost: data/" + damaged.filename().string() + ": at offset 0");
  expect_part(said.out, "; a snapshot has everything that stood in it\nkept: everything up to index ");
  EXPECT_TRUE(std::filesystem::exists(damaged.string() + ".damaged"));
  EXPECT_EQ(check().exit_code, 0);
  live(SIGTERM, [&](std::uint16_t port) {
    SessionClient client(port);
    for (const char* node : {"/first", "/second", "/third"}) EXPECT_TRUE(client.call(exists(node)).ok()) << node;
  });
}

}  // namespace
}  // namespace holdfast::testing
