// passing_sessions.h -- sessions that end, each with some ephemerals, and so which of those may be there after a crash.
//
// All nodes of a session are there, or none; and none for ever once it is known to have ended: by an answer to
// closeSession, or because its nodes were gone before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace holdfast::testing::crash {

class PassingSessions {
 public:
  // A create that was sent may have been executed; one that was acknowledged was.
  void sent(std::int64_t session, const std::string& path);
  void acknowledged(std::int64_t session, const std::string& path);
  void closed(std::int64_t session);

  // Against the nodes that are there, once nothing is sent any more. One sentence for each thing that is wrong.
  std::vector<std::string> check(const std::set<std::string>& there);

  // Of whose end nobody knows yet.
  std::size_t open() const;
  std::size_t ended() const { return sessions_.size() - open(); }

 private:
  struct Session {
    std::set<std::string> safe{};
    std::set<std::string> doubtful{};
    bool ended = false;
  };
  std::map<std::int64_t, Session> sessions_{};
};

}  // namespace holdfast::testing::crash
