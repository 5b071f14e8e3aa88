// recorder.h -- a handler that writes down what it is told, and throws where a test wants it.
#pragma once

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"

namespace holdfast::testing {

// What all recorders of a test have been told, in order.
class Notes {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(what));
  }
  // And forgets it.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_, {});
  }
  std::vector<std::string> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> told_;
};

using Told = std::vector<std::string>;

class Recorder : public LockHandler {
 public:
  enum class Throws { never, before_acquire, after_acquire, before_release, after_release, when_lost };

  Recorder(std::string name, Notes& notes, Throws throws = Throws::never)
      : name_(std::move(name)), notes_(notes), throws_(throws) {}

  AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next) override {
    note("acquire " + request.name());
    throw_if(Throws::before_acquire);
    auto outcome = next(request);
    note(outcome ? "acquired" : "not acquired");
    throw_if(Throws::after_acquire);
    return outcome;
  }
  void release(const HeldLock& held, const ReleaseNext& next) override {
    note("release " + held.name());
    throw_if(Throws::before_release);
    note(next() ? "was lost" : "released");
    throw_if(Throws::after_release);
  }
  void on_lost(const HeldLock& held) override {
    note("lost " + held.name());
    throw_if(Throws::when_lost);
  }
  void on_error(const LockRequest& request, std::exception_ptr) override { note("error " + request.name()); }

 private:
  void note(const std::string& what) { notes_.add(name_ + ": " + what); }
  void throw_if(Throws here) const {
    if (throws_ == here) throw std::runtime_error("thrown by " + name_);
  }

  const std::string name_;
  Notes& notes_;
  const Throws throws_;
};

}  // namespace holdfast::testing
