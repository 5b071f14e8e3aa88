#include "writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace holdfast::testing::crash {

using asking::Answer;
using asking::SessionClient;

namespace {

// The server lives for less than this however often it is killed: a session with it never expires.
constexpr std::chrono::milliseconds kLong{60'000};
// Shorter than most lives, so that sessions expire under load too.
constexpr std::chrono::milliseconds kShort{40};
constexpr std::size_t kBurst = 6;
// Of a directory; small, so that all of it is looked at after every crash.
constexpr std::size_t kNodes = 40;
constexpr std::size_t kGuestNodes = 3;

}  // namespace

void Life::acknowledged() {
  {
    const std::lock_guard lock(mutex_);
    ++acknowledged_;
  }
  changed_.notify_all();
}

bool Life::wait_for(std::size_t acknowledged, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return acknowledged_ >= acknowledged; });
}

std::size_t Life::count() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

Writer::Writer(std::size_t number, std::uint64_t seed)
    : own_(fmt::format("/crash/w{}", number)), guests_(fmt::format("/crash/x{}", number)), dice_(seed) {
  who_.timeout = kLong;
}

void Writer::settle_down(SessionClient& client) {
  for (const auto& path : {own_, guests_}) {
    if (!client.call(asking::create(path)).ok()) throw std::runtime_error("cannot create " + path);
  }
  ledger_.sent({Create{own_ + "/counter", "0"}});
  const auto made = client.call(asking::create(own_ + "/counter", "0"));
  if (!made.ok()) throw std::runtime_error("cannot create a counter");
  ledger_.acknowledged(made.zxid);
}

void Writer::run(std::uint16_t port, Life& life) {
  try {
    for (bool more = true; more;) {  // a session each; all end with the server
      who_.last_zxid = zxid_;
      SessionClient client(port, who_);
      if (!enter(client, life)) return;
      if (!client.accepted()) continue;
      bool alive = true;
      while ((alive = burst(client, life)) && !dice_.one_in(40)) {
        if (dice_.one_in(20)) visit(port, life);
      }
      more = alive && end_session(client, life);
    }
  } catch (const std::system_error&) {  // nobody listens
    if (!life.ending()) complaints_.push_back(own_ + ": the server is gone");
  }
}

// False: there is nobody to talk to. A session that is not accepted any more is given up.
bool Writer::enter(SessionClient& client, const Life& life) {
  const bool may_be_closed = std::exchange(closing_, false);
  if (!client.greeting()) {
    closing_ = may_be_closed;
    if (!life.ending()) complaints_.push_back(fmt::format("{}: turned away without a word", own_));
    return false;
  }
  if (!client.accepted()) {
    if (!may_be_closed) complaints_.push_back(fmt::format("{}: session {:#x} was not resumed", own_, who_.session));
    who_ = {.timeout = kLong};
    return may_be_closed;
  }
  if (who_.session != 0) ++resumed_;
  who_ = client.who();
  return true;
}

// Several writes at once, then their answers. False if the connection ended.
bool Writer::burst(SessionClient& client, Life& life) {
  std::vector<Errand> errands;
  for (auto left = 1 + dice_.roll(kBurst); left > 0; --left) {
    errands.push_back(invent());
    ledger_.sent(errands.back().write);
    client.send(errands.back().ask);
  }
  for (const auto& errand : errands) {
    const auto answer = client.receive();
    if (!answer.came()) {
      if (!life.ending()) complaints_.push_back(own_ + ": the connection ended");
      return false;
    }
    acknowledged(answer, errand, life);
  }
  return true;
}

void Writer::acknowledged(const Answer& answer, const Errand& errand, Life& life) {
  const auto err = errand.ask.op == Op::multi && answer.ok() ? asking::parse_multi_error(answer.body) : answer.err;
  if (err != 0) {
    complaints_.push_back(fmt::format("{}: {} was refused: {}", own_, to_string(errand.ask.op), err));
  }
  if (!errand.path.empty() && err == 0 && asking::parse_path(answer.body) != errand.path) {
    complaints_.push_back(fmt::format("{} was created instead of {}", asking::parse_path(answer.body), errand.path));
  }
  ledger_.acknowledged(answer.zxid);
  zxid_ = std::max(zxid_, answer.zxid);
  life.acknowledged();
}

