#include "cli/doctor/server_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <regex>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"
#include "cli/doctor/server_probe.h"
#include "cli/doctor/times.h"
#include "settings/duration.h"

namespace holdfast::cli::doctor {
namespace {

using std::chrono::milliseconds;

struct Look {
  std::optional<ProbeFailure> failure;
  std::string found;  // "reached in 0.08 ms, ZooKeeper 3.8.0, leader"
  bool too_old = false;
  milliseconds granted{0};
  std::vector<Clock::duration> pings;
};

// "Zookeeper version: 3.8.0-5a02a05eddb59aee6ac762f7ea82e92a68eb9c0f, built on ..." and "Mode: leader"
void read_srvr(const std::string& answer, Look& look) {
  std::smatch found;
  if (!std::regex_search(answer, found, std::regex("ersion: ([^,\n]{1,60})"))) {
    look.found += ", version unknown (srvr is not among the four-letter words it answers)";
    return;
  }
  const auto version = found[1].str();
  look.found += ", version " + version.substr(0, version.find("--"));
  if (std::regex_search(answer, found, std::regex("\nMode: ([a-z-]+)"))) look.found += ", " + found[1].str();
  // Containers came with 3.5.
  if (std::regex_search(version, found, std::regex("^3\\.([0-9]{1,3})\\."))) look.too_old = std::stoi(found[1]) < 5;
}

Look look_at(const net::ServerAddress& server, net::ClientTls* tls, const ServiceSettings& settings) {
  Look look;
  const auto deadline = [&] { return deadline_after(settings.connect_timeout); };
  auto probe = ServerProbe::connect(server, tls, deadline());
  if (!probe) {
    look.failure = probe.error();
    return look;
  }
  look.found = fmt::format("{} is reached in {}", server.text(), in_ms(probe->connected_in()));
  const auto granted = probe->begin_session(settings.session_timeout, deadline());
  if (!granted) {
    look.failure = granted.error();
    return look;
  }
  look.granted = *granted;
  if (const auto& sasl = settings.zookeeper.sasl; !sasl.mechanism.empty() && !server.is_path()) {
    if (const auto done = probe->log_in(sasl, deadline()); !done) {
      look.failure = done.error();
      return look;
    }
  }
  for (const auto& auth : settings.zookeeper.auth) {
    if (const auto done = probe->log_in(auth, deadline()); !done) {
      look.failure = done.error();
      return look;
    }
  }
  if (const auto served = probe->read_root(deadline()); !served) {
    look.failure = served.error();
    return look;
  }
  for (int i = 0; i < kPings; ++i) {
    const auto time = probe->ping(deadline());
    if (!time) break;  // the lock itself will tell
    look.pings.push_back(*time);
  }
  probe->end_session(deadline());
  // The word ends its connection, so it is another one.
  if (auto again = ServerProbe::connect(server, tls, deadline())) read_srvr(again->ask("srvr", deadline()), look);
  return look;
}

void report(const Look& look, bool others_answer, Findings& findings) {
  if (look.failure) {
    findings.push_back(
        {kServerCheck, others_answer ? State::warning : State::wrong, look.failure->message, look.failure->fix});
  } else if (look.too_old) {
    findings.push_back({kServerCheck, State::wrong, look.found, "use ZooKeeper 3.5 or newer: locks are in containers"});
  } else {
    findings.push_back({kServerCheck, State::ok, look.found});
  }
}

void report_session(milliseconds asked, milliseconds granted, Findings& findings) {
  if (asked == granted) {
    findings.push_back(
        {"session", State::ok, fmt::format("a timeout of {} is granted as asked for", show_duration(asked))});
    return;
  }
  findings.push_back(
      {"session", State::warning,
       fmt::format("a timeout of {} was asked for, {} is granted", show_duration(asked), show_duration(granted)),
       "ask for what it allows (--session-timeout), or change minSessionTimeout and maxSessionTimeout there"});
}

}  // namespace

bool check_servers(const net::ServerAddresses& servers, const ServiceSettings& settings, Findings& findings) {
  std::optional<net::ClientTls> tls;
  if (settings.url.starts_with("zks:")) {
    tls.emplace(settings.tls);
    if (const auto usable = tls->connect("localhost"); !usable) {
      findings.push_back(
          {kServerCheck, State::wrong, usable.error(), "correct the files of TLS (--tls-ca, --tls-cert, --tls-key)"});
      return false;
    }
  }
  std::vector<Look> looks;
  for (const auto& server : servers) looks.push_back(look_at(server, tls ? &*tls : nullptr, settings));
  const auto answering =
      std::find_if(looks.begin(), looks.end(), [](const Look& look) { return !look.failure && !look.too_old; });
  for (const auto& look : looks) report(look, answering != looks.end(), findings);
  if (answering == looks.end()) return false;
  report_session(settings.session_timeout, answering->granted, findings);
  report_latency(answering->pings, answering->granted, findings);
  return true;
}

}  // namespace holdfast::cli::doctor
