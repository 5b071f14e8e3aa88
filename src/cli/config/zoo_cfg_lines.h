// zoo_cfg_lines.h -- the lines of a zoo.cfg by their key, and which of them were used.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/config_draft.h"
#include "cli/config/java_properties.h"

namespace holdfast::cli {

class ZooCfgLines {
 public:
  // Keys lose the prefix "zookeeper.". Of a key that is there twice the last one counts, as in Java; it is said.
  ZooCfgLines(std::vector<Property> properties, std::string file, ConfigDraft& draft);

  // The line of `key`, if there is one; it then counts as understood.
  std::optional<Property> take(std::string_view key);
  bool has(std::string_view key) const { return lines_.find(key) != lines_.end(); }

  // Those that were not taken, in the file's order.
  std::vector<Property> rest() const;

  FilePosition place(const Property& line) const { return {.file = file_, .line = line.line}; }
  const std::string& file() const { return file_; }

  // "zoo.cfg:3: " and then as fmt would have it
  std::string sentence(const Property& line, std::string_view text) const {
    return place(line).prefix() + std::string(text);
  }

 private:
  std::string file_;
  std::map<std::string, Property, std::less<>> lines_;
};

// secureClientPort's side: PEM stores become certificate, key and client CA. Java's own formats are refused.
Parsed<void> read_zoo_cfg_tls(ZooCfgLines& lines, ConfigDraft& draft);

}  // namespace holdfast::cli
