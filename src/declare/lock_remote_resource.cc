#include "holdfast/lock_remote_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <vector>

#include "base/assert.h"
#include "base/process.h"
#include "base/text.h"
#include "holdfast/client.h"

namespace holdfast {

namespace {

// In a child of fork() the mutex may be locked for ever.
Error forked() {
  return {Errc::forked, "these locks belong to the process that called fork(); connect a new client in the child"};
}

}  // namespace

// One lock object for each name. Those that are in use are never forgotten; of the others the one that was used least recently is, when
// there is no room.
struct LockRemoteResource::Cache {
  struct Hold {
    std::string value;
    Lease lease;
  };
  struct Entry {
    Entry(std::string of, NonReentrantMutex lock) : name(std::move(of)), mutex(std::move(lock)) {}

    const std::string name;
    NonReentrantMutex mutex;
    std::size_t calls = 0;    // that wait for it right now
    std::vector<Hold> holds;  // one, and those that were lost before it and not released
    std::list<Entry*>::iterator idle;
    bool is_idle = false;

    bool is_in_use() const {
      return calls > 0 ||
             std::any_of(holds.begin(), holds.end(), [](const Hold& hold) { return hold.lease.is_held(); });
    }
  };

  explicit Cache(std::size_t at_most) : most(at_most) {}

  const base::Birthplace made;
  const std::size_t most;
  mutable std::mutex mutex;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries;  // these two are guarded by mutex
  std::list<Entry*> idle;                                              // the one used least recently first

  // With the mutex from here on. What is taken out is destroyed by the caller, without the mutex: that runs handlers.
  using Dropped = std::vector<std::unique_ptr<Entry>>;

