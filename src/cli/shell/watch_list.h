// watch_list.h -- the watches that the server keeps for this session, so that the next connection can set them again.
//
// A server forgets the watches of a connection when it ends. Paths are the server's.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::cli::shell {

enum class Watch { data, exist, children, persistent, recursive };

class WatchList {
 public:
  void add(Watch kind, const std::string& path) { paths(kind).insert(path); }
  // What an event has used up.
  void fired(wire::EventType type, const std::string& path);
  // As removeWatches does.
  void remove(wire::WatchKind kind, const std::string& path);
  void clear();

  bool empty() const;

  struct Request {
    wire::Op op;
    std::string body;
  };
  // Sets all of them as they were when the server was at `zxid`: what has happened since fires at once.
  std::vector<Request> requests(wire::Zxid zxid) const;

 private:
  static constexpr std::size_t kKinds = 5;
  std::set<std::string>& paths(Watch kind) { return paths_[static_cast<std::size_t>(kind)]; }

  std::set<std::string> paths_[kKinds];  // by Watch
};

}  // namespace holdfast::cli::shell
