// process.h -- which process this is: not the one any more that made an object, if that one has called fork() since.
//
// A child that goes on without exec() has copies of all objects, of the descriptors in them, and one thread: the others are gone,
// maybe in the middle of something and with a mutex locked. So nothing of the parent's is entered, changed or destroyed there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::base {

// Not the pid, which can be that of a dead ancestor, or 1 on both sides of a new namespace. Takes no lock and makes no system call.
std::uint64_t this_process() noexcept;

// Where an object was made.
class Birthplace {
 public:
  bool is_here() const noexcept { return process_ == this_process(); }

 private:
  std::uint64_t process_ = this_process();
};

// Keeps what it points to reachable, so that a search for leaks does not find it, and never touches it again.
void keep_for_ever(const void* object) noexcept;

// As std::make_shared(). When the last owner goes in a child, the object stays as it is.
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
