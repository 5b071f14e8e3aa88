#include "run_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "fault_plan.h"

namespace holdfast::testing {

void RunCheck::blame(std::string rule, std::string what, std::vector<HistoryLine> lines) {
  report_.violations.push_back({std::move(rule), std::move(what), std::move(lines)});
}

void RunCheck::see(const HistoryLine& line) {
  const std::string who = line.entry.at("who");
  const std::string what = line.entry.at("what");
  who == "driver" ? see_driver(what, line) : see_client(what, line);
}

void RunCheck::see_trouble(const HistoryLine& line) {
  const bool of_server = line.entry.at("fault") == to_string(FaultKind::server_restart);
  double& last = of_server ? server_trouble_ms_ : clients_[line.entry.at("client").get<std::string>()].trouble_ms;
  last = line.entry.at("t_ms").get<double>();
}

void RunCheck::see_driver(const std::string& what, const HistoryLine& line) {
  const Json& entry = line.entry;
  if (what == "run") {
    begun_ = line.number == 1;
    expected_clients_ = entry.at("clients").get<std::size_t>();
    report_.figures.run = fmt::format("seed {}, {} s, {} clients", entry.at("seed").get<std::uint64_t>(),
                                      entry.at("seconds").get<int>(), expected_clients_);
  } else if (what == "fault") {
    const std::string fault = entry.at("fault");
    ++report_.figures.faults[fault];
    see_trouble(line);
    if (entry.value("holding", false)) ++report_.figures.faults_at_holder[fault];
    if (fault == to_string(FaultKind::kill)) clients_[entry.at("client").get<std::string>()].killed = true;
  } else if (what == "fault_over") {
    see_trouble(line);
  } else if (what == "healed") {
    healed_ = true;
  } else if (what == "left") {
    left_ = true;
    if (!entry.at("nodes").empty()) blame("left_node", "nodes are left", {line});
  } else if (what == "over") {
    over_ = true;
  }
}

void RunCheck::see_client(const std::string& what, const HistoryLine& line) {
  Client& client = clients_[line.entry.at("who").get<std::string>()];
  if (what == "started") {
    client.killed = client.closed = false;
    client.asked.reset();
  } else if (what == "asked") {
    client.asked = line;
  } else if (what == "granted") {
    see_answer(client, line, true);
  } else if (what == "timed_out") {
    ++report_.figures.timed_out;
    if (client.asked && !client.asked->entry.contains("within_ms")) {
      blame("failed_ask", "timed out without a timeout", {*client.asked, line});
    }
    see_answer(client, line, false);
  } else if (what == "failed") {
    blame("failed_ask", "an ask failed", {line});
    see_answer(client, line, false);
  } else if (what == "closed") {
    client.closed = true;
  } else if (what == "ended") {
    see_end(client, line);
  } else if (what == "nonsense") {
    blame("unreadable", "a worker said what the driver did not understand", {line});
  }
}

void RunCheck::see_answer(Client& client, const HistoryLine& line, bool granted) {
  if (!client.asked) return blame("unreadable", "an answer to nothing that was asked", {line});
  const double asked = client.asked->entry.at("at_ms").get<double>();
  const double answered = line.entry.at("at_ms").get<double>();
  const double wait = answered - asked;
  const double calm = answered - std::max({asked, client.trouble_ms, server_trouble_ms_});
  if (granted) {
    ++client.grants;
    if (healed_) ++client.grants_after_healed;
    if (wait > report_.figures.longest_wait_ms) {
      report_.figures.longest_wait_ms = wait;
      report_.figures.longest_wait_line = line.number;
    }
    report_.figures.longest_calm_wait_ms = std::max(report_.figures.longest_calm_wait_ms, calm);
  }
  if (calm > static_cast<double>(options_.longest_wait.count())) {
    blame("starved",
          fmt::format("waited {:.1f} s, {:.1f} s of them with no trouble of its own", wait / 1000, calm / 1000),
          {*client.asked, line});
  }
  client.asked.reset();
}

void RunCheck::see_end(Client& client, const HistoryLine& line) {
  if (client.killed) {
    client.asked.reset();  // nobody is left to be granted
  } else if (line.entry.at("status").get<int>() != 0 || !client.closed) {
    blame("died", "a process ended, and nobody had killed it", {line});
  }
}

void RunCheck::finish() {
  if (!begun_) blame("cut_off", "the first line is not \"run\"");
  if (!over_) blame("cut_off", "no line \"over\"");
  if (!left_) blame("left_node", "no line \"left\": nobody looked");
  for (auto& [name, client] : clients_) {
    if (client.asked) blame("starved", name + " was never answered", {*client.asked});
    if (client.grants_after_healed == 0) blame("starved", name + " was not granted after the last fault");
    if (client.grants == 0) blame("empty_run", name + " was never granted");
  }
  if (clients_.size() != expected_clients_) {
    blame("empty_run", fmt::format("{} clients instead of {}", clients_.size(), expected_clients_));
  }
  const Figures& figures = report_.figures;
  if (figures.grants < options_.least_grants) {
    blame("empty_run", fmt::format("{} grants, fewer than {}", figures.grants, options_.least_grants));
  }
  for (const FaultKind kind : kFaultKinds) {
    const std::string name(to_string(kind));
    if (!figures.faults.contains(name)) blame("empty_run", fmt::format("no fault \"{}\"", name));
  }
  if (figures.late == 0) {
    blame("empty_run", "no late write was attempted");
  } else if (figures.late_refused == 0) {
    blame("empty_run", "no late write was refused");
  }
}

}  // namespace holdfast::testing
