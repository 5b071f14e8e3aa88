// server_command.h -- how a server of either make is configured and started.
//
// Both get the same zoo.cfg. What Apache ZooKeeper takes as system properties, the engine takes as further lines of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "zookeeper_options.h"

namespace holdfast::testing {

// The text of zoo.cfg. Throws std::invalid_argument for what the make cannot do: an engine has no ensemble, and no use
// for a java option that defines nothing.
std::string server_config(const ZooKeeperOptions& options, const std::optional<QuorumMember>& member,
                          std::uint16_t port, const std::filesystem::path& data);

// The command line, with zoo.cfg at `config`.
std::vector<std::string> server_command(const ZooKeeperOptions& options, const std::filesystem::path& config);

}  // namespace holdfast::testing
