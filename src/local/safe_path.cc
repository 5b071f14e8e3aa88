#include "local/safe_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <filesystem>
#include <system_error>

namespace holdfast::local {
namespace {

constexpr mode_t kDirectoryMode = 0700;  // as XDG demands
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
// As many as the kernel follows.
constexpr int kMostLinks = 40;
constexpr auto kElsewhere = "name another place with HOLDFAST_STATE_DIR";

using Trouble = std::string;  // empty: none

// Walks along a path, one part after the other, from / on.
class Walk {
 public:
  Walk(const std::string& path, Missing missing) : missing_(missing) { put_first(path); }

  Result<base::Descriptor> end() {
    if (auto trouble = go_to_root(); !trouble.empty()) return tl::unexpected(std::move(trouble));
    while (!rest_.empty()) {
      const auto name = rest_.front();
      rest_.pop_front();
      if (auto trouble = step(name); !trouble.empty()) return tl::unexpected(std::move(trouble));
      if (!here_) return base::Descriptor();  // it is not there
    }
    // Directories on the way were only opened for searching.
    base::Descriptor opened(::openat(here_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return tl::unexpected(fmt::format("cannot open {}: {}", path_.string(), error_text(errno)));
    if (status_.st_uid != ::geteuid()) {
      return tl::unexpected(
          fmt::format("{} belongs to user {}, and you are user {}: its owner could hand out your locks; {}",
                      path_.string(), status_.st_uid, ::geteuid(), kElsewhere));
    }
    if ((status_.st_mode & kWritableByOthers) != 0) {
      return tl::unexpected(fmt::format("other users can write to {} and could hand out your locks: chmod 700 {}",
                                        path_.string(), path_.string()));
    }
    return opened;
  }

 private:
  void put_first(const std::filesystem::path& path) {
    std::deque<std::string> parts;
    for (const auto& part : path.relative_path()) {
      if (!part.empty() && part != ".") parts.push_back(part.string());
    }
    rest_.insert(rest_.begin(), parts.begin(), parts.end());
  }

  Trouble go_to_root() {
    path_ = "/";
    here_ = base::Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!here_ || ::fstat(here_.get(), &status_) != 0) return "cannot open /: " + error_text(errno);
    root_ = status_.st_uid;
    return check();
  }

  Trouble step(const std::string& name) {
    const auto path = name == ".." ? path_.parent_path() : path_ / name;
    struct stat status {};
    if (::fstatat(here_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) return fmt::format("cannot look at {}: {}", path.string(), error_text(errno));
      if (missing_ == Missing::leave) return here_.reset(), Trouble();
      if (::mkdirat(here_.get(), name.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
        return fmt::format("cannot create {}: {}; {}", path.string(), error_text(errno), kElsewhere);
      }
    } else if (S_ISLNK(status.st_mode) && !rest_.empty()) {
      return follow(name, path, status.st_uid);
    }
    here_ = base::Descriptor(::openat(here_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    path_ = path;
    if (!here_ && (errno == ELOOP || errno == ENOTDIR)) {
      return fmt::format("{} is not a directory; move it away, or {}", path.string(), kElsewhere);
    }
    if (!here_ || ::fstat(here_.get(), &status_) != 0) {
      return fmt::format("cannot open {}: {}", path.string(), error_text(errno));
    }
    return check();
  }

  Trouble follow(const std::string& name, const std::filesystem::path& path, uid_t owner) {
    if (!is_trusted(owner)) return theirs(path, owner);
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlinkat(here_.get(), name.c_str(), target.data(), target.size());
    if (size < 0) return fmt::format("cannot read {}: {}", path.string(), error_text(errno));
    if (++links_ > kMostLinks) return fmt::format("cannot open {}: {}", path.string(), error_text(ELOOP));
    const std::filesystem::path to(std::string(target.data(), static_cast<std::size_t>(size)));
    put_first(to);
    return to.is_absolute() ? go_to_root() : Trouble();
  }

  bool is_trusted(uid_t owner) const { return owner == ::geteuid() || owner == 0 || owner == root_; }

  static Trouble theirs(const std::filesystem::path& path, uid_t owner) {
    return fmt::format(
        "{} belongs to user {}, who could put another directory in its place and hand out your locks; {}",
        path.string(), owner, kElsewhere);
  }

  // Whether only its owner, this user or root can move things below the present directory.
  Trouble check() const {
    if (rest_.empty()) return {};  // the last part has to meet more conditions
    if (!is_trusted(status_.st_uid)) return theirs(path_, status_.st_uid);
    if ((status_.st_mode & kWritableByOthers) != 0 && (status_.st_mode & S_ISVTX) == 0) {
      return fmt::format(
          "other users can write to {}, could put another directory in the place of what is in it, and hand out your "
          "locks: chmod go-w {}; or {}",
          path_.string(), path_.string(), kElsewhere);
    }
    return {};
  }

  const Missing missing_;
  std::deque<std::string> rest_;
  std::filesystem::path path_;  // of the present directory, without links
  base::Descriptor here_;
  struct stat status_ {};  // of it
  uid_t root_ = 0;
  int links_ = 0;
};

}  // namespace

std::string error_text(int error) { return std::generic_category().message(error); }

Result<base::Descriptor> open_safe_directory(const std::string& path, Missing missing) {
  return Walk(path, missing).end();
}

}  // namespace holdfast::local
