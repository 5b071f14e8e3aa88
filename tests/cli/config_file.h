// config_file.h -- for tests of what a configuration file does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/server_config.h"
#include "support/temp_dir.h"

namespace holdfast::cli {

class ConfigFile : public ::testing::Test {
 protected:
  std::string write(std::string_view name, std::string_view text) const {
    const auto path = dir_ / name;
    std::ofstream(path, std::ios::binary) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }

  // The error of a file with this text, without the directory; "fine" if there is none.
  std::string error(std::string_view name, std::string_view text, const std::vector<GivenOption>& given = {}) const {
    const auto config = load_server_config(write(name, text), given);
    return config ? "fine" : without_dir(config.error());
  }

  ServerConfig load(std::string_view name, std::string_view text, const std::vector<GivenOption>& given = {}) const {
    auto config = load_server_config(write(name, text), given);
    EXPECT_TRUE(config.has_value()) << config.error();
    return config ? *std::move(config) : ServerConfig{};
  }

  std::vector<std::string> notes(const ServerConfig& config) const {
    std::vector<std::string> notes;
    for (const auto& note : config.notes) notes.push_back(without_dir(note));
    return notes;
  }

  std::string without_dir(std::string text) const {
    const auto prefix = dir_.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }

  // The line of a setting, for example "data: /a  # --data", with one blank for many.
  std::string printed(const ServerConfig& config, const std::string& key) const {
    std::string line;
    for (const auto* before : {"\n", "\n  ", "\n# "}) {
      const auto text = "\n" + config.printed;
      const auto at = text.find(before + key + ":");
      if (at != std::string::npos) line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    }
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    line.erase(std::unique(line.begin(), line.end(), both_blank), line.end());
    if (line.starts_with(' ')) line.erase(0, 1);
    return without_dir(line);
  }

  const testing::TempDir dir_{"config"};
};

}  // namespace holdfast::cli
