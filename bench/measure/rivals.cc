#include "measure/rivals.h"

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::bench {
namespace {

std::string line_of(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  return at == std::string::npos ? std::string("unknown") : text.substr(at, text.find('\n', at) - at);
}

}  // namespace

testing::ZooKeeperOptions synced(ServerMake make, std::vector<std::string> config_lines, const std::string& heap) {
  testing::ZooKeeperOptions options;
  options.make = make;
  options.force_sync = true;
  options.config_lines = std::move(config_lines);
  if (make == ServerMake::apache) {
    options.java_options = {"-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseG1GC", "-Xmx" + heap};
  }
  return options;
}

Rivals::Rivals(const std::vector<std::string>& config_lines, const std::string& heap)
    : engine(synced(ServerMake::engine, config_lines)), apache(synced(ServerMake::apache, config_lines, heap)) {}

void print_versions(const Rivals& rivals) {
  for (const auto* server : {&rivals.engine, &rivals.apache}) {
    const std::string environment = server->four_letter_word("envi");
    const bool ours = server == &rivals.engine;
    fmt::print("{}: {}{}\n", ours ? "engine" : "Apache", line_of(environment, "zookeeper.version="),
               ours ? "" : "; " + line_of(environment, "java.version="));
  }
  std::fflush(stdout);
}

}  // namespace holdfast::bench
