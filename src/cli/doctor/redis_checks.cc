#include "cli/doctor/redis_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/redis/make_backend.h"
#include "base/text.h"
#include "cli/doctor/redis_probe.h"
#include "cli/doctor/times.h"
#include "holdfast/error.h"
#include "redis/greeting.h"
#include "redis/refusal.h"

namespace holdfast::cli::doctor {
namespace {

using std::chrono::milliseconds;

constexpr const char* kRights =
    "give the user the rights that docs/backends/redis.md names, or log in as another (--auth FILE)";

// What INFO says: "name:value" in lines.
class Info {
 public:
  explicit Info(std::string text) : text_("\n" + std::move(text)) {}
  // Empty: it does not say.
  std::string find(std::string_view name) const {
    const auto line = fmt::format("\n{}:", name);
    const auto at = text_.find(line);
    if (at == std::string::npos) return {};
    const auto begin = at + line.size();
    return base::printable(std::string_view(text_).substr(begin, text_.find_first_of("\r\n", begin) - begin));
  }
  long number(std::string_view name) const {
    const auto text = find(name);
    long value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

 private:
  std::string text_;
};

struct Look {
  std::optional<ProbeFailure> failure{};
  bool replica = false;
  std::string found{};  // "10.0.0.1:6379 is reached in 0.08 ms, redis 7.0.15, master"
  std::optional<Info> info{};
  std::vector<Clock::duration> pings{};
};

// Two clauses of a refusal: what is wrong, and what to do.
ProbeFailure failure_of(const std::string& server, const std::string& why) {
  const auto end = std::min(why.find("; "), why.size());
  return {fmt::format("{}: {}", server, why.substr(0, end)),
          end < why.size() ? why.substr(end + 2) : "its log says why"};
}

Look look_at(const net::ServerAddress& server, net::ClientTls* tls, const redis::Client::Options& login,
             milliseconds timeout) {
  Look look;
  const auto name = server.text();
  const auto deadline = [&] { return deadline_after(timeout); };
  auto probe = RedisProbe::connect(server, tls, deadline());
  const auto failed = [&](ProbeFailure failure) {
    look.failure = std::move(failure);
    return look;
  };
  if (!probe) return failed(probe.error());
  resp::Command hello{"HELLO", "3"};
  if (!login.password.empty()) {
    hello.insert(hello.end(), {"AUTH", login.user.empty() ? "default" : login.user, login.password});
  }
  const auto greeted = probe->ask(hello, deadline());
  if (!greeted) return failed(greeted.error());
  if (greeted->is_error()) return failed(failure_of(name, redis::refusal_of(*greeted, "HELLO").why));
  const auto greeting = redis::greeting_of(*greeted);
  if (!greeting) return failed({name + " is not a Redis", "correct the address (--url)"});
  look.found = fmt::format("{} is reached in {}, {} {}, {}", name, in_ms(probe->connected_in()),
                           base::printable(greeting->server), base::printable(greeting->version),
                           base::printable(greeting->role));
  if (const auto refusal = redis::refusal_of(*greeting)) {
    look.replica = !refusal->final;
    return failed(failure_of(name, refusal->why));
  }
  const auto info = probe->ask({"INFO"}, deadline());
  if (!info) return failed(info.error());
  if (info->is_error()) return failed({fmt::format("{} does not let this user ask for INFO", name), kRights});
  look.info.emplace(info->text);
  for (int i = 0; i < kPings; ++i) {
    const auto start = Clock::now();
    const auto answer = probe->ask({"PING"}, deadline());
    if (!answer || answer->is_error()) break;  // the lock itself will tell
    look.pings.push_back(Clock::now() - start);
  }
  return look;
}

void report_eviction(const Info& info, Findings& findings) {
  const auto limit = info.find("maxmemory_human");
  const auto policy = info.find("maxmemory_policy");
  if (info.number("maxmemory") == 0) {
    findings.push_back(
        {"eviction", State::ok, "there is no limit for its memory (maxmemory 0), so nothing is thrown away"});
  } else if (policy.starts_with("allkeys")) {
    findings.push_back(
        {"eviction", State::wrong,
         fmt::format("with more than {} it throws away any key, locks too (maxmemory-policy {})", limit, policy),
         "set maxmemory-policy to noeviction or volatile-lru"});
  } else {
    findings.push_back({"eviction", State::ok,
                        fmt::format("locks stay when its memory of {} is full (maxmemory-policy {})", limit, policy)});
  }
}

void report_persistence(const Info& info, Findings& findings) {
  if (info.find("aof_enabled") == "1") {
    const bool fails = info.find("aof_last_write_status") == "err";
    findings.push_back({"persistence", fails ? State::wrong : State::ok,
                        fails ? "it cannot write its append-only file" : "it keeps an append-only file",
                        fails ? "look at its disk and its log" : ""});
    return;
  }
  // A client that comes first after a restart without data cannot know that there were others.
  findings.push_back(
      {"persistence", State::warning,
       "it keeps no append-only file: after a restart a new client may be given a lock while its holder, "
       "until its next heartbeat, believes that it still has it",
       "set appendonly yes"});
}

void report_replication(const Info& info, Findings& findings) {
  const auto replicas = info.number("connected_slaves");
  if (replicas == 0) return;
  // Only said if min-replicas-to-write and min-replicas-max-lag are set.
  if (!info.find("min_slaves_good_slaves").empty()) {
    findings.push_back({"replication", State::ok,
                        fmt::format("{} replica{}, without which it takes no writes (min-replicas-to-write)", replicas,
                                    replicas == 1 ? "" : "s")});
    return;
  }
  findings.push_back(
      {"replication", State::warning,
       fmt::format("{} replica{}, but it goes on without them: after a failover that does not reach it, two "
                   "clients may hold one lock",
                   replicas, replicas == 1 ? "" : "s"),
       "with two replicas or more, set min-replicas-to-write 1, and min-replicas-max-lag to less than a failover "
       "takes"});
}

// What a Sentinel says of the master, by name.
std::string field(const resp::Value& value, std::string_view name) {
  for (std::size_t at = 0; at + 1 < value.items.size(); at += 2) {
    if (value.items[at].text == name) return value.items[at + 1].text;
  }
  return {};
}

// The master, by the Sentinel with the highest configuration epoch.
net::ServerAddresses ask_sentinels(const redis::Address& address, const redis::Client::Options& login,
                                   net::ClientTls* tls, milliseconds timeout, Findings& findings) {
  constexpr std::size_t kFewest = 3;
  std::optional<net::ServerAddress> master;
  long best = -1;
  std::size_t known = 0;
  for (const auto& sentinel : address.servers) {
    const auto failed = [&](const ProbeFailure& failure) {
      findings.push_back({"sentinel", State::warning, failure.message, failure.fix});
    };
    auto probe = RedisProbe::connect(sentinel, tls, deadline_after(timeout));
    if (!probe) {
      failed(probe.error());
      continue;
    }
    if (!login.sentinel_password.empty()) {
      (void)probe->ask({"AUTH", login.sentinel_user.empty() ? "default" : login.sentinel_user, login.sentinel_password},
                       deadline_after(timeout));  // the next answer says whether that was right
    }
    const auto answer = probe->ask({"SENTINEL", "MASTER", address.master}, deadline_after(timeout));
    if (!answer) {
      failed(answer.error());
      continue;
    }
    if (answer->is_error()) {
      failed({fmt::format("{}: {}", sentinel.text(), base::printable(answer->text, 100)),
              "correct the name of the master (--url), or the login (sentinel_auth in the configuration file)"});
      continue;
    }
    // In the course of a failover the answer to the first has the old address for longer.
    const auto where = probe->ask({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", address.master}, deadline_after(timeout));
    if (!where || where->items.size() != 2) {
      failed(where ? ProbeFailure{sentinel.text() + " does not say where the master is", "its log says why"}
                   : where.error());
      continue;
    }
    const net::ServerAddress named{where->items[0].text, where->items[1].text};
    findings.push_back({"sentinel", State::ok,
                        fmt::format("{} is reached in {}: the master {} is at {}", sentinel.text(),
                                    in_ms(probe->connected_in()), base::printable(address.master), named.text())});
    long epoch = 0;
    const auto text = field(*answer, "config-epoch");
    (void)std::from_chars(text.data(), text.data() + text.size(), epoch);
    known = std::max<std::size_t>(known, std::strtoul(field(*answer, "num-other-sentinels").c_str(), nullptr, 10) + 1);
    if (epoch <= best) continue;
    best = epoch;
    master = named;
  }
  if (known > 0 && known < kFewest) {
    findings.push_back({"sentinel", State::warning,
                        fmt::format("there {} {} Sentinel{}", known == 1 ? "is" : "are", known, known == 1 ? "" : "s"),
                        "run at least 3 on machines that do not fail together: more than half of them decide"});
  }
  return master ? net::ServerAddresses{*master} : net::ServerAddresses{};
}

}  // namespace

bool check_redis(const ServiceSettings& settings, Findings& findings) {
  const auto address = redis::parse_address(settings.url).value();  // the settings were checked
  redis::Client::Options login;
  try {
    login = redis::client_options(address, redis::merged(settings.redis, address), settings.connect_timeout);
  } catch (const Error& error) {
    findings.push_back({"settings", State::wrong, error.what(), "correct that and ask again"});
    return false;
  }
  std::optional<net::ClientTls> tls;
  if (address.tls) {
    tls.emplace(settings.tls);
    if (const auto usable = tls->connect("localhost"); !usable) {
      findings.push_back(
          {kServerCheck, State::wrong, usable.error(), "correct the files of TLS (--tls-ca, --tls-cert, --tls-key)"});
      return false;
    }
  }
  auto* by_tls = tls ? &*tls : nullptr;
  const auto servers = address.master.empty()
                           ? address.servers
                           : ask_sentinels(address, login, by_tls, settings.connect_timeout, findings);
  std::vector<Look> looks;
  for (const auto& server : servers) looks.push_back(look_at(server, by_tls, login, settings.connect_timeout));
  const auto master = std::find_if(looks.begin(), looks.end(), [](const Look& look) { return !look.failure; });
  for (const auto& look : looks) {
    const bool wrong = master == looks.end();
    if (!look.failure) {
      findings.push_back({kServerCheck, State::ok, look.found});
    } else if (look.replica && !wrong) {
      findings.push_back({kServerCheck, State::ok, look.found});
    } else {
      findings.push_back(
          {kServerCheck, wrong ? State::wrong : State::warning, look.failure->message, look.failure->fix});
    }
  }
  if (master == looks.end()) return false;
  report_eviction(*master->info, findings);
  report_persistence(*master->info, findings);
  report_replication(*master->info, findings);
  report_latency(master->pings, settings.session_timeout, findings);
  return true;
}

}  // namespace holdfast::cli::doctor
