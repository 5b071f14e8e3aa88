// service_report.cc -- what the service tells of itself.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "server/service.h"

namespace holdfast::server {
namespace {

std::int64_t count(std::size_t size) { return static_cast<std::int64_t>(size); }

// Of the files in it, in bytes.
std::int64_t size_of(const std::string& directory) {
  if (directory.empty()) return 0;
  std::int64_t size = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator i(directory, error), end; !error && i != end; i.increment(error)) {
    std::error_code gone;  // a file may be renamed or removed meanwhile
    const auto bytes = i->file_size(gone);
    if (!gone) size += count(bytes);
  }
  return size;
}

}  // namespace

Statistics Service::statistics() const {
  return {.uptime = loop_.wall_time() - started_,
          .connections = count(connections_.size()),
          .traffic = connections_.traffic(),
          .sessions = sessions_.statistics(),
          .logins = logins_.statistics(),
          .pipeline = pipeline_.statistics(),
          .quotas = quotas_->statistics(),
          .state = statistics_of(engine_),
          .snapshot_time = snapshotter_ ? snapshotter_->time() : Latency{}};
}

Report Service::report(std::string_view word) {
  if (word == "srst") {
    connections_.traffic() = {};
    sessions_.statistics() = {};
    logins_.statistics() = {};
  }
  if (word == "crst") connections_.reset_each();
  Report report{.statistics = statistics()};
  if (word == "cons" || word == "stat" || word == "dump") list_connections(report);
  if (word == "dump") list_sessions(report);
  if (word.starts_with("wch")) list_watches(report);
  if (word == "conf" || word == "dirs") report.configuration = configuration();
  return report;
}

void Service::list_connections(Report& report) const {
  const auto now = loop_.now();
  const auto wall = loop_.wall_time();
  connections_.for_each([&](const ClientConnection& connection) {
    auto each = connection.report;
    each.address = connection.origin.address;
    each.reading = !connection.held;
    each.writing = connection.peer && connection.peer->unsent() > 0;
    each.expires_at = wall + connection.timeout.count();
    if (const auto* session = engine_.sessions().find(connection.session)) {
      each.expires_at = wall + (session->heard + session->timeout - now) / std::chrono::milliseconds(1);
    }
    report.connections.push_back(std::move(each));
  });
}

void Service::list_sessions(Report& report) const {
  const auto now = loop_.now();
  for (const auto& [id, session] : engine_.sessions().all()) {
    const auto left = (session.heard + session.timeout - now) / std::chrono::milliseconds(1);
    SessionReport each{.id = id, .expires_at = loop_.wall_time() + left};
    if (const auto* nodes = engine_.tree().ephemerals(id)) {
      for (const auto* node : *nodes) each.ephemerals.push_back(node->path());
    }
    std::sort(each.ephemerals.begin(), each.ephemerals.end());
    report.session_list.push_back(std::move(each));
  }
}

void Service::list_watches(Report& report) const {
  const auto& watches = engine_.data_watches();
  report.watch_summary = {watches.connection_count(), watches.path_count(), watches.size()};
  watches.for_each([&](const std::string& path, const engine::WatchTable::Watchers& watchers) {
    WatchReport each{.path = path};
    for (const auto& watcher : watchers) {
      if (const auto connection = connections_.find(watcher.connection)) each.sessions.push_back(connection->session);
    }
    // Those of connections that are gone may not have been removed yet.
    if (!each.sessions.empty()) report.watch_list.push_back(std::move(each));
  });
}

ConfigurationReport Service::configuration() const {
  ConfigurationReport configuration;
  configuration.data_dir = options_.data_dir;
  configuration.log_dir = options_.log_dir.empty() ? options_.data_dir : options_.log_dir;
  configuration.data_size = size_of(configuration.data_dir);
  configuration.log_size = size_of(configuration.log_dir);
  configuration.tick_time = options_.tick_time.count();
  configuration.connections_per_address = count(options_.limits.connections_per_address);
  configuration.min_session_timeout = sessions_.least_timeout().count();
  configuration.max_session_timeout = sessions_.grant(std::numeric_limits<std::int32_t>::max()).count();
  return configuration;
}

}  // namespace holdfast::server
