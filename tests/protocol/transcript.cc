#include "transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::testing {
namespace {

constexpr std::size_t kStepsShown = 20;

// Calls `see(kind, number)` for every mark, and replaces it by what that returns.
template <typename See>
void replace_marks(std::string& text, See see) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find(kMarkBegin, at);
    if (begin == std::string::npos) {
      out += text.substr(at);
      break;
    }
    const std::size_t end = text.find(kMarkEnd, begin);
    out += text.substr(at, begin - at);
    out += see(text[begin + 1], std::stoll(text.substr(begin + 2, end - begin - 2)));
    at = end + 1;
  }
  text = std::move(out);
}

template <typename See>
void for_all_marks(std::vector<StepRecord>& steps, See see) {
  for (StepRecord& step : steps) {
    for (auto& lines : step.received) {
      for (std::string& line : lines) replace_marks(line, see);
    }
  }
}

std::string record_text(const StepRecord& record) {
  std::string text;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (const std::string& line : record.received[slot]) text += fmt::format("    {}: {}\n", slot, line);
  }
  return text;
}

}  // namespace

void Transcript::settle() {
  std::set<std::int64_t> zxids;
  std::map<std::int64_t, std::size_t> sessions;
  std::vector<StepRecord> copy = steps;
  for_all_marks(copy, [&](char kind, std::int64_t number) {
    if (kind == 'z') zxids.insert(number);
    if (kind == 's') sessions.emplace(number, sessions.size() + 1);
    return std::string();
  });
  std::map<std::int64_t, std::size_t> ranks;
  for (const std::int64_t zxid : zxids) ranks.emplace(zxid, ranks.size() + 1);
  for_all_marks(steps, [&](char kind, std::int64_t number) {
    return kind == 'z' ? fmt::format("#{}", ranks.at(number)) : fmt::format("session {}", sessions.at(number));
  });
}

std::optional<std::size_t> first_difference(const Transcript& left, const Transcript& right) {
  const std::size_t common = std::min(left.steps.size(), right.steps.size());
  for (std::size_t step = 0; step < common; ++step) {
    if (left.steps[step] != right.steps[step]) return step;
  }
  if (left.steps.size() != right.steps.size()) return common;
  return std::nullopt;
}

std::string difference_text(const std::vector<Step>& script, const Transcript& left, const Transcript& right,
                            std::size_t step) {
  std::string text = fmt::format("They differ in step {} of {}.\n", step, script.size());
  for (std::size_t at = step < kStepsShown ? 0 : step - kStepsShown; at < script.size() && at <= step; ++at) {
    text += fmt::format("{} {:4} [{}] {}\n", at == step ? ">" : " ", at, script[at].slot, script[at].text);
    if (at < step && at < left.steps.size()) text += record_text(left.steps[at]);
  }
  text += "  the left one:\n" + (step < left.steps.size() ? record_text(left.steps[step]) : "    had ended\n");
  text += "  the right one:\n" + (step < right.steps.size() ? record_text(right.steps[step]) : "    had ended\n");
  return text;
}

}  // namespace holdfast::testing
