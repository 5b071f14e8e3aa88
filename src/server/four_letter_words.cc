#include "server/four_letter_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <map>

#include "wire/four_letter_words.h"

namespace holdfast::server {
namespace {

#ifndef HOLDFAST_VERSION
#error "the build says which version this is"
#endif

// hash, gtmk and stmk are ZooKeeper's too, but there is neither a digest log nor a trace mask here: they are told apart from a length,
// and answered with that.
constexpr std::array<std::string_view, 3> kNeverAnswered{"gtmk", "hash", "stmk"};

template <typename Words>
bool among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

using Text = std::back_insert_iterator<std::string>;

// As Java prints a session id: no leading zeros, the sign bit as a digit.
std::string hex(std::int64_t number) { return fmt::format("0x{:x}", static_cast<std::uint64_t>(number)); }

// At most four decimals, at least one.
std::string average(const Latency& latency) {
  const double exact = latency.count == 0 ? 0 : static_cast<double>(latency.total) / static_cast<double>(latency.count);
  std::string text = fmt::format("{:.4f}", exact);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

// "Mon Nov 16 03:13:39 UTC 2026"
std::string date(std::int64_t milliseconds) {
  const std::time_t seconds = milliseconds / 1'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a %b %d %H:%M:%S UTC %Y", &parts);
  return {text.data(), size};
}

void connection_line(Text out, const ConnectionReport& c, bool brief) {
  fmt::format_to(out, " /{}[{:x}](queued={},recved={},sent={}", c.address, (c.reading ? 1 : 0) | (c.writing ? 4 : 0),
                 c.queued, c.received, c.sent);
  if (!brief && c.session != 0) {
    fmt::format_to(out, ",sid={},lop={},est={},to={}", hex(c.session), c.last_operation, c.established, c.timeout);
    if (c.last_cxid >= 0) fmt::format_to(out, ",lcxid={}", hex(c.last_cxid));
    fmt::format_to(out, ",lzxid={},lresp={},llat={},minlat={},avglat={},maxlat={}", hex(c.last_zxid),
                   c.last_response_time, c.last_latency, c.latency.min,
                   c.latency.count == 0 ? 0 : c.latency.total / c.latency.count, c.latency.max);
  }
  fmt::format_to(out, ")\n");
}

void server_lines(Text out, const Report& r, bool with_clients) {
  fmt::format_to(out, "Zookeeper version: {}\n", full_version());
  if (with_clients) {
    fmt::format_to(out, "Clients:\n");
    for (const auto& connection : r.connections) connection_line(out, connection, true);
    fmt::format_to(out, "\n");
  }
  const auto& s = r.statistics;
  const auto& latency = s.traffic.latency;
  fmt::format_to(out, "Latency min/avg/max: {}/{}/{}\n", latency.min, average(latency), latency.max);
  fmt::format_to(out, "Received: {}\nSent: {}\nConnections: {}\nOutstanding: {}\nZxid: {}\n", s.traffic.received,
                 s.traffic.sent, s.connections, s.pipeline.outstanding, hex(s.pipeline.zxid));
  fmt::format_to(out, "Mode: standalone\nNode count: {}\n", s.state.nodes);
}

void cons(Text out, const Report& r) {
  for (const auto& connection : r.connections) connection_line(out, connection, false);
  fmt::format_to(out, "\n");
}

// "Sets (buckets)/(members):", then every bucket of what expires at one time.
void expiry_sets(Text out, const std::multimap<std::int64_t, std::string>& members) {
  std::size_t buckets = 0;
  for (auto i = members.begin(); i != members.end(); i = members.upper_bound(i->first)) ++buckets;
  fmt::format_to(out, "Sets ({})/({}):\n", buckets, members.size());
  for (auto i = members.begin(); i != members.end();) {
    const auto end = members.upper_bound(i->first);
    fmt::format_to(out, "{} expire at {}:\n", std::distance(i, end), date(i->first));
    for (; i != end; ++i) fmt::format_to(out, "\t{}\n", i->second);
  }
}

void dump(Text out, const Report& r) {
  std::multimap<std::int64_t, std::string> members;
  for (const auto& s : r.session_list) members.emplace(s.expires_at, hex(s.id));
  fmt::format_to(out, "SessionTracker dump:\nSession ");
  expiry_sets(out, members);

  const auto owners =
      std::count_if(r.session_list.begin(), r.session_list.end(), [](const auto& s) { return !s.ephemerals.empty(); });
  fmt::format_to(out, "ephemeral nodes dump:\nSessions with Ephemerals ({}):\n", owners);
  for (const auto& s : r.session_list) {
    if (s.ephemerals.empty()) continue;
    fmt::format_to(out, "{}:\n", hex(s.id));
    for (const auto& path : s.ephemerals) fmt::format_to(out, "\t{}\n", path);
  }

  members.clear();
  for (const auto& c : r.connections) {
    members.emplace(c.expires_at, fmt::format("ip: /{} sessionId: {}", c.address, hex(c.session)));
  }
  fmt::format_to(out, "Connections dump:\nConnections ");
  expiry_sets(out, members);
}

void wchs(Text out, const Report& r) {
  fmt::format_to(out, "{} connections watching {} paths\nTotal watches:{}\n", r.watch_summary.connections,
                 r.watch_summary.paths, r.watch_summary.watches);
}

void wchp(Text out, const Report& r) {
  for (const auto& watch : r.watch_list) {
    fmt::format_to(out, "{}\n", watch.path);
    for (const auto session : watch.sessions) fmt::format_to(out, "\t{}\n", hex(session));
  }
  fmt::format_to(out, "\n");
}

void wchc(Text out, const Report& r) {
  std::map<std::int64_t, std::vector<std::string_view>> by_session;
  for (const auto& watch : r.watch_list) {
    for (const auto session : watch.sessions) by_session[session].push_back(watch.path);
  }
  for (const auto& [session, paths] : by_session) {
    fmt::format_to(out, "{}\n", hex(session));
    for (const auto path : paths) fmt::format_to(out, "\t{}\n", path);
  }
  fmt::format_to(out, "\n");
}

void conf(Text out, const ConfigurationReport& c) {
  fmt::format_to(out, "clientPort={}\nsecureClientPort={}\n", c.client_port, c.secure_client_port);
  fmt::format_to(out, "dataDir={}\ndataDirSize={}\n", c.data_dir, c.data_size);
  fmt::format_to(out, "dataLogDir={}\ndataLogSize={}\n", c.log_dir, c.log_size);
  fmt::format_to(out, "tickTime={}\nmaxClientCnxns={}\n", c.tick_time, c.connections_per_address);
  fmt::format_to(out, "minSessionTimeout={}\nmaxSessionTimeout={}\n", c.min_session_timeout, c.max_session_timeout);
  // -1: the system's own, in ZooKeeper as well as here. One server is server 0.
  fmt::format_to(out, "clientPortListenBacklog=-1\nserverId=0\n");
}

void envi(Text out, const Report& r) {
  fmt::format_to(out, "Environment:\nzookeeper.version={}\n", full_version());
  for (const auto& [key, value] : r.environment) fmt::format_to(out, "{}={}\n", key, value);
}

void spread(Text out, std::string_view name, const Latency& l) {
  fmt::format_to(out, "zk_avg_{0}\t{1}\nzk_min_{0}\t{2}\nzk_max_{0}\t{3}\nzk_cnt_{0}\t{4}\nzk_sum_{0}\t{5}\n", name,
                 average(l), l.min, l.max, l.count, l.total);
}

void mntr(Text out, const Report& r) {
  const auto line = [&out](std::string_view key, const auto& value) { fmt::format_to(out, "zk_{}\t{}\n", key, value); };
  const auto& s = r.statistics;
  const auto& traffic = s.traffic;
  line("version", full_version());
  line("server_state", "standalone");
  line("uptime", s.uptime);
  line("avg_latency", average(traffic.latency));
  line("min_latency", traffic.latency.min);
  line("max_latency", traffic.latency.max);
  line("packets_received", traffic.received);
  line("packets_sent", traffic.sent);
  line("bytes_received_count", traffic.bytes_received);
  line("response_bytes", traffic.response_bytes);
  line("last_client_response_size", traffic.last_response_size);
  line("min_client_response_size", traffic.min_response_size);
  line("max_client_response_size", traffic.max_response_size);
  line("num_alive_connections", s.connections);
  line("connection_rejected", s.quotas.of(Refusal::connections));
  line("auth_failed_count", s.logins.failed);
  line("outstanding_requests", s.pipeline.outstanding);
  line("global_sessions", s.state.sessions);
  line("local_sessions", 0);
  line("stale_sessions_expired", s.sessions.expired);
  line("znode_count", s.state.nodes);
  line("watch_count", s.state.watches);
  line("ephemerals_count", s.state.ephemerals);
  line("approximate_data_size", s.state.data_size);
  line("open_file_descriptor_count", r.open_files);
  line("max_file_descriptor_count", r.max_files);
  spread(out, "readlatency", traffic.read_latency);
  spread(out, "updatelatency", traffic.update_latency);
  spread(out, "fsynctime", s.pipeline.sync_time);
  spread(out, "snapshottime", s.snapshot_time);
  line("client_memory_used", s.quotas.memory_used);
  line("client_memory_limit", s.quotas.memory_limit);
  for (std::size_t i = 0; i < kRefusals; ++i) {
    const auto why = static_cast<Refusal>(i);
    line(fmt::format("refused_{}", name_of(why)), s.quotas.of(why));
  }
}

}  // namespace

std::string full_version() { return "3.8.0-holdfast-" HOLDFAST_VERSION ", built on Linux"; }

bool is_word(std::string_view bytes) { return among(wire::kFourLetterWords, bytes) || among(kNeverAnswered, bytes); }

FourLetterWords::FourLetterWords(std::vector<std::string> whitelist) : whitelist_(std::move(whitelist)) {}

bool FourLetterWords::enabled(std::string_view word) const {
  if (!among(wire::kFourLetterWords, word) || whitelist_.empty()) return false;
  return word == "srvr" || among(whitelist_, word) || among(whitelist_, "*");
}

std::string refusal_of_word(std::string_view word) {
  if (among(kNeverAnswered, word)) return fmt::format("{} is not known to this server.\n", word);
  return fmt::format("{} is not executed because it is not in the whitelist.\n", word);
}

std::string answer_word(std::string_view word, const Report& report) {
  if (word == "ruok") return "imok";
  if (word == "isro") return "rw";
  if (word == "srst") return "Server stats reset.\n";
  if (word == "crst") return "Connection stats reset.\n";
  std::string text;
  const Text out = std::back_inserter(text);
  if (word == "srvr") server_lines(out, report, false);
  if (word == "stat") server_lines(out, report, true);
  if (word == "mntr") mntr(out, report);
  if (word == "cons") cons(out, report);
  if (word == "dump") dump(out, report);
  if (word == "wchs") wchs(out, report);
  if (word == "wchp") wchp(out, report);
  if (word == "wchc") wchc(out, report);
  if (word == "conf") conf(out, report.configuration);
  if (word == "envi") envi(out, report);
  if (word == "dirs") {
    fmt::format_to(out, "datadir_size: {}\nlogdir_size: {}\n", report.configuration.data_size,
                   report.configuration.log_size);
  }
  return text;
}

}  // namespace holdfast::server
