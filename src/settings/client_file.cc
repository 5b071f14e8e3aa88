#include "settings/client_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/assert.h"
#include "settings/client_keys.h"
#include "settings/keyed_map.h"
#include "settings/lock_keys.h"
#include "settings/zk_lock_block.h"

namespace holdfast::settings {
namespace {

constexpr std::string_view kExample = "url: zk://10.0.0.1:2181";

Parsed<void> read_all(const std::vector<YamlSetting>& settings, ClientFile& file, const Elsewhere& elsewhere) {
  KeyedMap map;
  for (const auto& key : client_keys()) map.keys.push_back(key.key);
  map.others = {"locks", "zk-lock"};
  map.found = [&](const YamlSetting& setting, std::string_view key, const std::string& text) -> Parsed<void> {
    file.entries.push_back({std::string(key), text, setting.value_place});
    return {};
  };
  map.other = [&](const YamlSetting& setting) -> Parsed<bool> {
    if (plain_key(setting.name) == "zk_lock") {
      const auto read = read_zk_lock(setting, file);
      return read ? Parsed<bool>(true) : tl::unexpected(read.error());
    }
    if (setting.name == "locks") {
      auto rules = read_locks(setting);
      if (!rules) return tl::unexpected(rules.error());
      file.locks = *std::move(rules);
      return true;
    }
    if (const auto where = elsewhere ? elsewhere(setting.name) : std::nullopt) return setting.wrong(*where);
    return false;
  };
  return walk(settings, map);
}

}  // namespace

const ClientFile::Entry* ClientFile::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Parsed<ClientFile> read_client_file(std::string_view text, const std::string& path, const Elsewhere& elsewhere) {
  const auto settings = read_yaml_map(text, path, kExample);
  if (!settings) return tl::unexpected(settings.error());
  ClientFile file;
  if (auto read = read_all(*settings, file, elsewhere); !read) return tl::unexpected(read.error());
  for (auto entry = file.entries.begin(); entry != file.entries.end(); ++entry) {
    const auto same = [&](const auto& other) { return other.key == entry->key; };
    const auto again = std::find_if(entry + 1, file.entries.end(), same);
    if (again != file.entries.end()) {
      return tl::unexpected(fmt::format("{}{} is there twice, the first time in line {}", again->place.prefix(),
                                        again->key, entry->place.line));
    }
    // YAML wants quotes around local:, and people do not.
    if (entry->key == "url" && entry->text == "local") entry->text = "local:";
    // Beside the file that names it, wherever the program runs.
    if (find_client_key(entry->key)->form.kind == Form::Kind::file) {
      entry->text = (std::filesystem::path(path).parent_path() / entry->text).string();
    }
  }
  return file;
}

Parsed<ClientSettings> settings_of(const ClientFile& file) {
  ClientDraft draft;
  const auto* said = file.find("retry.policy");
  const auto set = [&](const ClientFile::Entry& entry) -> Parsed<void> {
    auto assigned = find_client_key(entry.key)->assign(draft, entry.text);
    if (assigned) return {};
    return tl::unexpected(
        fmt::format("{}{} is {}: {}", entry.place.prefix(), entry.key, in_quotes(entry.text), assigned.error()));
  };
  // What the policies begin with, so that a file says only what differs.
  if (said != nullptr) {
    if (auto done = set(*said); !done) return tl::unexpected(done.error());
  }
  const auto& policy = retry_policies()[draft.retry.policy];
  for (const auto& value : policy.values) {
    const auto usual = find_client_key(fmt::format("retry.{}", value.key))->assign(draft, std::string(value.usual));
    HOLDFAST_ASSERT(usual.has_value());
  }
  for (const auto& key : client_keys()) {
    const auto* entry = file.find(key.key);
    if (entry == nullptr || entry == said) continue;
    if (auto done = set(*entry); !done) return tl::unexpected(done.error());
    const auto is_it = [&](const RetryValue& value) { return key.key == fmt::format("retry.{}", value.key); };
    if (!key.key.starts_with("retry.") || std::any_of(policy.values.begin(), policy.values.end(), is_it)) continue;
    std::string takes;
    for (const auto& value : policy.values) takes += fmt::format("{}{}", takes.empty() ? "" : ", ", value.key);
    return tl::unexpected(fmt::format("{}{} is not for the policy {}, which takes {}", entry->place.prefix(), key.key,
                                      policy.name, takes));
  }
  auto& settings = draft.settings;
  settings.options.retry = make_policy(draft.retry);
  settings.options.locks = std::make_shared<LockRules>(file.locks);
  settings.notes = file.notes;
  return std::move(settings);
}

}  // namespace holdfast::settings
