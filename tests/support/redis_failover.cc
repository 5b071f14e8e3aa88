#include "redis_failover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "eventually.h"

namespace holdfast::testing {
namespace {

// What a Sentinel says of a master: name, value, name, value ...
std::string field(const std::vector<std::string>& fields, std::string_view name) {
  const auto found = std::find(fields.begin(), fields.end(), name);
  return found == fields.end() || found + 1 == fields.end() ? std::string() : *(found + 1);
}

}  // namespace

RedisFailover::RedisFailover(RedisFailoverOptions options) {
  for (std::size_t i = 0; i <= options.replicas; ++i) {
    auto lines = options.config_lines;
    // A test cuts the link and wants it back soon.
    lines.insert(lines.end(), {"repl-diskless-sync-delay 0", "repl-timeout 5", "repl-ping-replica-period 1"});
    if (i > 0) lines.push_back(fmt::format("replicaof 127.0.0.1 {}", known_port(0)));
    servers_.push_back(std::make_unique<RedisServer>(RedisOptions{.config_lines = std::move(lines)}));
    if (i == 0 && options.relayed) relay_ = std::make_unique<TcpRelay>(servers_[0]->port());
  }
  for (std::size_t i = 0; i < options.sentinels; ++i) {
    sentinels_.push_back(std::make_unique<RedisServer>(RedisOptions{
        .sentinel = true,
        .config_lines = {
            fmt::format("sentinel monitor {} 127.0.0.1 {} {}", kMaster, known_port(0), options.sentinels / 2 + 1),
            fmt::format("sentinel down-after-milliseconds {} {}", kMaster, options.down_after.count()),
            fmt::format("sentinel failover-timeout {} 5000", kMaster)}}));
  }
  wait_until_watched();
}

std::uint16_t RedisFailover::known_port(std::size_t server) const {
  return server == 0 && relay_ ? relay_->port() : servers_.at(server)->port();
}

std::string RedisFailover::sentinel_addresses() const {
  std::string all;
  for (const auto& each : sentinels_) all += (all.empty() ? "" : ",") + each->address();
  return all;
}

std::string RedisFailover::url() const { return fmt::format("redis+sentinel://{}/{}", sentinel_addresses(), kMaster); }

std::size_t RedisFailover::master(std::size_t sentinel) const {
  const auto address =
      texts_of(sentinels_.at(sentinel)->ask(fmt::format("SENTINEL GET-MASTER-ADDR-BY-NAME {}", kMaster)));
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (address.size() == 2 && address[1] == std::to_string(known_port(i))) return i;
  }
  throw std::runtime_error(
      fmt::format("the Sentinel names a server that is none of ours: {}", fmt::join(address, " ")));
}

std::size_t RedisFailover::fail_over() {
  const auto former = master();
  // Refused until the Sentinel has heard enough of a replica.
  const bool begun = eventually(kFailoverTimeout, [&] {
    return sentinels_[0]->ask(fmt::format("SENTINEL FAILOVER {}", kMaster)).starts_with("+OK");
  });
  if (!begun) throw std::runtime_error("the Sentinel does not fail over; its log ends:\n" + sentinels_[0]->log_tail());
  return wait_for_master_other_than(former);
}

std::size_t RedisFailover::wait_for_master_other_than(std::size_t former) const {
  std::size_t found = former;
  const auto agreed = [&] {
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
      if (!sentinels_[i]->up()) continue;
      const auto named = master(i);
      if (named == former || (found != former && named != found)) return false;
      found = named;
    }
    return found != former && servers_[found]->ask("ROLE").find("master") != std::string::npos;
  };
  const bool elected = eventually(kFailoverTimeout, [&] {
    found = former;
    return agreed();
  });
  if (!elected)
    throw std::runtime_error("the Sentinels made no other master; the log of one ends:\n" +
                             sentinels_.front()->log_tail());
  return found;
}

void RedisFailover::wait_until_watched() const {
  const auto watched = [&](const RedisServer& sentinel) {
    const auto fields = texts_of(sentinel.ask(fmt::format("SENTINEL MASTER {}", kMaster)));
    return field(fields, "num-slaves") == std::to_string(servers_.size() - 1) &&
           field(fields, "num-other-sentinels") == std::to_string(sentinels_.size() - 1) &&
           field(fields, "flags") == "master";
  };
  const bool ready = eventually(kFailoverTimeout, [&] {
    return std::all_of(sentinels_.begin(), sentinels_.end(), [&](const auto& each) { return watched(*each); });
  });
  if (!ready)
    throw std::runtime_error("the Sentinels do not find each other; the log of one ends:\n" +
                             sentinels_.front()->log_tail());
}

}  // namespace holdfast::testing