  Entry* find(std::string_view name) {
    const auto found = entries.find(name);
    return found == entries.end() ? nullptr : found->second.get();
  }
  void use(Entry& entry) {
    ++entry.calls;
    if (std::exchange(entry.is_idle, false)) idle.erase(entry.idle);
  }
  // A call is over, or a hold: if it was the last, the entry may go.
  void rest(Entry& entry) {
    if (entry.calls > 0 || !entry.holds.empty() || entry.is_idle) return;
    entry.idle = idle.insert(idle.end(), &entry);
    entry.is_idle = true;
  }
  bool make_room(Dropped& dropped) {
    if (entries.size() < most) return true;
    Entry* victim = idle.empty() ? nullptr : idle.front();
    if (victim != nullptr) {
      idle.pop_front();
    } else {
      // A hold that was lost, and that its owner has forgotten.
      const auto lost =
          std::find_if(entries.begin(), entries.end(), [](const auto& each) { return !each.second->is_in_use(); });
      if (lost == entries.end()) return false;
      victim = lost->second.get();
    }
    const auto place = entries.find(victim->name);
    dropped.push_back(std::move(place->second));
    entries.erase(place);
    return true;
  }
};

LockRemoteResource::LockRemoteResource(Client& client, std::size_t most)
    : client_(client), cache_(std::make_unique<Cache>(most)) {
  if (most == 0) throw Error(Errc::invalid_argument, "a remote resource with room for 0 names; give it 1 or more");
}

LockRemoteResource::~LockRemoteResource() = default;

LockRemoteResource::Result LockRemoteResource::try_acquire_until(std::string_view name, std::string_view value,
                                                                 Clock::time_point deadline, std::stop_token stop) {
  std::error_code code;
  try {
    if (!cache_->made.is_here()) throw forked();
    return acquire(name, value, deadline, std::move(stop));
  } catch (const std::system_error& error) {
    if (error.code()) code = error.code();
    return thrown(code, error.what(), std::current_exception());
  } catch (const std::exception& error) {
    return thrown(code, error.what(), std::current_exception());
  } catch (...) {
    return thrown(code, "a handler threw an exception that is no std::exception", std::current_exception());
  }
}

LockRemoteResource::Result LockRemoteResource::thrown(std::error_code code, std::string message,
                                                      std::exception_ptr what) {
  Result result;
  result.type_ = FailureType::exception;
  result.error_ = code ? code : make_error_code(Errc::refused);
  result.message_ = std::move(message);
  result.exception_ = std::move(what);
  return result;
}

LockRemoteResource::Result LockRemoteResource::acquire(std::string_view name, std::string_view value,
                                                       Clock::time_point deadline, std::stop_token stop) {
  if (value.empty() || value.size() > kLongestValue) {
    throw Error(Errc::invalid_argument,
                fmt::format("a value of {} bytes; it must have between 1 and {}", value.size(), kLongestValue));
  }
  const auto key = std::string(name.starts_with('/') ? name.substr(1) : name);
  // Destroyed after the mutex was given back.
  Cache::Dropped dropped;
  std::vector<Cache::Hold> forgotten;
  Cache::Entry* entry = nullptr;
  {
    const std::lock_guard lock(cache_->mutex);
    entry = cache_->find(key);
    if (entry != nullptr) cache_->use(*entry);
  }
  if (entry == nullptr) {
    auto mutex = client_.non_reentrant_mutex(key);  // throws if it is not a name
    const std::lock_guard lock(cache_->mutex);
    entry = cache_->find(key);
    if (entry == nullptr) {
      if (!cache_->make_room(dropped)) {
        Result full;
        full.type_ = FailureType::custom;
        full.error_ = Errc::refused;
        full.message_ = fmt::format("{} names are in use, and there is room for no more; {} was not asked for",
                                    cache_->most, base::printable(key));
        return full;
      }
      entry = cache_->entries.emplace(key, std::make_unique<Cache::Entry>(key, std::move(mutex))).first->second.get();
    }
    cache_->use(*entry);
  }
  // Whatever happens, the call ends.
  struct Use {
    ~Use() {
      const std::lock_guard lock(cache.mutex);
      HOLDFAST_ASSERT(entry.calls > 0);
      --entry.calls;
      cache.rest(entry);
    }
    Cache& cache;
    Cache::Entry& entry;
  } const use{*cache_, *entry};

  auto acquired = entry->mutex.try_acquire_until(deadline, std::move(stop));
  Result result;
  if (acquired) {
    result.token_ = acquired.lease().token();
    result.lost_ = acquired.lease().lost();
    Cache::Hold hold{std::string(value), std::move(acquired).lease()};
    const std::lock_guard lock(cache_->mutex);
    entry->holds.reserve(entry->holds.size() + 1);
    // Of holds before this one only lost ones can be there.
    forgotten.swap(entry->holds);
    entry->holds.push_back(std::move(hold));
    return result;
  }
  result.error_ = acquired.error();
  result.message_ = acquired.message();
  if (result.error_ == Errc::timed_out) {
    result.type_ = FailureType::time_out;
  } else if (result.error_ == Errc::refused || result.error_.category() != error_category()) {
    result.type_ = FailureType::custom;
  } else {
    result.type_ = FailureType::exception;
    result.exception_ = std::make_exception_ptr(Error(result.error_, result.message_));
  }
  return result;
}

std::error_code LockRemoteResource::release(std::string_view name, std::string_view value) noexcept {
  if (!cache_->made.is_here()) return Errc::forked;
  if (name.starts_with('/')) name.remove_prefix(1);
  Lease lease;
  {
    const std::lock_guard lock(cache_->mutex);
    auto* entry = cache_->find(name);
    if (entry == nullptr) return Errc::not_owner;
    const auto hold = std::find_if(entry->holds.begin(), entry->holds.end(),
                                   [&](const Cache::Hold& each) { return each.value == value; });
    if (hold == entry->holds.end()) return Errc::not_owner;
    lease = std::move(hold->lease);
    entry->holds.erase(hold);
    cache_->rest(*entry);
  }
  return lease.release();
}

bool LockRemoteResource::is_held(std::string_view name, std::string_view value) const {
  if (name.starts_with('/')) name.remove_prefix(1);
  const std::lock_guard lock(cache_->mutex);
  const auto* entry = cache_->find(name);
  return entry != nullptr && std::any_of(entry->holds.begin(), entry->holds.end(), [&](const Cache::Hold& each) {
           return each.value == value && each.lease.is_held();
         });
}

std::size_t LockRemoteResource::held() const {
  const std::lock_guard lock(cache_->mutex);
  return static_cast<std::size_t>(std::count_if(cache_->entries.begin(), cache_->entries.end(), [](const auto& each) {
    const auto& holds = each.second->holds;
    return std::any_of(holds.begin(), holds.end(), [](const Cache::Hold& hold) { return hold.lease.is_held(); });
  }));
}

std::size_t LockRemoteResource::cached() const {
  const std::lock_guard lock(cache_->mutex);
  return cache_->entries.size();
}

}  // namespace holdfast
