#include "local/state_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/text.h"

namespace holdfast::local {
namespace {

constexpr auto kVariable = "HOLDFAST_STATE_DIR";
constexpr auto kBelowHome = "/.local/state/holdfast";
constexpr mode_t kFileMode = 0600;
// The buffer of getpwuid_r() for one line; glibc suggests 1024.
constexpr std::size_t kPasswordLine = 16'384;

// $HOLDFAST_STATE_DIR; ignored in a program with more rights than its caller. Empty: not set.
Result<std::string> told() {
  const char* value = ::secure_getenv(kVariable);
  std::string path = value == nullptr ? "" : value;
  if (path.empty()) return path;
  if (path.front() != '/') {
    return tl::unexpected(fmt::format("{} is \"{}\", which is not an absolute path", kVariable, base::printable(path)));
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

tl::unexpected<std::string> homeless(const std::string& why) {
  return tl::unexpected(fmt::format(
      "{}, and local: keeps its state in the home directory; set {} to a directory of user {}, the same for everything "
      "that user runs, or use another URL",
      why, kVariable, ::geteuid()));
}

// It must exist: a home directory that is missing now may be mounted later, with another engine in it.
Result<std::string> home() {
  std::array<char, kPasswordLine> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const int error = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return homeless("the password database cannot be read: " + error_text(error));
  if (found == nullptr) return homeless(fmt::format("there is no user {} in the password database", ::geteuid()));
  const std::string directory = found->pw_dir == nullptr ? "" : found->pw_dir;
  struct stat status {};
  if (!directory.starts_with('/') || ::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return homeless(fmt::format("the home directory of {} is \"{}\", which is not there", found->pw_name, directory));
  }
  return directory;
}

}  // namespace

Result<std::string> state_path() {
  auto path = told();
  if (!path || !path->empty()) return path;
  auto directory = home();
  if (!directory) return directory;
  return *directory + kBelowHome;
}

base::Descriptor StateDirectory::open(const char* name, int flags) const {
  return base::Descriptor(::openat(fd.get(), name, flags | O_NOFOLLOW | O_CLOEXEC, kFileMode));
}

Result<StateDirectory> open_state_directory(Missing missing) {
  auto path = state_path();
  if (!path) return tl::unexpected(path.error());
  auto opened = open_safe_directory(*path, missing);
  if (!opened) return tl::unexpected(opened.error());
  return StateDirectory{*std::move(path), *std::move(opened)};
}

}  // namespace holdfast::local
