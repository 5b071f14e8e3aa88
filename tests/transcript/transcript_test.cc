// The clients that people have, each with a round of what it can do: on our engine they say word for word what they say on
// Apache ZooKeeper, but for what normalise.h takes out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "normalise.h"
#include "script.h"
#include "support/plain_client.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A JVM that lives for a second: the quick compiler.
constexpr const char* kQuickJvm = "-XX:TieredStopAtLevel=1";

struct Program {
  std::string script;               // the file beside this one
  std::vector<std::string> argv{};  // the address follows
  std::vector<std::pair<std::string, std::string>> env{};
  void (*prepare)(const std::string& address) = nullptr;
};

std::vector<Step> read_script(const std::string& name) {
  std::ifstream file(std::filesystem::path(HOLDFAST_TRANSCRIPT_SCRIPTS) / name);
  return parse_script(std::string{std::istreambuf_iterator<char>(file), {}});
}

// What the program says on a new server of this make.
std::string transcript(const Program& program, ServerMake make) {
  const ZooKeeperServer server({.make = make, .java_options = {"-Dzookeeper.extendedTypesEnabled=true"}});
  if (program.prepare != nullptr) program.prepare(server.address());
  ProcessOptions options{.argv = program.argv, .env = program.env};
  options.argv.push_back(server.address());
  const Conversation told = converse(options, read_script(program.script));
  EXPECT_EQ(told.missing, "") << "never came on " << to_string(make) << ", which said:\n" << told.transcript;
  EXPECT_EQ(told.status, 0) << "on " << to_string(make);
  return normalise(told.transcript, server.address());
}

void expect_same_on_both(const Program& program) {
  EXPECT_EQ(transcript(program, ServerMake::apache), transcript(program, ServerMake::engine));
}

// Readable for who has the password.
void make_a_node_of_ann(const std::string& address) {
  PlainClient client(address);
  // ann:secret, as DigestAuthenticationProvider hashes it.
  char scheme[] = "digest";
  char id[] = "ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=";
  ACL entry{.perms = ZOO_PERM_ALL, .id = {.scheme = scheme, .id = id}};
  const ACL_vector acl{.count = 1, .data = &entry};
  ASSERT_EQ(zoo_create(client.handle(), "/ann", "hers", 4, &acl, 0, nullptr, 0), ZOK);
}

TEST(Transcript, of_zkcli_is_the_same_on_the_engine) {
  expect_same_on_both({.script = "zkcli.script",
                       .argv = {HOLDFAST_ZKCLI, "-waitforconnection", "-server"},
                       .env = {{"JVMFLAGS", kQuickJvm}}});
}

TEST(Transcript, of_curator_is_the_same_on_the_engine) {
  expect_same_on_both({.script = "curator.script",
                       .argv = {HOLDFAST_JAVA, kQuickJvm, "-cp",
                                HOLDFAST_TRANSCRIPT_CLASSES ":" HOLDFAST_PEER_CLASSPATH, "CuratorRound"}});
}

TEST(Transcript, of_kazoo_is_the_same_on_the_engine) {
  expect_same_on_both({.script = "kazoo.script", .argv = {HOLDFAST_PYTHON, "-B", HOLDFAST_KAZOO_ROUND}});
}

TEST(Transcript, of_cli_mt_is_the_same_on_the_engine) {
  expect_same_on_both({.script = "cli_mt.script", .argv = {HOLDFAST_CLI_MT, "-h"}, .prepare = make_a_node_of_ann});
}

TEST(Transcript, of_the_c_client_is_the_same_on_the_engine) {
  expect_same_on_both({.script = "c_client.script", .argv = {HOLDFAST_C_ROUND}});
}

}  // namespace
}  // namespace holdfast::testing
