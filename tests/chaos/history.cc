#include "history.h"

#include <chrono>
#include <stdexcept>

namespace holdfast::testing {

double ms_between(Clock::time_point start, Clock::time_point when) {
  return static_cast<double>(std::chrono::floor<std::chrono::microseconds>(when - start).count()) / 1000.0;
}

History::History(const std::filesystem::path& file, Clock::time_point start) : start_(start), file_(file) {
  if (!file_) throw std::runtime_error("cannot write " + file.string());
}

void History::add(const std::string& who, const Json& entry) {
  const std::lock_guard lock(guard_);
  Json line{{"t_ms", ms_between(start_, Clock::now())}, {"who", who}};
  line.update(entry);
  file_ << line.dump() << std::endl;  // flushed: a driver that dies leaves all it saw
}

std::vector<HistoryLine> read_history(std::istream& from) {
  std::vector<HistoryLine> lines;
  for (std::string text; std::getline(from, text);) {
    Json entry = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object()) entry = nullptr;
    lines.push_back({.number = lines.size() + 1, .text = text, .entry = std::move(entry)});
  }
  return lines;
}

}  // namespace holdfast::testing
