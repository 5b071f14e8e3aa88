#include "cli/config/service_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "cli/config/duration.h"
#include "cli/config/nearest.h"
#include "cli/config/server_settings.h"
#include "cli/config/small_file.h"
#include "cli/config/yaml_map.h"

namespace holdfast::cli {
namespace {

using Entries = std::vector<ServiceFile::Entry>;
using Kind = YamlSetting::Kind;

constexpr auto kHere = "holdfast.yaml";
constexpr auto kMachines = "/etc/holdfast/config.yaml";
constexpr std::string_view kExample = "url: zk://10.0.0.1:2181";
constexpr mode_t kOthersCanWrite = S_IWGRP | S_IWOTH;

const std::vector<std::string_view> kKeys{
    "url", "namespace", "session_timeout", "connect_timeout", "auth", "sentinel_auth", "tls", "sasl", "purpose"};
const std::vector<std::string_view> kTlsKeys{"ca", "certificate", "key", "server_name", "verify"};
const std::vector<std::string_view> kSaslKeys{"mechanism", "user", "password_file", "service"};
// What is a file, beside the one that names it.
const std::vector<std::string_view> kFiles{"auth",    "sentinel_auth",     "tls.ca", "tls.certificate",
                                           "tls.key", "sasl.password_file"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

Parsed<void> add(const YamlSetting& setting, std::string_view key, std::string text, Entries& entries) {
  if (setting.kind == Kind::nothing) return setting.wrong(fmt::format("{} has no value", setting.name));
  if (setting.kind != Kind::text) return setting.wrong_value(fmt::format("{} takes one value", setting.name));
  if (text.empty())
    return setting.wrong_value(fmt::format("{} is empty; write a value, or leave it out", setting.name));
  entries.push_back({std::string(key), std::move(text), setting.value_place});
  return {};
}

std::string text_of(const YamlSetting& setting) { return setting.kind == Kind::text ? setting.texts.front() : ""; }

tl::unexpected<std::string> unknown(const YamlSetting& setting, const std::vector<std::string_view>& keys) {
  if (find_setting(setting.name) != nullptr || setting.name == "limits") {
    return setting.wrong(
        fmt::format("{} is a setting of holdfast server, not of the commands that use one; the "
                    "server reads its file with --config",
                    setting.name));
  }
  const auto meant = nearest(setting.name, keys);
  return setting.wrong(fmt::format(
      "there is no setting {}; {}", in_quotes(setting.name),
      meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(keys, ", "))));
}

// Their numbers are milliseconds, and as large as a number can be: cut to what we take, and said.
std::string java_duration(const YamlSetting& setting, std::vector<std::string>& notes) {
  const auto text = text_of(setting);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return with_unit(text, "ms");
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto most = static_cast<std::uint64_t>(std::chrono::milliseconds(kLongestTimeout).count());
  if (parsed.ec == std::errc() && number <= most) return with_unit(text, "ms");
  notes.push_back(fmt::format("{}{} is {} ms, more than {}; {} is used", setting.value_place.prefix(), setting.name,
                              base::printable(text), show_duration(kLongestTimeout), show_duration(kLongestTimeout)));
  return show_duration(kLongestTimeout);
}

// As services of the Java kind write it: zk-lock: {address: host:port, session-timeout: 15000, ...}
Parsed<void> read_java_map(const YamlSetting& map, Entries& entries, std::vector<std::string>& notes) {
  static const std::vector<std::string_view> kTheirs{"address", "connection-timeout", "session-timeout"};
  if (map.kind != Kind::map)
    return map.wrong_value(fmt::format("{} is a map with {}", map.name, fmt::join(kTheirs, ", ")));
  for (const auto& setting : map.settings) {
    const auto text = text_of(setting);
    Parsed<void> added;
    if (setting.name == "address") {
      added = add(setting, "url", text.empty() || text.starts_with("zk:") ? text : "zk://" + text, entries);
    } else if (setting.name == "connection-timeout") {
      added = add(setting, "connect_timeout", java_duration(setting, notes), entries);
    } else if (setting.name == "session-timeout") {
      added = add(setting, "session_timeout", java_duration(setting, notes), entries);
    } else if (!setting.name.starts_with("retry")) {  // a command tries until its connect timeout, whatever they say
      added = unknown(setting, kTheirs);
    }
    if (!added) return added;
  }
  return {};
}

// tls: {ca: FILE, ...} as tls.ca, ...
Parsed<void> read_group(const YamlSetting& map, const std::vector<std::string_view>& keys, Entries& entries) {
  if (map.kind != Kind::map)
    return map.wrong_value(fmt::format("{} is a map with {}", map.name, fmt::join(keys, ", ")));
  for (const auto& setting : map.settings) {
    const bool known = std::find(keys.begin(), keys.end(), setting.name) != keys.end();
    const auto added = known ? add(setting, fmt::format("{}.{}", map.name, setting.name), text_of(setting), entries)
                             : Parsed<void>(unknown(setting, keys));
    if (!added) return added;
  }
  return {};
}

Parsed<Entries> read_entries(const std::string& text, const std::string& file, std::vector<std::string>& notes) {
  const auto settings = read_yaml_map(text, file, kExample);
  if (!settings) return tl::unexpected(settings.error());
  Entries entries;
  for (const auto& setting : *settings) {
    const bool ours = std::find(kKeys.begin(), kKeys.end(), setting.name) != kKeys.end();
    const auto added = setting.name == "zk-lock" ? read_java_map(setting, entries, notes)
                       : setting.name == "tls"   ? read_group(setting, kTlsKeys, entries)
                       : setting.name == "sasl"  ? read_group(setting, kSaslKeys, entries)
                       : ours                    ? add(setting, setting.name, text_of(setting), entries)
                                                 : Parsed<void>(unknown(setting, kKeys));
    if (!added) return tl::unexpected(added.error());
  }
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const auto same = [&](const auto& other) { return other.key == entry->key; };
    const auto again = std::find_if(entry + 1, entries.end(), same);
    if (again != entries.end()) {
      return tl::unexpected(fmt::format("{}{} is there twice, the first time in line {}", again->place.prefix(),
                                        again->key, entry->place.line));
    }
  }
  return entries;
}

bool ours_or_roots(const struct stat& status) { return status.st_uid == ::geteuid() || status.st_uid == 0; }

// Another user may have written it. Passing over it would be no safer: the locks that it says are elsewhere would be asked of local:, where they are free.
tl::unexpected<std::string> untrusted(const std::string& path, const std::string& why, const std::string& remedy) {
  return tl::unexpected(
      fmt::format("{} {}, so it may not be what you wrote; {}, or name it with --config if it is", path, why, remedy));
}

Parsed<void> check_trust(const std::string& path, const struct stat& status) {
  if (!ours_or_roots(status)) return untrusted(path, "belongs to another user", "remove it");
  if ((status.st_mode & kOthersCanWrite) != 0) {
    return untrusted(path, "can be written by other users", fmt::format("look at it and chmod go-w {}", path));
  }
  return {};
}

std::string users_file() {
  auto directory = environment("XDG_CONFIG_HOME");
  if (directory.starts_with('/')) return directory + "/holdfast/config.yaml";
  const auto home = environment("HOME");
  return home.starts_with('/') ? home + "/.config/holdfast/config.yaml" : std::string();
}

struct Choice {
  ServiceFile file{};
  std::string text{};
};

Parsed<Choice> named(const std::string& path, const std::string& origin) {
  auto read = read_small_file(path);
  if (!read) return tl::unexpected(read.error());
  return Choice{{.path = path, .origin = origin}, std::move(read->text)};
}

// HOME is still that of the user that this process was before (setpriv, su -m): what is in there is not for us.
bool is_in_anothers_home(const std::string& path) {
  struct stat home {};
  const auto name = environment("HOME");
  return !name.empty() && path.starts_with(name + "/") && ::stat(name.c_str(), &home) == 0 &&
         home.st_uid != ::geteuid();
}

tl::unexpected<std::string> unreachable(const std::string& path, int error) {
  return tl::unexpected(
      fmt::format("cannot look at {}: {}; make it readable, remove it, or name another one with --config", path,
                  std::generic_category().message(error)));
}

Parsed<Choice> choose(const std::string& option) {
  if (!option.empty()) return named(option, "--config");
  if (const auto path = environment("HOLDFAST_CONFIG"); !path.empty()) return named(path, "HOLDFAST_CONFIG");
  Choice choice{.file = {.origin = "found"}};
  auto& chosen = choice.file;
  for (const auto& path : std::array<std::string, 2>{users_file(), kMachines}) {
    struct stat link {};
    if (path.empty()) continue;
    if (::lstat(path.c_str(), &link) != 0) {
      const int error = errno;
      if (error == ENOENT || error == ENOTDIR || (error == EACCES && is_in_anothers_home(path))) continue;
      return unreachable(path, error);
    }
    // It is there: without it the lock would be asked of yet another service.
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return unreachable(path, errno);
    // Whose link it is counts as well; and in the end what was read, not what had the name before.
    if (S_ISLNK(link.st_mode) && !ours_or_roots(link)) {
      return untrusted(path, "is a link that belongs to another user", "remove it");
    }
    // A device or a pipe might never end.
    if (const auto trust = check_trust(path, status); !trust) return tl::unexpected(trust.error());
    if (!S_ISREG(status.st_mode)) return tl::unexpected(path + " is not a file");
    auto read = read_small_file(path);
    if (!read) return tl::unexpected(read.error());
    if (const auto trust = check_trust(path, read->status); !trust) return tl::unexpected(trust.error());
    chosen.path = path;
    choice.text = std::move(read->text);
    break;
  }
  // It was read in earlier times: the locks of all who count on it would be elsewhere without a word.
  if (std::error_code ignored; std::filesystem::exists(kHere, ignored)) {
    chosen.notes.push_back(fmt::format("./{} is not used, as it was not named; to use it: --config {}", kHere, kHere));
  }
  return choice;
}

}  // namespace

