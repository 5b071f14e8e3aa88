#include "cli/config/service_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/config/server_settings.h"
#include "settings/small_file.h"

namespace holdfast::cli {
namespace {

constexpr auto kHere = "holdfast.yaml";
constexpr auto kMachines = "/etc/holdfast/config.yaml";
constexpr mode_t kOthersCanWrite = S_IWGRP | S_IWOTH;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// What is a setting of the server's file, and not of this one.
std::optional<std::string> of_the_server(std::string_view name) {
  if (find_setting(name) == nullptr && name != "limits") return std::nullopt;
  return fmt::format(
      "{} is a setting of holdfast server, not of the commands that use one; the server reads its file with --config",
      name);
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

Parsed<ServiceFile> load_service_file(const std::string& option) {
  auto choice = choose(option);
  if (!choice) return tl::unexpected(choice.error());
  auto& file = choice->file;
  if (file.path.empty()) return file;
  auto read = read_client_file(choice->text, file.path, of_the_server);
  if (!read) return tl::unexpected(read.error());
  file.read = *std::move(read);
  file.notes.insert(file.notes.end(), file.read.notes.begin(), file.read.notes.end());
  return file;
}

}  // namespace holdfast::cli
