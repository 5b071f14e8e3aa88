#include "worker_lock.h"

#include <stdexcept>
#include <utility>

namespace holdfast::testing {
namespace {

using Timeout = std::optional<std::chrono::milliseconds>;

class ExclusiveLock : public WorkerLock {
 public:
  explicit ExclusiveLock(Mutex mutex) : mutex_(std::move(mutex)) {}

  AcquireResult acquire(Timeout timeout) override {
    return timeout ? mutex_.try_acquire_for(*timeout) : AcquireResult(mutex_.acquire());
  }
  std::error_code release_what_is_not_held() override { return mutex_.release(); }

 private:
  Mutex mutex_;
};

class ReadLock : public WorkerLock {
 public:
  explicit ReadLock(SharedMutex mutex) : mutex_(std::move(mutex)) {}

  AcquireResult acquire(Timeout timeout) override {
    return timeout ? mutex_.try_acquire_shared_for(*timeout) : AcquireResult(mutex_.acquire_shared());
  }
  std::error_code release_what_is_not_held() override { return mutex_.release_shared(); }

 private:
  SharedMutex mutex_;
};

class WriteLock : public WorkerLock {
 public:
  explicit WriteLock(SharedMutex mutex) : mutex_(std::move(mutex)) {}

  AcquireResult acquire(Timeout timeout) override {
    return timeout ? mutex_.try_acquire_for(*timeout) : AcquireResult(mutex_.acquire());
  }
  std::error_code release_what_is_not_held() override { return mutex_.release(); }
  Lease share() override { return mutex_.acquire_shared(); }

 private:
  SharedMutex mutex_;
};

class Permits : public WorkerLock {
 public:
  explicit Permits(Semaphore semaphore, std::optional<SharedCount> count = std::nullopt)
      : semaphore_(std::move(semaphore)), count_(std::move(count)) {}

  AcquireResult acquire(Timeout timeout) override {
    return timeout ? semaphore_.try_acquire_for(*timeout) : AcquireResult(semaphore_.acquire());
  }
  // There is no way to ask for it: permits are given back by their leases only.
  std::error_code release_what_is_not_held() override { return Errc::not_owner; }
  void set_count(std::int32_t permits) override {
    if (count_) {
      count_->set(permits);
    } else {
      WorkerLock::set_count(permits);
    }
  }

 private:
  Semaphore semaphore_;
  std::optional<SharedCount> count_;
};

}  // namespace

std::unique_ptr<WorkerLock> WorkerLock::make(Client& client, const std::string& path, const std::string& kind) {
  const auto colon = kind.find(':');
  const auto word = kind.substr(0, colon);
  const auto argument = colon == std::string::npos ? std::string() : kind.substr(colon + 1);
  if (word == "mutex" || word == "revocable") return std::make_unique<ExclusiveLock>(client.mutex(path));
  if (word == "read") return std::make_unique<ReadLock>(client.shared_mutex(path));
  if (word == "write") return std::make_unique<WriteLock>(client.shared_mutex(path));
  if (word == "semaphore") return std::make_unique<Permits>(client.semaphore(path, std::stoi(argument)));
  if (word == "semaphore-shared-count") {
    auto count = client.shared_count(argument, 1);
    auto semaphore = client.semaphore(path, count);
    return std::make_unique<Permits>(std::move(semaphore), std::move(count));
  }
  throw std::invalid_argument("unknown kind " + kind);
}

Lease WorkerLock::share() { throw std::invalid_argument("this kind has no read side"); }
void WorkerLock::set_count(std::int32_t) { throw std::invalid_argument("this kind has no shared count"); }

}  // namespace holdfast::testing
