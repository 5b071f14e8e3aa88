#include "cli/view/lock_watcher.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/name.h"
#include "cli/shell/shell.h"

namespace holdfast::cli {
namespace {

using Steady = std::chrono::steady_clock;

// A look everywhere costs two round trips per level of names.
constexpr std::chrono::seconds kPause{1};
// Between looks at what the server has told of: a lock that is taken a thousand times a second is not looked at as often.
constexpr std::chrono::milliseconds kBreath{10};
// More names at once are looked at as all of them.
constexpr std::size_t kMostRoots = 16;
// Looks that are not taken yet, because the reader of our output is slow.
constexpr std::size_t kMostLooks = 100;
// To hear what a service that answers has to tell, and to say goodbye to it, takes milliseconds.
constexpr std::chrono::milliseconds kCatchUp{1'000};
constexpr std::chrono::milliseconds kGoodbye{1'500};

// A node with a backslash may be spelled otherwise than its name (docs/adr/0018); others may not be names of locks at all.
bool is_spelled_as_named(const std::string& queue) {
  return queue.find('\\') == std::string::npos && base::parse_name(queue).has_value();
}

}  // namespace

LockWatcher::LockWatcher(ServiceSettings settings, std::string name)
    : settings_(std::move(settings)), name_(std::move(name)) {
  thread_ = std::thread([this] { run(); });
}

LockWatcher::~LockWatcher() {
  stop();
  if (thread_.joinable()) thread_.join();
}

std::string LockWatcher::full_name(const std::string& name) const {
  std::string prefix = settings_.name_space;
  while (prefix.ends_with('/')) prefix.pop_back();
  while (prefix.starts_with('/')) prefix.erase(0, 1);
  return prefix.empty() || name.empty() ? prefix + name : prefix + "/" + name;
}

// "/app/orders/1/TICKET" is of orders/1 where the name space is app. `everywhere`: something was told of a name that cannot be
// read off its path.
std::vector<NodeSign> LockWatcher::take_signs(bool& everywhere) {
  std::vector<NodeSign> signs;
  if (!events_) return signs;
  const auto before = full_name("").empty() ? std::string("/") : "/" + full_name("") + "/";
  for (auto& event : events_->take()) {
    const auto slash = event.path.rfind('/');
    if (!event.path.starts_with(before) || slash < before.size()) continue;
    auto queue = event.path.substr(before.size(), slash - before.size());
    if (is_spelled_as_named(queue)) {
      signs.push_back({event.at, event.created, std::move(queue), event.path.substr(slash + 1)});
    } else {
      everywhere = true;
    }
  }
  return signs;
}

void LockWatcher::run() {
  std::optional<Client> client;
  Steady::time_point full{};
  bool first = true;
  for (bool last = false;; first = false) {
    const auto begin = Steady::now();
    bool everywhere = begin >= full;
    Look look;
    try {
      if (last && events_) events_->catch_up(kCatchUp);
      // Before the look, which then is of a later time than what was told.
      look.signs = take_signs(everywhere);
      look_around(client, everywhere, look);
    } catch (const std::exception& error) {
      look.trouble = error.what();
      if (first) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
    }
    look.at = std::chrono::system_clock::now();
    const bool failed = look.trouble.has_value();
    post(std::move(look));
    // After it was told: to say goodbye to a service that does not answer takes a while.
    if (failed) client.reset();
    if (everywhere || failed) full = Steady::now() + std::max<Steady::duration>(kPause, Steady::now() - begin);
    if (last) break;
    wait(full);
    const std::lock_guard lock(mutex_);
    if (failure_ || (stopping_ && failed)) break;
    last = stopping_;  // once more, for what was told since
  }
  events_.reset();
  client.reset();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// For what the server tells, at most until `full`.
void LockWatcher::wait(Steady::time_point full) {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return stopping_ || failure_; };
  changed_.wait_until(lock, std::min(full, Steady::now() + kBreath), over);
  changed_.wait_until(lock, full, [&] { return over() || told_; });
  changed_.wait(lock, [&] { return over() || looks_.size() < kMostLooks; });
  told_ = false;
}

void LockWatcher::look_around(std::optional<Client>& client, bool everywhere, Look& look) {
  if (!client) {
    client.emplace(connect_if_served(settings_, {.purpose = "holdfast watch"}));
    everywhere = true;
    // Listens before the first look, so that nothing is missed between the two. A Redis tells its own clients only, of what they wait for.
    if (!events_ && !is_redis(settings_)) {
      events_.emplace(session_options(settings_), "/" + full_name(name_), [this] {
        const std::lock_guard lock(mutex_);
        told_ = true;
        changed_.notify_all();
      });
      events_->wait_for(settings_.connect_timeout);
    }
  }
  std::set<std::string> roots;
  for (const auto& sign : look.signs) {
    // Of a semaphore, the lock is the one above.
    const auto parent = sign.queue.substr(0, std::min(sign.queue.rfind('/'), sign.queue.size()));
    const bool part = sign.queue.ends_with("/leases") || sign.queue.ends_with("/locks");
    roots.insert(part ? parent : sign.queue);
  }
  everywhere = everywhere || roots.size() > kMostRoots;
  if (!name_.empty()) {
    locks_.clear();
    if (auto lock = client->inspect(name_); !lock.tickets.empty()) locks_[name_] = std::move(lock);
  } else if (everywhere) {
    locks_.clear();
    for (auto& lock : client->inspect_all()) locks_[lock.name] = std::move(lock);
  } else {
    for (const auto& root : roots) {
      std::erase_if(locks_, [&](const auto& each) { return each.first == root || each.first.starts_with(root + "/"); });
      for (auto& lock : client->inspect_all(root)) locks_[lock.name] = std::move(lock);
    }
  }
  for (const auto& [name, lock] : locks_) look.locks.push_back(lock);
  look.polling = !events_ || events_->is_unsupported();
}

void LockWatcher::post(Look look) {
  const std::lock_guard lock(mutex_);
  looks_.push_back(std::move(look));
  ready_.set();
}

std::optional<Look> LockWatcher::take() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (looks_.empty()) {
    ready_.clear();
    return std::nullopt;
  }
  auto look = std::move(looks_.front());
  looks_.pop_front();
  changed_.notify_all();
  return look;
}

bool LockWatcher::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, kGoodbye, [this] { return ended_; });
}

}  // namespace holdfast::cli
