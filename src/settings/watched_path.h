// watched_path.h -- notices that a path has come to mean another file, or that the file was written.
//
// Watches directories, not the file: editors and Kubernetes replace a file by renaming another one over it, or over a link on the way to it.
//
//   /etc/app/settings.yaml -> ..data/settings.yaml    watched: /etc/app for settings.yaml and ..data
//   /etc/app/..data        -> ..2026_11/                       /etc/app/..2026_11 for settings.yaml
//
// A directory on the way that is moved or removed is noticed too, and a file that is not there yet when it comes. Not noticed: what is written
// through another machine to a network file system, and what is mapped into memory.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/descriptor.h"

namespace holdfast::settings {

// Thread safety: drain() in one thread, watch() in one other.
class WatchedPath {
 public:
  // Of a whole path. Throws Error if the system has no room for it.
  explicit WatchedPath(std::string path);

  // Readable when something may have changed. Never blocks.
  int descriptor() const { return inotify_.get(); }
  // Takes what has been said. True if it may be about the path.
  bool drain();
  // Looks where the path leads by now. To be called before the file is read: what changes from then on is told.
  void watch();

 private:
  // Names on the way by their directory; none if only the directory itself may go.
  using Names = std::set<std::string>;
  struct Watch {
    std::string directory;
    Names names;
  };

  std::map<std::string, Names> on_the_way() const;
  static bool is_complete(const std::string& path);

  const std::string path_;
  const base::Descriptor inotify_;
  std::mutex mutex_;
  std::map<int, Watch> watches_;  // guarded by mutex_
};

}  // namespace holdfast::settings
