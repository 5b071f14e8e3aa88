#include "race.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace holdfast::testing {

std::string text_for(Token token, std::size_t size) {
  const std::string part = fmt::format("<{}>", token);
  std::string text;
  while (text.size() < size) text += part;
  return text + "end";
}

std::string RaceResult::to_line() const {
  return wrong ? "wrong " + *wrong : fmt::format("{} {} {}", admitted, refused, largest);
}

RaceResult RaceResult::parse(const std::string& line) {
  RaceResult result;
  std::istringstream words(line);
  if (!(words >> result.admitted >> result.refused >> result.largest)) result.wrong = line;
  return result;
}

RaceResult race(Store& store, std::uint32_t seed, std::size_t count) {
  // Wide enough that many are late, narrow enough that many are not.
  constexpr Token kSpread = 40;
  constexpr Token kSignBit = Token{1} << 63;
  std::mt19937 random(seed);
  RaceResult result;
  Content before;
  for (std::size_t i = 0; i < count && !result.wrong; ++i) {
    const Token token = kSignBit - count / 2 + i + random() % kSpread;
    const bool admitted = store.write(token, text_for(token));
    const Content after = store.read().value_or(Content{});
    ++(admitted ? result.admitted : result.refused);
    result.largest = std::max(result.largest, token);
    const auto wrong = [&](const char* what) {
      result.wrong = fmt::format("{}: {} was {}, before {}, after {}", what, token, admitted ? "admitted" : "refused",
                                 before.token, after.token);
    };
    if (after.token < before.token) wrong("it went back");
    if (admitted && (before.token > token || after.token < token)) wrong("a late one was admitted, or overwritten");
    if (!admitted && after.token <= token) wrong("refused without a larger one");
    if (after.text != text_for(after.token)) wrong("half a write");
    before = after;
  }
  return result;
}

}  // namespace holdfast::testing
