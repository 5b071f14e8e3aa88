// lock_name.h -- names made from arguments: "orders/{0}", "member-{0.id}".
//
// Example:
//
//   const std::string customer = "../admin";
//   auto lock = client.mutex(holdfast::lock_name("customers/{}", customer));  // customers/..%2fadmin
//
// A placeholder {0}, {1} stands for an argument by its number; {}, for the next one. One text has either numbers or none. {0.id} stands for
// what the projection "id" makes of argument 0 (LockSpec::arg). A text has no other braces.
//
// What an argument may be: a string, a character, an integer, bool, an enumeration (its number), and each type with a to_string() in its own
// namespace. Not floating point, of which one number has many spellings.
//
// How it is spelled. An argument never leaves its place in the path, and two different arguments of one text never give the same name:
//
//   letters, digits, - _ . @       as they are; so are all letters and signs beyond ASCII, with emoji
//   every other byte               %2f: / and %, blanks, controls, NUL, invisible characters, bytes that are not UTF-8
//   nothing ("")                   %
//   longer than 128 bytes so far   about 60 bytes of the beginning, then %- and the SHA-256 of the argument
//   a part that no name may have   all bytes of the arguments in it in the way of %2f: "..", "lock-0000000000", "zookeeper"
//
// Between two placeholders stands at least one / or : or another character that no argument has as it is, so that ("a-b", "c") is not taken
// for ("a", "b-c").
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "holdfast/language.h"

namespace holdfast {

namespace declare {

// The argument itself, and no projection of it.
inline constexpr std::size_t kItself = std::numeric_limits<std::size_t>::max();

// Whether a placeholder can be filled in, by the types of the arguments alone.
enum class Fit { yes, no_such_argument, not_for_names };

// The arguments of one call, for what is no template.
struct Arguments {
  Fit (*fit)(std::size_t argument, std::size_t projection);
  // Appends the text of it, spelled as it is. False: a null pointer.
  bool (*append)(const void* call, std::size_t argument, std::size_t projection, std::string& text);
  const void* call;
};

// Throws Error(invalid_argument): the text, or what it asks of the arguments, makes no sense; or the name is longer than a name can be.
std::string format_name(std::string_view text, const Arguments& arguments);

template <class T>
concept HasToString = requires(const T& value) {
  { to_string(value) } -> std::convertible_to<std::string_view>;
};

// What can be a part of a name.
template <class T>
concept NamePart =
    std::convertible_to<const T&, std::string_view> || std::integral<T> || std::is_enum_v<T> || HasToString<T>;

template <NamePart T>
bool append_text(const T& value, std::string& text) {
  if constexpr (std::is_pointer_v<T>) {
    if (value == nullptr) return false;
  }
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    text += static_cast<std::string_view>(value);
  } else if constexpr (HasToString<T>) {
    text += to_string(value);
  } else if constexpr (std::same_as<T, bool>) {
    text += value ? "true" : "false";
  } else if constexpr (std::same_as<T, char>) {
    text += value;
  } else if constexpr (std::is_enum_v<T>) {
    return append_text(+static_cast<std::underlying_type_t<T>>(value), text);
  } else {
    std::array<char, std::numeric_limits<unsigned long long>::digits10 + 3> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), +value).ptr);
  }
  return true;
}

template <class Projection, class T>
concept ProjectsToName = requires(const Projection& projection, const T& value) {
  requires NamePart<std::remove_cvref_t<decltype(std::invoke(projection, value))>>;
};

// One call's arguments and the projections of its specification.
template <class Projections, class... Args>
class CallArguments {
 public:
  CallArguments(const Projections& projections, const Args&... args) : projections_(projections), args_(args...) {}

  Arguments view() const { return {&CallArguments::fit, &CallArguments::append, this}; }

  static Fit fit(std::size_t argument, std::size_t projection) {
    Fit found = Fit::no_such_argument;
    each_index<Args...>([&]<std::size_t I>() {
      if (I == argument) found = fit_of<std::tuple_element_t<I, std::tuple<Args...>>>(projection);
    });
    return found;
  }

 private:
  template <class... Ts, class F>
  static void each_index(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f.template operator()<I>(), ...); }
    (std::index_sequence_for<Ts...>());
  }
  template <class F>
  static void each_projection(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f.template operator()<I>(), ...); }
    (std::make_index_sequence<std::tuple_size_v<Projections>>());
  }

  template <class T>
  static Fit fit_of(std::size_t projection) {
    bool fits = projection == kItself && NamePart<std::remove_cvref_t<T>>;
    each_projection([&]<std::size_t J>() {
      if (J == projection) fits = ProjectsToName<std::tuple_element_t<J, Projections>, T>;
    });
    return fits ? Fit::yes : Fit::not_for_names;
  }

  template <class T>
  static bool append_one(const Projections& projections, const T& value, std::size_t projection, std::string& text) {
    bool appended = false;
    if constexpr (NamePart<std::remove_cvref_t<T>>) {
      if (projection == kItself) appended = append_text(value, text);
    }
    each_projection([&]<std::size_t J>() {
      if constexpr (ProjectsToName<std::tuple_element_t<J, Projections>, T>) {
        if (J == projection) appended = append_text(std::invoke(std::get<J>(projections), value), text);
      }
    });
    return appended;
  }

  static bool append(const void* call, std::size_t argument, std::size_t projection, std::string& text) {
    const auto& self = *static_cast<const CallArguments*>(call);
    bool appended = false;
    each_index<Args...>([&]<std::size_t I>() {
      if (I == argument) appended = append_one(self.projections_, std::get<I>(self.args_), projection, text);
    });
    return appended;
  }

  const Projections& projections_;
  std::tuple<const Args&...> args_;
};

}  // namespace declare

// The name, for Client::mutex() and its like, with_lock() and HOLDFAST_LOCKED. Throws Error(invalid_argument): the text asks for an argument
// that is not there, or cannot be a part of a name; or the name is longer than a name may be (client.h).
template <class... Args>
std::string lock_name(std::string_view text, const Args&... args) {
  const std::tuple<> none;
  const declare::CallArguments<std::tuple<>, Args...> arguments(none, args...);
  return declare::format_name(text, arguments.view());
}

}  // namespace holdfast
