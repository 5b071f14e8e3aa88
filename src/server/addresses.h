// addresses.h -- what the clients of each address have, and how many more they may have.
//
// An address may have as many connections, sessions or bytes as it leaves free for others: the first one half of all at most, the next
// half of the rest. Switches share their buffers by this rule (dynamic thresholds), as it needs no number that is right for every
// crowd. What an address has is not taken from it again, but for memory.
//
// Everything happens in the service's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

#include "base/assert.h"
#include "holdfast/engine.h"
#include "server/pace.h"

namespace holdfast::server {

class Account;
struct ClientConnection;

// Of this many failed logins from one address none waits; then there is one attempt in every step, whatever the number of connections.
inline constexpr int kLoginBurst = 20;
inline constexpr std::chrono::milliseconds kLoginStep{250};
// New sessions: a crowd that starts at once does not wait; a client that only opens sessions does.
inline constexpr int kSessionBurst = 20'000;
inline constexpr std::chrono::microseconds kSessionStep{1'000};

using LoginLine = std::list<std::shared_ptr<ClientConnection>>;

struct Address {
  std::string name;  // "10.0.0.1"; "2001:db8:1:2::/64" for all addresses that one client may choose from
  std::size_t connections = 0;
  std::size_t sessions = 0;
  std::size_t bytes = 0;
  std::size_t logins_under_way = 0;
  // Those whose passwords wait to be tried, the first one first. One that goes leaves the line.
  LoginLine waiting_logins{};
  bool looks_at_logins = false;             // once the next may be tried
  std::unordered_set<Account*> accounts{};  // of its connections
  Pace failed_logins{kLoginStep, kLoginBurst};
  Pace new_sessions{kSessionStep, kSessionBurst};
};

class Addresses {
 public:
  explicit Addresses(const EngineLimits& limits)
      : most_(limits.connections), most_per_address_(limits.connections_per_address) {}

  // Lives as long as it is held by a connection or a session, and until its pauses are over.
  std::shared_ptr<Address> find(const std::string& name, engine::Moment now) {
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    auto made = std::make_shared<Address>();
    made->name = name;
    by_name_.emplace(name, made);
    if (by_name_.size() >= 2 * used_) forget_unused(now);
    return made;
  }

  // `free` are left of what all share, and an address has `used`: it may have one more.
  static bool may_have_more(std::size_t used, std::size_t free) { return used < free; }

  // False: there are too many. Otherwise leave() is due.
  bool enter(Address& address) {
    if (!may_have_more(address.connections, most_ - total_)) return false;
    if (most_per_address_ != 0 && address.connections >= most_per_address_) return false;
    ++address.connections;
    ++total_;
    HOLDFAST_ASSERT(total_ <= most_, total_, most_);
    return true;
  }
  void leave(Address& address) {
    HOLDFAST_ASSERT(address.connections > 0 && total_ >= address.connections, address.connections, total_);
    --address.connections;
    --total_;
  }

  // Whose clients use the most memory; none if there are none.
  Address* greediest() const {
    const auto found = std::max_element(by_name_.begin(), by_name_.end(),
                                        [](const auto& a, const auto& b) { return a.second->bytes < b.second->bytes; });
    return found == by_name_.end() ? nullptr : found->second.get();
  }

  std::size_t connections() const noexcept { return total_; }
  std::size_t known() const noexcept { return by_name_.size(); }

 private:
  // Sweeping when the table has doubled costs little for each of them.
  static constexpr std::size_t kLeastSweep = 1'000;

  void forget_unused(engine::Moment now) {
    std::erase_if(by_name_, [&](const auto& entry) {
      const auto& address = entry.second;
      return address.use_count() == 1 && address->failed_logins.rested(now) && address->new_sessions.rested(now);
    });
    used_ = std::max(kLeastSweep, by_name_.size());
  }

  std::size_t most_;
  std::size_t most_per_address_;
  std::size_t total_ = 0;
  std::size_t used_ = kLeastSweep;  // after the last sweep
  // Ordered: clients choose their addresses, and a hash table could be made slow by them.
  std::map<std::string, std::shared_ptr<Address>> by_name_;
};

}  // namespace holdfast::server
