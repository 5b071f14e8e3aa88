#include "cli/demo/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::cli::demo {
namespace {

constexpr std::array<std::string_view, 7> kWords{"ready", "granted", "holding", "write", "released", "lost", "failed"};

std::string_view next_word(std::string_view& rest) {
  const auto word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

template <typename Number>
bool read(std::string_view& rest, Number& number) {
  const auto word = next_word(rest);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

}  // namespace

std::string to_line(const WorkerLine& line) {
  auto text = fmt::format("{} {} {} {} {}", kWords[static_cast<std::size_t>(line.says)], line.token,
                          line.at.time_since_epoch().count(), line.valid_until.time_since_epoch().count(), line.reason);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + "\n";
}

std::optional<WorkerLine> parse_worker_line(std::string_view text) {
  WorkerLine line;
  const auto word = std::find(kWords.begin(), kWords.end(), next_word(text));
  Clock::rep at = 0;
  Clock::rep valid_until = 0;
  if (word == kWords.end() || !read(text, line.token) || !read(text, at) || !read(text, valid_until)) return {};
  line.says = static_cast<Says>(word - kWords.begin());
  line.at = Clock::time_point(Clock::duration(at));
  line.valid_until = Clock::time_point(Clock::duration(valid_until));
  line.reason = text;
  return line;
}

}  // namespace holdfast::cli::demo
