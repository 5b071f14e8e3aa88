// reader.h -- makes values of bytes, which come in pieces of any size.
//
//              next()
//   reading    a value that is complete, or nothing; -> broken if the bytes are not RESP
//   broken     nothing
//
// Every byte is looked at once: an answer in many pieces costs as much as in one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resp/value.h"

namespace holdfast::resp {

class Reader {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  std::optional<Value> next();
  // Why the bytes are not RESP; empty as long as they are.
  const std::string& trouble() const { return trouble_; }

  // Limits that no answer to a lock passes: the length of a text and of a line, items of a list, lists in lists.
  static constexpr std::size_t kMostText = 64u << 20;
  static constexpr std::size_t kMostLine = 64u << 10;
  static constexpr std::int64_t kMostItems = 1 << 20;
  static constexpr std::size_t kMostDepth = 16;

 private:
  // A list that has begun.
  struct Open {
    Value value;
    std::int64_t missing = 0;
    bool ignored = false;  // an attribute: not a part of any answer
  };

  // The next part that is complete: a text, a number, or the beginning of a list.
  bool step(std::optional<Value>& done);
  bool read_text(std::optional<Value>& done);
  bool begin(char sign, std::string_view line, std::optional<Value>& done);
  bool begin_list(char sign, std::int64_t count, std::optional<Value>& done);
  // A value is complete: adds it to the list that it belongs to, which may be complete then, too. True, with `done`, if it is in none.
  void complete(Value value, std::optional<Value>& done);
  bool broken(std::string why);

  std::string bytes_;
  std::size_t at_ = 0;                    // of bytes_: what comes next
  std::size_t searched_ = 0;              // of bytes_: no line ends before it
  std::optional<std::size_t> text_size_;  // of a text that has begun
  bool text_is_error_ = false;
  bool text_is_verbatim_ = false;
  std::vector<Open> open_;
  std::string trouble_;
};

}  // namespace holdfast::resp
