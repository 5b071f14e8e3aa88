// assert.h -- what must be true whatever clients, disks and networks do, in every build.
//
//   HOLDFAST_ASSERT(size_ > 0, size_, line.size());
//
//   holdfast: src/server/fair_queue.cc:131: take(): not true: size_ > 0, with (size_, line.size()) = (0, 3); this is a bug of
//   Holdfast, please report it
//
// Then the process is aborted: a lock that does not know its state must not go on, and its holds end with its session. Only a bug of
// our own may violate one. What comes from outside (a request, a file, an answer, an argument) is checked, and refused with a sentence.
//
// No condition depends on the current time: a process may be stopped for hours between two lines, and then goes on.
// A condition costs no more than the step it guards: it never walks over a whole table. The state is evaluated only if the condition is false.
// It allocates nothing and takes no lock, so it may be used when memory has run out, in a noexcept function and after fork().
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace holdfast::base {

// A value to print: a number, a bool, an enumerator (as its number), a time (as its count), a pointer, a text.
class AssertedState {
 public:
  template <class T>
  AssertedState(const T& value) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      text_ = value ? "true" : "false";
      kind_ = Kind::text;
    } else if constexpr (std::is_enum_v<T>) {
      *this = AssertedState(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      number_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      kind_ = Kind::integer;
    } else if constexpr (std::is_integral_v<T>) {
      number_ = value;
      kind_ = Kind::natural;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      text_ = value;
      kind_ = Kind::text;
    } else if constexpr (std::is_pointer_v<T>) {
      number_ = reinterpret_cast<std::uintptr_t>(value);
      kind_ = Kind::pointer;
    } else if constexpr (requires { value.time_since_epoch(); }) {
      *this = AssertedState(value.time_since_epoch().count());
    } else {
      *this = AssertedState(value.count());
    }
  }

 private:
  friend class AssertedText;
  enum class Kind : std::uint8_t { integer, natural, pointer, text };
  Kind kind_ = Kind::natural;
  std::uint64_t number_ = 0;
  std::string_view text_{};
};

struct Assertion {
  const char* condition;
  const char* file;
  int line;
  const char* function;
  const char* names;  // of the state
};

// Writes the sentence to stderr, and aborts.
[[noreturn, gnu::cold, gnu::noinline]] void violated(const Assertion& assertion,
                                                     std::initializer_list<AssertedState> state) noexcept;

}  // namespace holdfast::base

#define HOLDFAST_ASSERT(condition, ...) \
  (static_cast<bool>(condition)         \
       ? static_cast<void>(0)           \
       : ::holdfast::base::violated({#condition, __FILE__, __LINE__, __func__, #__VA_ARGS__}, {__VA_ARGS__}))
