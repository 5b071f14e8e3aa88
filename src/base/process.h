// process.h -- which process this is: after fork() it is not the process any more that made an object.
//
// A child that goes on without exec() has copies of all objects and of their descriptors, and one thread. The other threads are gone,
// maybe in the middle of something and with a mutex locked. So the child enters, changes and destroys no object of the parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::base {

// Not the pid: a dead ancestor may have had the same, and both sides of a new namespace may have 1. Takes no lock, makes no system call.
std::uint64_t this_process() noexcept;

// The process in which an object was made.
class Birthplace {
 public:
  bool is_here() const noexcept { return process_ == this_process(); }

 private:
  std::uint64_t process_ = this_process();
};

// Keeps the object reachable, so that a leak checker does not report it, and never touches it again.
void keep_for_ever(const void* object) noexcept;

// As std::make_shared(), but when the last owner is destroyed in a child, the object stays as it is.
template <class T, class... Arguments>
std::shared_ptr<T> make_shared_here(Arguments&&... arguments) {
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...), [made = Birthplace()](T* object) {
    made.is_here() ? delete object : keep_for_ever(object);
  });
}

// A global object that a child does not inherit: it gets a new one. Never destroyed.
template <class T>
class PerProcess {
 public:
  T& get() {
    const auto process = this_process();
    auto* seen = current_.load(std::memory_order_acquire);
    while (seen == nullptr || seen->process != process) {
      auto made = std::make_unique<Entry>();
      made->process = process;
      made->parents = seen;
      if (current_.compare_exchange_strong(seen, made.get())) seen = made.release();
    }
    return seen->object;
  }

 private:
  struct Entry {
    std::uint64_t process = 0;
    Entry* parents = nullptr;  // stays as it is
    T object{};
  };
  std::atomic<Entry*> current_ = nullptr;
};

}  // namespace holdfast::base
