// zoo_cfg.h -- an existing zoo.cfg of a single ZooKeeper: what of it is honoured, ignored and refused. docs/server.md has
// the table.
//
// Keys may have the prefix of Java's system properties, "zookeeper.". What is ignored is said, one line each. What would
// make clients less safe than that file promised is refused, and so is an ensemble.
#pragma once

#include <string>
#include <string_view>

#include "cli/config/config_draft.h"

namespace holdfast::cli {

// Or one sentence with file and line.
Parsed<void> read_zoo_cfg(std::string_view text, const std::string& file, ConfigDraft& draft);

}  // namespace holdfast::cli
