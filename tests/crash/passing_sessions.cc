#include "passing_sessions.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::testing::crash {

void PassingSessions::sent(std::int64_t session, const std::string& path) { sessions_[session].doubtful.insert(path); }

void PassingSessions::acknowledged(std::int64_t session, const std::string& path) {
  sessions_[session].doubtful.erase(path);
  sessions_[session].safe.insert(path);
}

void PassingSessions::closed(std::int64_t session) { sessions_[session].ended = true; }

std::size_t PassingSessions::open() const {
  return static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto& each) { return !each.second.ended; }));
}

std::vector<std::string> PassingSessions::check(const std::set<std::string>& there) {
  std::vector<std::string> complaints;
  auto strangers = there;
  for (auto& [id, session] : sessions_) {
    std::set<std::string> present;
    std::set<std::string> absent;
    for (const auto& path : session.safe) (there.contains(path) ? present : absent).insert(path);
    for (const auto& path : session.doubtful) {
      if (there.contains(path)) present.insert(path);
    }
    for (const auto& path : present) strangers.erase(path);
    if (session.ended) {
      for (const auto& path : present) {
        complaints.push_back(fmt::format("{} is there, but its session {:#x} has ended", path, id));
      }
    } else if (!present.empty()) {
      for (const auto& path : absent) {
        complaints.push_back(fmt::format("{} is missing, but others of its session {:#x} are there", path, id));
      }
      session.safe = present;
    } else {
      session.ended = true;  // or it never had any, and cannot get any: nobody speaks for it
    }
    session.doubtful.clear();
  }
  for (const auto& path : strangers) complaints.push_back(fmt::format("{} was never asked for", path));
  return complaints;
}

}  // namespace holdfast::testing::crash
