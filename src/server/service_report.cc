// service_report.cc -- what the service tells of itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "server/now.h"
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

void Service::answered(std::int64_t latency, bool write, std::size_t size) {
  const auto bytes = count(size) + 16;
  totals_.latency.add(latency);
  (write ? totals_.update_latency : totals_.read_latency).add(latency);
  totals_.response_bytes += bytes;
  totals_.last_response_size = bytes;
  totals_.min_response_size = totals_.min_response_size < 0 ? bytes : std::min(totals_.min_response_size, bytes);
  totals_.max_response_size = std::max(totals_.max_response_size, bytes);
}

Report Service::report(std::string_view word) {
  if (word == "srst") {
    totals_ = {};
  }
  if (word == "crst") {
    for (auto& [id, connection] : connections_) {
      auto& report = connection->report;
      report.received = report.sent = 0;
      report.latency = {};
      report.last_operation = "NA";
    }
  }
  Report report = totals_;
  const auto& tree = engine_.tree();
  report.connection_count = count(connections_.size());
  report.outstanding = count(pipeline_.waiting());
  report.zxid = pipeline_.zxid();
  report.nodes = count(tree.size());
  report.uptime = wall_time() - started_;
  report.watches = count(engine_.data_watches().size() + engine_.child_watches().size());
  report.ephemerals = count(tree.ephemeral_count());
  report.data_size = count(tree.data_size());
  report.sessions = count(engine_.sessions().size());
  report.connections_rejected = static_cast<std::int64_t>(quotas_->refusals.count(Refusal::connections));
  report.sync_time = pipeline_.commit_time();
  if (snapshotter_) report.snapshot_time = snapshotter_->time();
  if (word == "cons" || word == "stat" || word == "dump") report_connections(report);
  if (word == "dump") report_sessions(report);
  if (word.starts_with("wch")) report_watches(report);
  if (word == "conf" || word == "dirs") report_configuration(report);
  if (word == "mntr") report_quotas(report);
  return report;
}

void Service::report_quotas(Report& report) const {
  const auto add = [&](std::string_view key, std::uint64_t value) {
    report.counters.emplace_back(key, std::to_string(value));
  };
  add("client_memory_used", quotas_->memory->used());
  add("client_memory_limit", quotas_->memory->limit());
  for (std::size_t i = 0; i < kRefusals; ++i) {
    const auto why = static_cast<Refusal>(i);
    add(fmt::format("refused_{}", name_of(why)), quotas_->refusals.count(why));
  }
}

void Service::report_connections(Report& report) const {
  for (const auto& [id, connection] : connections_) {
    auto each = connection->report;
    each.address = connection->origin.address;
    each.reading = !connection->held;
    each.writing = connection->peer && connection->peer->unsent() > 0;
    each.expires_at = wall_time() + connection->timeout.count();
    if (const auto* session = engine_.sessions().find(connection->session)) {
      each.expires_at =
          wall_time() + (session->heard + session->timeout - monotonic_time()) / std::chrono::milliseconds(1);
    }
    report.connections.push_back(std::move(each));
  }
}

void Service::report_sessions(Report& report) const {
  const auto now = monotonic_time();
  for (const auto& [id, session] : engine_.sessions().all()) {
    const auto left = (session.heard + session.timeout - now) / std::chrono::milliseconds(1);
    SessionReport each{.id = id, .expires_at = wall_time() + left};
    if (const auto* nodes = engine_.tree().ephemerals(id)) {
      for (const auto* node : *nodes) each.ephemerals.push_back(node->path());
    }
    std::sort(each.ephemerals.begin(), each.ephemerals.end());
    report.session_list.push_back(std::move(each));
  }
}

void Service::report_watches(Report& report) const {
  const auto& watches = engine_.data_watches();
  report.watch_summary = {watches.connection_count(), watches.path_count(), watches.size()};
  watches.for_each([&](const std::string& path, const engine::WatchTable::Watchers& watchers) {
    WatchReport each{.path = path};
    for (const auto& watcher : watchers) {
      const auto found = connections_.find(watcher.connection);
      if (found != connections_.end()) each.sessions.push_back(found->second->session);
    }
    // Those of connections that are gone may not have been removed yet.
    if (!each.sessions.empty()) report.watch_list.push_back(std::move(each));
  });
}

void Service::report_configuration(Report& report) const {
  auto& configuration = report.configuration;
  configuration.data_dir = options_.data_dir;
  configuration.log_dir = options_.log_dir.empty() ? options_.data_dir : options_.log_dir;
  configuration.data_size = size_of(configuration.data_dir);
  configuration.log_size = size_of(configuration.log_dir);
  configuration.tick_time = options_.tick_time.count();
  configuration.connections_per_address = count(options_.limits.connections_per_address);
  configuration.min_session_timeout = grant(0).count();
  configuration.max_session_timeout = grant(std::numeric_limits<std::int32_t>::max()).count();
}

}  // namespace holdfast::server
