#include "base/assert.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>

namespace holdfast::base {
namespace {

// The path from src/ on: where the sources were built is of no use to a reader.
std::string_view in_sources(std::string_view file) {
  const auto from = file.rfind("src/");
  return from == std::string_view::npos ? file : file.substr(from);
}

}  // namespace

// Puts a text together in a buffer of its own, without allocating. What does not fit is left out.
class AssertedText {
 public:
  AssertedText& operator<<(std::string_view text) {
    const auto length = std::min(text.size(), static_cast<std::size_t>(buffer_.end() - end_));
    end_ = std::copy_n(text.begin(), length, end_);
    return *this;
  }
  template <class Number>
  requires std::is_integral_v<Number> AssertedText& operator<<(Number number) { return put(number, 10); }
  void add(const AssertedState& state) {
    switch (state.kind_) {
      case AssertedState::Kind::integer: put(static_cast<std::int64_t>(state.number_), 10); return;
      case AssertedState::Kind::natural: put(state.number_, 10); return;
      case AssertedState::Kind::pointer: (*this << "0x").put(state.number_, 16); return;
      case AssertedState::Kind::text: *this << "\"" << state.text_.substr(0, kLongestText) << "\""; return;
    }
  }
  void write_to(int fd) const {
    const char* from = buffer_.begin();
    while (from != end_) {
      const auto written = ::write(fd, from, static_cast<std::size_t>(end_ - from));
      if (written <= 0) return;
      from += written;
    }
  }

 private:
  static constexpr std::size_t kLongestText = 200;

  template <class Number>
  AssertedText& put(Number number, int base) {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), number, base);
    return *this << std::string_view(digits.begin(), static_cast<std::size_t>(end - digits.begin()));
  }

  std::array<char, 2'048> buffer_;
  char* end_ = buffer_.begin();
};

void violated(const Assertion& assertion, std::initializer_list<AssertedState> state) noexcept {
  AssertedText text;
  text << "holdfast: " << in_sources(assertion.file) << ":" << assertion.line << ": " << assertion.function
       << "(): not true: " << assertion.condition;
  if (state.size() > 0) {
    text << ", with (" << assertion.names << ") = (";
    for (const auto* each = state.begin(); each != state.end(); ++each) {
      if (each != state.begin()) text << ", ";
      text.add(*each);
    }
    text << ")";
  }
  text << "; this is a bug of Holdfast, please report it\n";
  text.write_to(STDERR_FILENO);
  std::abort();
}

}  // namespace holdfast::base
