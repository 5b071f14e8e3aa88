#include "local/state_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace holdfast::local {
namespace {

constexpr mode_t kDirectoryMode = 0700;  // XDG's own demand for what it makes
constexpr mode_t kFileMode = 0600;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
// What getpwuid_r() may need for one line; glibc suggests 1024.
constexpr std::size_t kPasswordLine = 16'384;

// Relative ones are to be ignored, says XDG; so are those of a program with more rights than its caller.
std::string absolute_from_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr && *value == '/' ? std::string(value) : std::string();
}

std::string home() {
  if (auto path = absolute_from_environment("HOME"); !path.empty()) return path;
  std::array<char, kPasswordLine> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_dir != nullptr && *found->pw_dir == '/' ? found->pw_dir : std::string();
}

// With what is above it, as far as that is missing. Empty, or what went wrong.
std::string create(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) == 0 || errno == EEXIST) return {};
  if (errno == ENOENT && path.has_relative_path()) {
    if (auto trouble = create(path.parent_path()); !trouble.empty()) return trouble;
    if (::mkdir(path.c_str(), kDirectoryMode) == 0 || errno == EEXIST) return {};
  }
  return fmt::format("cannot create {}: {}; name another place with XDG_STATE_HOME", path.string(), error_text(errno));
}

}  // namespace

std::string error_text(int error) { return std::generic_category().message(error); }

Result<std::string> state_path() {
  if (const auto state = absolute_from_environment("XDG_STATE_HOME"); !state.empty()) return state + "/holdfast";
  const auto directory = home();
  if (directory.empty()) {
    return tl::unexpected(fmt::format(
        "there is no home directory for user {}, where local: keeps its state; set XDG_STATE_HOME, or use another URL",
        ::geteuid()));
  }
  return directory + "/.local/state/holdfast";
}

base::Descriptor StateDirectory::open(const char* name, int flags) const {
  return base::Descriptor(::openat(fd.get(), name, flags | O_NOFOLLOW | O_CLOEXEC, kFileMode));
}

Result<StateDirectory> open_state_directory(Missing missing) {
  auto path = state_path();
  if (!path) return tl::unexpected(path.error());
  if (missing == Missing::create) {
    if (auto trouble = create(*path); !trouble.empty()) return tl::unexpected(std::move(trouble));
  }
  StateDirectory directory{*path,
                           base::Descriptor(::open(path->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))};
  if (!directory.fd) {
    if (errno == ENOENT && missing == Missing::leave) return directory;
    if (errno == ELOOP || errno == ENOTDIR) {
      return tl::unexpected(
          fmt::format("{} is not a directory; move it away, or name another place with XDG_STATE_HOME", *path));
    }
    return tl::unexpected(fmt::format("cannot open {}: {}", *path, error_text(errno)));
  }
  struct stat status {};
  if (::fstat(directory.fd.get(), &status) != 0) return tl::unexpected(fmt::format("cannot look at {}", *path));
  if (status.st_uid != ::geteuid()) {
    return tl::unexpected(fmt::format(
        "{} belongs to user {}, and you are user {}: its owner could hand out your locks; name another place "
        "with XDG_STATE_HOME",
        *path, status.st_uid, ::geteuid()));
  }
  if ((status.st_mode & kWritableByOthers) != 0) {
    return tl::unexpected(
        fmt::format("others can write to {} and could hand out your locks: chmod 700 {}", *path, *path));
  }
  return directory;
}

}  // namespace holdfast::local
