#include "cli/shell/watch_list.h"

#include <algorithm>

#include "wire/jute.h"

namespace holdfast::cli::shell {
namespace {

// A server takes frames of up to 1 MiB; clients stay well below it.
constexpr std::size_t kMostBytes = 128 * 1024;

}  // namespace

void WatchList::fired(wire::EventType type, const std::string& path) {
  const bool of_children = type == wire::EventType::node_children_changed;
  if (of_children || type == wire::EventType::node_deleted) paths(Watch::children).erase(path);
  if (of_children) return;
  paths(Watch::data).erase(path);
  paths(Watch::exist).erase(path);
}

void WatchList::remove(wire::WatchKind kind, const std::string& path) {
  if (kind != wire::WatchKind::data) paths(Watch::children).erase(path);
  if (kind != wire::WatchKind::children) {
    paths(Watch::data).erase(path);
    paths(Watch::exist).erase(path);
  }
  if (kind != wire::WatchKind::any) return;
  paths(Watch::persistent).erase(path);
  paths(Watch::recursive).erase(path);
}

void WatchList::clear() {
  for (auto& each : paths_) each.clear();
}

bool WatchList::empty() const {
  return std::all_of(std::begin(paths_), std::end(paths_), [](const auto& each) { return each.empty(); });
}

std::vector<WatchList::Request> WatchList::requests(wire::Zxid zxid) const {
  std::vector<Request> all;
  std::vector<std::string> part[kKinds];
  std::size_t bytes = 0;
  const auto finish = [&] {
    if (bytes == 0) return;
    // Servers before 3.6 know only the first three kinds, and the request without the others.
    const bool old = part[3].empty() && part[4].empty();
    wire::Writer writer;
    writer.i64(zxid);
    for (std::size_t kind = 0; kind < (old ? 3 : kKinds); ++kind) writer.texts(part[kind]);
    all.push_back({old ? wire::Op::set_watches : wire::Op::set_watches2, writer.take()});
    for (auto& each : part) each.clear();
    bytes = 0;
  };
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const auto& path : paths_[kind]) {
      part[kind].push_back(path);
      bytes += path.size() + 4;
      if (bytes >= kMostBytes) finish();
    }
  }
  finish();
  return all;
}

}  // namespace holdfast::cli::shell
