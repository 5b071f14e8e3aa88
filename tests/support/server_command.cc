#include "server_command.h"

#include <fmt/format.h>

#include <stdexcept>

namespace holdfast::testing {
namespace {

// As bin/zkEnv.sh has it; the manifest of zookeeper.jar names the other jars, but for one that secureClientPort needs. Debian ships ZooKeeper without
// a logger, and of those it has, slf4j-simple needs no configuration file.
constexpr const char* kClassPath =
    "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar:/usr/share/java/netty-codec.jar";
constexpr const char* kMainClass = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

// System properties, as java takes them.
std::vector<std::string> definitions(const ZooKeeperOptions& options) {
  std::vector<std::string> all{
      fmt::format("-Dznode.container.checkIntervalMs={}", options.container_check_interval.count())};
  all.insert(all.end(), options.java_options.begin(), options.java_options.end());
  return all;
}

std::vector<std::string> apache_command(const ZooKeeperOptions& options, const std::filesystem::path& config) {
  std::vector<std::string> argv{
      "java",
      // A server in a test lives for seconds: the quick compiler, the collector without threads.
      "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Xshare:auto", "-XX:-UsePerfData",
      "-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.showDateTime=true",
      "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
      fmt::format("-Dzookeeper.forceSync={}", options.force_sync ? "yes" : "no")};
  const std::vector<std::string> more = definitions(options);
  argv.insert(argv.end(), more.begin(), more.end());
  argv.insert(argv.end(), {"-cp", kClassPath, kMainClass, config.string()});
  return argv;
}

std::vector<std::string> engine_command(const ZooKeeperOptions& options, const std::filesystem::path& config) {
  return {HOLDFAST_COMMAND, "server",       "--config",
          config.string(),  "--durability", options.force_sync ? "power" : "process"};
}

std::string engine_line(const std::string& definition) {
  const auto equals = definition.find('=');
  if (!definition.starts_with("-D") || equals == std::string::npos) {
    throw std::invalid_argument("the engine has no JVM that would take " + definition);
  }
  return definition.substr(2) + '\n';
}

}  // namespace

std::string server_config(const ZooKeeperOptions& options, const std::optional<QuorumMember>& member,
                          std::uint16_t port, const std::filesystem::path& data) {
  std::string config = fmt::format(
      "dataDir={}\n"
      "clientPort={}\n"
      "clientPortAddress=127.0.0.1\n"
      "tickTime={}\n"
      "minSessionTimeout={}\n"
      "maxSessionTimeout={}\n"
      "maxClientCnxns=0\n"
      "admin.enableServer=false\n"
      "4lw.commands.whitelist=*\n",
      data.string(), port, options.tick_time.count(), options.min_session_timeout.count(),
      options.max_session_timeout.count());
  if (member) {
    if (options.make == ServerMake::engine) throw std::invalid_argument("an engine has no ensemble");
    // Ticks. Generous against a starved machine: a follower that is dropped too early fails the wrong test.
    config += "initLimit=20\nsyncLimit=10\n";
    for (const std::string& peer : member->peers) config += peer + '\n';
  }
  if (options.make == ServerMake::engine) {
    for (const std::string& definition : definitions(options)) config += engine_line(definition);
  }
  for (const std::string& line : options.config_lines) config += line + '\n';
  return config;
}

std::vector<std::string> server_command(const ZooKeeperOptions& options, const std::filesystem::path& config) {
  return options.make == ServerMake::apache ? apache_command(options, config) : engine_command(options, config);
}

}  // namespace holdfast::testing
