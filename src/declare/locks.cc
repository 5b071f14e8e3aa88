#include "declare/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/process.h"
#include "lock/core.h"
#include "lock/unusable.h"

namespace holdfast::declare {
namespace {

// Both sides of a SharedMutex are one kind.
LockType kind_of(LockType type) { return type == LockType::read ? LockType::write : type; }

using Any = std::variant<Mutex, NonReentrantMutex, SharedMutex, Semaphore, MultiLock>;

Any make(Client& client, const Wanted& wanted) {
  const auto& name = wanted.names.front();
  switch (wanted.type) {
    case LockType::mutex: return Any(client.mutex(name, wanted.options));
    case LockType::non_reentrant: return Any(client.non_reentrant_mutex(name, wanted.options));
    case LockType::read:
    case LockType::write: return Any(client.shared_mutex(name, wanted.options));
    case LockType::semaphore: return Any(client.semaphore(name, wanted.permits, wanted.options));
    case LockType::multi: break;
  }
  std::vector<LockItem> items;
  for (const auto& each : wanted.names) items.push_back({each});
  return Any(client.multi_lock(std::move(items), wanted.options));
}

bool are_alike(const LockOptions& one, const LockOptions& other) {
  return one.min_hold == other.min_hold && one.max_hold == other.max_hold && one.lock_delay == other.lock_delay &&
         one.purpose == other.purpose;
}

}  // namespace

LockObject::LockObject(Client& client, const Wanted& wanted)
    : type_(kind_of(wanted.type)), options_(wanted.options), permits_(wanted.permits), lock_(make(client, wanted)) {}

bool LockObject::is_of_kind(const Wanted& wanted) const { return type_ == kind_of(wanted.type); }

bool LockObject::is(const Wanted& wanted) const {
  return is_of_kind(wanted) && are_alike(options_, wanted.options) && permits_ == wanted.permits;
}

bool LockObject::is_held_by_this_thread() const {
  return std::visit(
      [](const auto& lock) {
        using Lock = std::remove_cvref_t<decltype(lock)>;
        if constexpr (std::is_same_v<Lock, SharedMutex>) {
          return lock.is_held_by_this_thread() || lock.is_shared_by_this_thread();
        } else if constexpr (std::is_same_v<Lock, Mutex> || std::is_same_v<Lock, MultiLock>) {
          return lock.is_held_by_this_thread();
        } else {
          return false;  // belongs to no thread
        }
      },
      lock_);
}

AcquireResult LockObject::acquire(const Wanted& wanted, std::stop_token stop) {
  return std::visit(
      [&](auto& lock) -> AcquireResult {
        using Lock = std::remove_cvref_t<decltype(lock)>;
        if constexpr (std::is_same_v<Lock, Semaphore>) {
          return lock.try_acquire_for(wanted.wait, 1, std::move(stop));
        } else if constexpr (std::is_same_v<Lock, SharedMutex>) {
          return wanted.type == LockType::read ? lock.try_acquire_shared_for(wanted.wait, std::move(stop))
                                               : lock.try_acquire_for(wanted.wait, std::move(stop));
        } else {
          return lock.try_acquire_for(wanted.wait, std::move(stop));
        }
      },
      lock_);
}

std::shared_ptr<Locks> Locks::of(Client& client) {
  lock::check_usable(client.core_.get());
  auto locks = std::atomic_load(&client.declared_);
  if (locks) return locks;
  auto made = base::make_shared_here<Locks>(client.core_);
  return std::atomic_compare_exchange_strong(&client.declared_, &locks, made) ? made : locks;
}

Locks::Locks(std::shared_ptr<lock::Core> core) : client_(std::move(core)) {}
Locks::~Locks() { client_.core_.reset(); }

void Locks::check_usable() const { lock::check_usable(client_.core_.get()); }

LockSettings Locks::settings(const std::string& name) {
  const auto& rules = client_.core_->options().locks;
  if (!rules) return {};
  const std::lock_guard lock(mutex_);
  // Asked for first: rules that are replaced meanwhile are asked again by the next call.
  const auto version = rules->version();
  if (version != settings_version_ || settings_.size() >= kMostIdle) settings_.clear();
  settings_version_ = version;
  const auto known = settings_.find(name);
  return known != settings_.end() ? known->second : settings_.emplace(name, rules->find(name)).first->second;
}

std::shared_ptr<LockObject> Locks::find(const Wanted& wanted) {
  // No name has a line break.
  const auto names = fmt::format("{}", fmt::join(wanted.names, "\n"));
  const std::lock_guard lock(mutex_);
  const auto known = objects_.find(names);
  if (known != objects_.end()) {
    auto& objects = known->second;
    const auto same = std::find_if(objects.begin(), objects.end(), [&](const auto& each) { return each->is(wanted); });
    if (same != objects.end() && objects.size() == 1) return *same;
    const auto held = std::find_if(objects.begin(), objects.end(), [&](const auto& each) {
      return each->is_of_kind(wanted) && each->is_held_by_this_thread();
    });
    if (held != objects.end()) return *held;
    if (same != objects.end()) return *same;
  }
  auto made = std::make_shared<LockObject>(client_, wanted);
  if (kept_ >= next_drop_) drop_idle();
  objects_[names].push_back(made);
  ++kept_;
  return made;
}

std::size_t Locks::size() {
  const std::lock_guard lock(mutex_);
  return kept_;
}

// An object in use has another owner: the calls that hold it, or wait for it.
void Locks::drop_idle() {
  kept_ = 0;
  for (auto name = objects_.begin(); name != objects_.end();) {
    std::erase_if(name->second, [](const auto& each) { return each.use_count() == 1; });
    kept_ += name->second.size();
    name = name->second.empty() ? objects_.erase(name) : std::next(name);
  }
  next_drop_ = kept_ + kMostIdle;
}

}  // namespace holdfast::declare
