// locks.h -- the lock objects behind the declared locks of one client.
//
// There is one for each name and kind, so that functions that hold the same lock re-enter it; making a new one for every call would make a
// thread wait for itself. Those that differ in their LockOptions are objects of their own, but a thread that holds one of them enters that.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "holdfast/client.h"

namespace holdfast::declare {

// What one call asks for. Complete: nothing is left to settings.
struct Wanted {
  std::vector<std::string> names;
  LockType type = LockType::mutex;
  std::chrono::milliseconds wait{};
  LockOptions options{};
  std::int64_t permits = 0;  // of a semaphore
};

class LockObject {
 public:
  // Throws Error(invalid_argument).
  LockObject(Client& client, const Wanted& wanted);

  // Whether it is what `wanted` asks for: of its kind, and with its options.
  bool is_of_kind(const Wanted& wanted) const;
  bool is(const Wanted& wanted) const;
  bool is_held_by_this_thread() const;

  AcquireResult acquire(const Wanted& wanted, std::stop_token stop);

 private:
  const LockType type_;
  const LockOptions options_;
  const std::int64_t permits_;
  std::variant<Mutex, NonReentrantMutex, SharedMutex, Semaphore, MultiLock> lock_;
};

class Locks {
 public:
  // Of this client; made on its first declared lock. Throws Error if the client cannot be used.
  static std::shared_ptr<Locks> of(Client& client);

  explicit Locks(std::shared_ptr<lock::Core> core);
  ~Locks();

  // Throws Error(forked) in a child of the process that made the client: there nothing else may be called.
  void check_usable() const;
  // What settings say about this name.
  LockSettings settings(const std::string& name);
  // The object to use: that which this thread holds already, or one with these options.
  std::shared_ptr<LockObject> find(const Wanted& wanted);
  std::size_t size();

 private:
  // As many objects are kept that no call uses.
  static constexpr std::size_t kMostIdle = 1024;

  void drop_idle();

  // A second way to the client of the program: does not end its session.
  Client client_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<std::shared_ptr<LockObject>>> objects_;  // by their names
  std::size_t kept_ = 0;
  std::unordered_map<std::string, LockSettings> settings_;
  std::uint64_t settings_version_ = 0;
  std::size_t next_drop_ = kMostIdle;
};

}  // namespace holdfast::declare
