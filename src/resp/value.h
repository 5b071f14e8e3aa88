// value.h -- what a server of Redis' protocol (RESP3) says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::resp {

struct Value {
  enum class Type {
    null,
    text,     // simple or not; also a number that is not whole, and one that is too large
    error,    // `text` is its code and its words: "WRONGTYPE Operation against ..."
    integer,  // also a truth value: 0 or 1
    list,     // also a set, and a map as key, value, key, value ...
    push,     // not an answer: the server sends it on its own
  };

  Type type = Type::null;
  std::string text{};
  std::int64_t integer = 0;
  std::vector<Value> items{};

  bool is_error() const { return type == Type::error; }
  // The first word of an error: "NOSCRIPT".
  std::string_view code() const {
    return is_error() ? std::string_view(text).substr(0, text.find(' ')) : std::string_view();
  }
  bool operator==(const Value&) const = default;
};

}  // namespace holdfast::resp