const ServiceFile::Entry* ServiceFile::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Parsed<ServiceFile> load_service_file(const std::string& option) {
  auto choice = choose(option);
  if (!choice) return tl::unexpected(choice.error());
  auto& file = choice->file;
  if (file.path.empty()) return file;
  auto entries = read_entries(choice->text, file.path, file.notes);
  if (!entries) return tl::unexpected(entries.error());
  file.entries = *std::move(entries);
  for (auto& entry : file.entries) {
    // YAML wants quotes around local:, and people do not.
    if (entry.key == "url" && entry.text == "local") entry.text = "local:";
    // Beside the file that names it, wherever the command runs.
    if (std::find(kFiles.begin(), kFiles.end(), entry.key) != kFiles.end())
      entry.text = (std::filesystem::path(file.path).parent_path() / entry.text).string();
  }
  return file;
}

Parsed<std::string> read_password_file(const std::string& file) {
  constexpr mode_t kOthers = S_IROTH | S_IWOTH;
  const auto read = read_small_file(file);
  if (!read) return tl::unexpected(read.error());
  if ((read->status.st_mode & kOthers) != 0 && S_ISREG(read->status.st_mode)) {
    return tl::unexpected(fmt::format("{} has a password in it and is open to everybody: chmod o= {}", file, file));
  }
  const auto text = trimmed(read->text);
  const auto colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || text.find('\n') != std::string_view::npos) {
    return tl::unexpected(fmt::format("{} is to be one line, user:password", file));
  }
  return std::string(text);
}

}  // namespace holdfast::cli
