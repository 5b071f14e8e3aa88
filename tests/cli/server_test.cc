// The running command: what it says, whom it tells, how it ends. What it serves is tested elsewhere.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <regex>
#include <string>

#include "cli/notify_socket.h"
#include "cli/server_command.h"
#include "support/four_letter_word.h"
#include "support/free_port.h"
#include "support/plain_client.h"

namespace holdfast::testing {
namespace {

TEST(ServerCommand, says_where_it_serves_and_where_its_data_is) {
  const TempDir dir("data");
  Server server(with(kAnyPort, {"--data", dir / "new"}));
  const auto line = server.serves();
  EXPECT_TRUE(line.ends_with("Z info serving on " + server.address() + ", data in " + (dir / "new").string() +
                             " (durability power)"))
      << line;
  EXPECT_NE(ask(server.port(), "srvr").find("Mode: standalone"), std::string::npos);
}

TEST(ServerCommand, says_that_it_keeps_nothing_without_a_directory) {
  Server server(kAnyPort);
  EXPECT_NE(server.serves().find(", in memory only"), std::string::npos);
}

TEST(ServerCommand, ends_in_order_when_it_is_told_to) {
  for (const int number : {SIGTERM, SIGINT}) {
    Server server(kAnyPort);
    server.serves();
    server.process().signal(number);
    EXPECT_EQ(server.exit_code(), 0) << server.errors();
  }
}

TEST(ServerCommand, ends_at_once_when_it_is_told_twice) {
  Server server(kAnyPort);
  server.serves();
  // Both are there when it wakes up; it reads the smaller number first.
  server.process().pause();
  server.process().signal(SIGINT);
  server.process().signal(SIGTERM);
  server.process().resume();
  EXPECT_EQ(server.exit_code(), 128 + SIGTERM) << server.errors();
}

TEST(ServerCommand, a_hangup_changes_nothing) {
  Server server(kAnyPort);
  server.serves();
  server.process().signal(SIGHUP);
  EXPECT_TRUE(server.says("SIGHUP: the log goes to stderr"));
  EXPECT_NE(ask(server.port(), "srvr"), "");
}

TEST(ServerCommand, has_the_same_nodes_when_it_is_started_again) {
  const TempDir dir("data");
  {
    Server server(with(kAnyPort, {"--data", dir / "d"}));
    server.serves();
    EXPECT_EQ(PlainClient(server.address()).create("/kept"), ZOK);
    server.process().signal(SIGTERM);
    EXPECT_EQ(server.exit_code(), 0) << server.errors();
  }
  Server again(with(kAnyPort, {"--data", dir / "d"}));
  again.serves();
  EXPECT_EQ(PlainClient(again.address()).exists("/kept"), ZOK);
}

TEST(ServerCommand, says_which_port_is_taken) {
  Server first(kAnyPort);
  first.serves();
  Server second({"--listen", first.address()});
  EXPECT_EQ(second.exit_code(), 1);
  EXPECT_NE(second.errors().find(first.address()), std::string::npos) << second.errors();
}

TEST(ServerCommand, listens_where_a_zoo_cfg_says_and_tells_what_it_ignores) {
  const TempDir dir("zoo");
  const auto port = free_port();
  const std::string file = dir / "zoo.cfg";
  std::ofstream(file) << "tickTime=2000\ninitLimit=10\ndataDir=" << (dir / "d").string() << "\nclientPort=" << port
                      << "\nclientPortAddress=127.0.0.1\n4lw.commands.whitelist=ruok\n";
  Server server({"--config", file});
  server.serves();
  EXPECT_EQ(server.port(), port) << server.errors();
  EXPECT_EQ(ask(port, "ruok"), "imok");
  EXPECT_TRUE(server.says(file + ":2: initLimit is ignored"));
}

TEST(ServerCommand, warns_of_listening_wider) {
  Server server({"--listen", "0.0.0.0:2181", "--print-config"});  // warns as if it would listen, and does not
  EXPECT_EQ(server.exit_code(), 0);
  EXPECT_TRUE(server.says("warning: 0.0.0.0:2181 can be reached from other machines and is not encrypted"));
  EXPECT_TRUE(server.says("warning: 0.0.0.0:2181 can be reached from other machines and lets every client in"));
}

TEST(ServerCommand, prints_its_settings_and_where_they_come_from) {
  Server server({"--data", "/nowhere", "--print-config"});
  std::string printed;
  while (const auto line = server.process().read_line(kPatience)) printed += *line + "\n";
  EXPECT_TRUE(std::regex_search(printed, std::regex("\ndata: /nowhere +# --data\n"))) << printed;
  EXPECT_TRUE(std::regex_search(printed, std::regex("\ntick_time: 2s +# default\n"))) << printed;
  EXPECT_EQ(server.exit_code(), 0);
}

TEST(ServerCommand, the_packaged_example_is_in_order) {
  Server server({"--config", HOLDFAST_PACKAGING "/holdfast.yaml", "--print-config"});
  EXPECT_EQ(server.exit_code(), 0) << server.errors();
  EXPECT_EQ(server.errors(), "");
}

TEST(ServerCommand, the_packaged_example_names_settings_that_exist_in_its_comments) {
  const TempDir dir("example");
  std::ifstream example(HOLDFAST_PACKAGING "/holdfast.yaml");
  std::ofstream all(dir / "all.yaml");
  int uncommented = 0;
  for (std::string line; std::getline(example, line);) {
    // "# tick_time: 2s" is a setting, "# Sessions may ask for 2 to 20 ticks." is not.
    const bool setting = std::regex_search(line, std::regex("^#( |   )[a-z_]+:( |$)"));
    // Its file is not there, and is read.
    if (setting && line.find("require_auth") == std::string::npos) {
      line.erase(0, 2);
      ++uncommented;
    }
    all << line << "\n";
  }
  all.close();
  EXPECT_GE(uncommented, 9);
  Server server({"--config", dir / "all.yaml", "--print-config"});
  EXPECT_EQ(server.exit_code(), 0) << server.errors();
}

TEST(ServerCommand, a_bad_option_is_one_sentence_and_not_a_start) {
  Server server({"--durability", "perhaps"});
  EXPECT_EQ(server.exit_code(), 1);
  EXPECT_EQ(
      server.errors(),
      "holdfast: --durability is \"perhaps\": write power (synced to disk) or process (survives kill -9, not power "
      "loss)\n");
}

TEST(ServerCommand, tells_its_service_manager_when_it_is_ready_and_when_it_stops) {
  const TempDir dir("notify");
  NotifySocket socket(dir / "notify");
  Server server(kAnyPort, {{"NOTIFY_SOCKET", dir / "notify"}});
  const auto ready = socket.received(kPatience);
  EXPECT_TRUE(ready.starts_with("READY=1\nSTATUS=serving on 127.0.0.1:")) << ready << server.errors();
  server.serves();
  EXPECT_NE(ask(server.port(), "srvr"), "");
  server.process().signal(SIGTERM);
  EXPECT_TRUE(socket.received(kPatience).starts_with("STOPPING=1\n"));
  EXPECT_EQ(server.exit_code(), 0);
}

TEST(ServerCommand, serves_although_its_service_manager_is_gone) {
  Server server(kAnyPort, {{"NOTIFY_SOCKET", "/nowhere/notify"}});
  server.serves();
  EXPECT_TRUE(server.says("cannot notify"));
  EXPECT_NE(ask(server.port(), "srvr"), "");
}

}  // namespace
}  // namespace holdfast::testing
