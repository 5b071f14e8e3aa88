#include "resp/reader.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace holdfast::resp {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::size_t kVerbatimFormat = 4;  // "txt:"

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Value> Reader::next() {
  std::optional<Value> done;
  while (!done && trouble_.empty() && step(done)) {
  }
  if (!done) {
    // Erased once for many values, not with each of them.
    bytes_.erase(0, at_);
    searched_ -= std::min(searched_, at_);
    at_ = 0;
  }
  return done;
}

bool Reader::step(std::optional<Value>& done) {
  if (text_size_) return read_text(done);
  searched_ = std::max(searched_, at_);
  const auto end = bytes_.find(kEnd, searched_);
  if (end == std::string::npos) {
    // The next search begins at a \r that may be the last byte.
    searched_ = std::max(at_, bytes_.empty() ? 0 : bytes_.size() - 1);
    if (bytes_.size() - at_ > kMostLine + 1) return broken("a line does not end");  // the \r may be there already
    return false;
  }
  const auto line = std::string_view(bytes_).substr(at_, end - at_);
  if (line.empty()) return broken("there is a line without a type");
  if (line.size() > kMostLine) return broken("a line is too long");
  const bool going_on = begin(line.front(), line.substr(1), done);
  at_ = end + kEnd.size();
  return going_on;
}

bool Reader::begin(char sign, std::string_view line, std::optional<Value>& done) {
  const auto count = number(line);
  switch (sign) {
    case '+':
    case ',':
    case '(': complete({.type = Value::Type::text, .text = std::string(line)}, done); return true;
    case '-': complete({.type = Value::Type::error, .text = std::string(line)}, done); return true;
    case '_': complete({}, done); return true;
    case '#':
      if (line != "t" && line != "f") return broken("a truth value is neither true nor false");
      complete({.type = Value::Type::integer, .integer = line == "t" ? 1 : 0}, done);
      return true;
    case ':':
      if (!count) return broken("a number is not one");
      complete({.type = Value::Type::integer, .integer = *count}, done);
      return true;
    case '$':
    case '!':
    case '=':
      if (count && *count == -1 && sign == '$') {
        complete({}, done);
        return true;
      }
      if (!count || *count < 0 || *count > static_cast<std::int64_t>(kMostText))
        return broken("the length of a text is wrong");
      text_size_ = static_cast<std::size_t>(*count);
      text_is_error_ = sign == '!';
      text_is_verbatim_ = sign == '=';
      return true;
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
      if (!count) return broken("the length of a list is wrong");
      return begin_list(sign, *count, done);
    default: return broken(fmt::format("there is no type 0x{:02x}", static_cast<unsigned char>(sign)));
  }
}

bool Reader::begin_list(char sign, std::int64_t count, std::optional<Value>& done) {
  if (count == -1 && sign == '*') {
    complete({}, done);
    return true;
  }
  if (count < 0 || count > kMostItems) return broken("the length of a list is wrong");
  if (open_.size() == kMostDepth) return broken("there are too many lists in each other");
  const bool pairs = sign == '%' || sign == '|';
  const auto type = sign == '>' ? Value::Type::push : Value::Type::list;
  Open open{.value = {.type = type}, .missing = pairs ? 2 * count : count, .ignored = sign == '|'};
  if (open.missing == 0) {
    if (!open.ignored) complete(std::move(open.value), done);
    return true;
  }
  open_.push_back(std::move(open));
  return true;
}

bool Reader::read_text(std::optional<Value>& done) {
  if (bytes_.size() - at_ < *text_size_ + kEnd.size()) return false;
  const auto text = std::string_view(bytes_).substr(at_, *text_size_);
  if (std::string_view(bytes_).substr(at_ + text.size(), kEnd.size()) != kEnd) return broken("a text does not end");
  const bool with_format = text_is_verbatim_ && text.size() >= kVerbatimFormat;
  Value value{.type = text_is_error_ ? Value::Type::error : Value::Type::text,
              .text = std::string(with_format ? text.substr(kVerbatimFormat) : text)};
  at_ += text.size() + kEnd.size();
  text_size_.reset();
  complete(std::move(value), done);
  return true;
}

void Reader::complete(Value value, std::optional<Value>& done) {
  while (!open_.empty()) {
    auto& open = open_.back();
    open.value.items.push_back(std::move(value));
    if (--open.missing > 0) return;
    value = std::move(open.value);
    const bool ignored = open.ignored;
    open_.pop_back();
    if (ignored) return;
  }
  done = std::move(value);
}

bool Reader::broken(std::string why) {
  trouble_ = std::move(why);
  open_.clear();
  bytes_.clear();
  at_ = searched_ = 0;
  text_size_.reset();
  return false;
}

}  // namespace holdfast::resp
