#include "settings/watched_path.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <system_error>

#include "holdfast/error.h"

namespace holdfast::settings {
namespace {

// Not IN_MODIFY: a file that is being written says nothing yet. It is read when its writer closes it.
constexpr std::uint32_t kContents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB;
constexpr std::uint32_t kItself = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// As the kernel follows.
constexpr int kMostLinks = 40;
// The way may change while it is looked at.
constexpr int kMostLooks = 8;

}  // namespace

WatchedPath::WatchedPath(std::string path)
    : path_(std::move(path)), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!inotify_) {
    throw Error(Errc::refused,
                fmt::format("changes of {} cannot be followed: {} (sysctl fs.inotify.max_user_instances)", path_,
                            std::generic_category().message(errno)));
  }
}

std::map<std::string, WatchedPath::Names> WatchedPath::on_the_way() const {
  std::map<std::string, Names> found;
  std::deque<std::filesystem::path> rest;
  const auto prepend = [&](const std::filesystem::path& path) {
    const auto parts = path.relative_path();
    rest.insert(rest.begin(), parts.begin(), parts.end());
  };
  prepend(path_);
  std::filesystem::path at = "/";
  for (int links = 0; !rest.empty();) {
    const auto name = rest.front();
    rest.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    auto& names = found[at.string()];
    struct stat status {};
    const bool is_there = ::lstat((at / name).c_str(), &status) == 0;
    if (is_there && S_ISDIR(status.st_mode) && !rest.empty()) {
      at /= name;
      continue;
    }
    names.insert(name.string());
    if (!is_there || !S_ISLNK(status.st_mode)) break;  // the file, or where it will come
    std::error_code error;
    const auto target = std::filesystem::read_symlink(at / name, error);
    if (error || ++links > kMostLinks) break;
    if (target.is_absolute()) at = "/";
    prepend(target);
  }
  return found;
}

void WatchedPath::watch() {
  std::map<std::string, Names> seen;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const auto wanted = on_the_way();
    if (looks > 0 && wanted == seen) return;
    std::map<int, Watch> watches;
    for (const auto& [directory, names] : wanted) {
      const int watch =
          ::inotify_add_watch(inotify_.get(), directory.c_str(), names.empty() ? kItself : kItself | kContents);
      if (watch < 0) continue;  // it is gone again, or may not be looked at; what is above it is watched
      // The same directory may be reached by another name.
      watches[watch].directory = directory;
      watches[watch].names.insert(names.begin(), names.end());
    }
    const std::lock_guard guard(mutex_);
    for (const auto& [watch, what] : watches_) {
      if (!watches.contains(watch)) ::inotify_rm_watch(inotify_.get(), watch);
    }
    watches_ = std::move(watches);
    seen = wanted;
  }
}

// A link is as soon as it is made, to a name or to a file; a file only when its writer closes it, which is another event.
bool WatchedPath::is_complete(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1);
}

bool WatchedPath::drain() {
  bool ours = false;
  alignas(inotify_event) std::array<char, 4096> buffer{};
  while (true) {
    const auto got = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ours;
    const std::lock_guard guard(mutex_);
    for (const char* at = buffer.data(); at < buffer.data() + got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_IGNORED) != 0) continue;  // after what made it so, or by us
      const auto watch = watches_.find(event->wd);
      const std::string name = event->len > 0 ? event->name : "";
      // Without a name it is about the directory, or about everything (IN_Q_OVERFLOW). A watch that is not known yet was made this moment.
      if (name.empty() || watch == watches_.end()) ours = true;
      if (ours || !watch->second.names.contains(name)) continue;
      ours = (event->mask & IN_CREATE) == 0 || is_complete(watch->second.directory + "/" + name);
    }
  }
}

}  // namespace holdfast::settings
