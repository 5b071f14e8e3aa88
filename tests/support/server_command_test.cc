#include "server_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* kConfig = "/some/zoo.cfg";

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string standalone(const ZooKeeperOptions& options) {
  return server_config(options, std::nullopt, 2181, "/some/data");
}

TEST(ServerMake, is_apache_or_engine_and_nothing_else) {
  EXPECT_EQ(parse_server_make("apache"), ServerMake::apache);
  EXPECT_EQ(parse_server_make("engine"), ServerMake::engine);
  EXPECT_THROW((void)parse_server_make(""), std::invalid_argument);
  EXPECT_THROW((void)parse_server_make("Engine"), std::invalid_argument);
}

TEST(ServerCommand, of_the_engine_has_the_config_and_how_durable_it_is) {
  ZooKeeperOptions options{.make = ServerMake::engine, .force_sync = false};
  EXPECT_TRUE(has(server_command(options, kConfig), kConfig));
  EXPECT_TRUE(has(server_command(options, kConfig), "process"));
  options.force_sync = true;
  EXPECT_TRUE(has(server_command(options, kConfig), "power"));
}

TEST(ServerCommand, gives_to_the_engine_as_lines_what_java_gets_as_definitions) {
  ZooKeeperOptions options{
      .make = ServerMake::engine, .container_check_interval = 7ms, .java_options = {"-Dzookeeper.snapCount=9"}};
  const auto of_engine = standalone(options);
  EXPECT_TRUE(has(of_engine, "\nznode.container.checkIntervalMs=7\nzookeeper.snapCount=9\n")) << of_engine;

  options.make = ServerMake::apache;
  EXPECT_TRUE(has(server_command(options, kConfig), "-Dznode.container.checkIntervalMs=7"));
  EXPECT_TRUE(has(server_command(options, kConfig), "-Dzookeeper.snapCount=9"));
  const auto of_apache = standalone(options);
  EXPECT_FALSE(has(of_apache, "snapCount")) << of_apache;
  EXPECT_TRUE(of_engine.starts_with(of_apache)) << "the rest is not the same";
}

TEST(ServerCommand, refuses_what_the_engine_cannot_do) {
  const QuorumMember member{.id = 1, .client_port = 2181, .peers = {"server.1=127.0.0.1:1:2"}};
  ZooKeeperOptions options{.make = ServerMake::apache};
  EXPECT_TRUE(has(server_config(options, member, 2181, "/some/data"), "\nserver.1="));
  options.make = ServerMake::engine;
  EXPECT_THROW((void)server_config(options, member, 2181, "/some/data"), std::invalid_argument);
  options.java_options = {"-Xmx1g"};
  EXPECT_THROW((void)standalone(options), std::invalid_argument);
}

}  // namespace
}  // namespace holdfast::testing