// False if the connection ended: then nobody knows whether the session did.
bool Writer::end_session(SessionClient& client, Life& life) {
  closing_ = true;
  ledger_.sent({EndSession{client.session()}});
  const auto answer = client.call(asking::close_session());
  if (!answer.came()) return false;
  acknowledged(answer, {asking::close_session(), {}}, life);
  closing_ = false;
  who_ = {.timeout = kLong};
  return true;
}

// A session that passes by: it is closed in good order, or nobody cares for it any more.
void Writer::visit(std::uint16_t port, Life& life) {
  SessionClient guest(port, {.last_zxid = zxid_, .timeout = kShort});
  if (!guest.accepted()) return;
  for (auto left = 1 + dice_.roll(kGuestNodes); left > 0; --left) {
    const auto path = fmt::format("{}/{:x}-{}", guests_, guest.session(), unique());
    passing_.sent(guest.session(), path);
    const auto answer = guest.call(asking::create(path, "", asking::kEphemeral));
    zxid_ = std::max(zxid_, guest.zxid());
    if (!answer.ok()) return;  // it may be late for its timeout: a starved machine
    passing_.acknowledged(guest.session(), path);
    life.acknowledged();
  }
  if (dice_.one_in(2)) return;
  if (!guest.call(asking::close_session()).ok()) return;
  passing_.closed(guest.session());
  life.acknowledged();
}

Writer::Errand Writer::create(const std::string& path, const std::string& data, std::int32_t flags,
                              std::int64_t owner) {
  auto final_path = path;
  if (flags == asking::kSequential) final_path += fmt::format("{:010}", ledger_.ahead().creations);
  return {asking::create(path, data, flags), {Create{final_path, data, owner}}, final_path};
}

Writer::Errand Writer::pair() {
  const auto path = own_ + "/p-" + unique();
  const auto counter = own_ + "/counter";
  const auto value = unique();
  return {asking::multi({asking::create(path + "-a", value), asking::create(path + "-b", value),
                         asking::set_data(counter, value)}),
          {Create{path + "-a", value}, Create{path + "-b", value}, Set{counter, value}}};
}

Writer::Errand Writer::invent() {
  const auto& nodes = ledger_.ahead().nodes;
  const auto kind = nodes.size() > kNodes ? 9 : dice_.roll(10);
  if (kind < 3) return create(own_ + "/n-", "node " + unique(), asking::kSequential, 0);
  if (kind < 5) return create(own_ + "/e-" + unique(), "mine", asking::kEphemeral, who_.session);
  if (kind < 7) return pair();
  if (kind < 9 || nodes.size() < 2) {
    const auto value = unique();
    return {asking::set_data(own_ + "/counter", value), {Set{own_ + "/counter", value}}};
  }
  auto victim = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(dice_.roll(nodes.size())));
  if (victim->first == own_ + "/counter") victim = victim == nodes.begin() ? std::next(victim) : std::prev(victim);
  return {asking::remove(victim->first), {Remove{victim->first}}};
}

std::vector<std::string> Writer::check(SessionClient& client) {
  auto complaints = std::exchange(complaints_, {});
  const auto add = [&](const std::vector<std::string>& more) {
    complaints.insert(complaints.end(), more.begin(), more.end());
  };
  add(ledger_.check(asking::read_directory(client, own_)));
  zxid_ = std::max(zxid_, ledger_.zxid());
  // One read, as sessions may expire between two.
  const auto listing = client.call(asking::get_children2(guests_));
  if (!listing.ok()) throw std::runtime_error("cannot list " + guests_);
  std::set<std::string> there;
  for (const auto& name : asking::parse_children2(listing.body).names) there.insert(guests_ + '/' + name);
  add(passing_.check(there));
  return complaints;
}

}  // namespace holdfast::testing::crash
