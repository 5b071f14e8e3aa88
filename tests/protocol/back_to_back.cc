#include "back_to_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "player.h"

namespace holdfast::testing {
namespace {

// Enough for a script of some hundred steps; the rest can be done by eye.
constexpr int kShrinkPlays = 200;

std::string without_numbers(const std::string& text) {
  std::string out;
  bool rank = false;
  for (const char c : text) {
    rank = c == '#' || (rank && std::isdigit(static_cast<unsigned char>(c)) != 0);
    if (!rank || c == '#') out += c;
  }
  const std::size_t xid = out.find("xid ");
  const std::size_t zxid = out.find(" zxid");
  if (xid != std::string::npos && zxid != std::string::npos && zxid > xid) out.erase(xid, zxid - xid + 1);
  return out;
}

std::string kind_of(const Step& step, const StepRecord& left, const StepRecord& right) {
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const auto& ours = left.received[slot];
    const auto& theirs = right.received[slot];
    for (std::size_t line = 0; line < std::max(ours.size(), theirs.size()); ++line) {
      const std::string a = line < ours.size() ? ours[line] : "nothing";
      const std::string b = line < theirs.size() ? theirs[line] : "nothing";
      if (a != b)
        return fmt::format("{}\n   <{}\n   >{}", step.text.substr(0, 300), without_numbers(a), without_numbers(b));
    }
  }
  return "?";
}

}  // namespace

std::optional<BackToBack::Found> BackToBack::play(const std::vector<Step>& script) {
  const std::size_t number = ++plays_;
  Found found;
  found.left = Player(left_, number).play(script);
  found.right = Player(right_, number).play(script);
  const std::optional<std::size_t> step = first_difference(found.left, found.right);
  if (!step) return std::nullopt;
  found.step = *step;
  return found;
}

void BackToBack::shrink(std::vector<Step>& script, Found& found) {
  int plays = 0;
  const auto keep_if_different = [&](const std::vector<Step>& shorter) {
    ++plays;
    std::optional<Found> again = play(shorter);
    if (!again) return false;
    script = shorter;
    found = std::move(*again);
    return true;
  };
  if (found.step < script.size()) script.resize(found.step + 1);
  for (std::size_t length = script.size() / 2; length > 0; length /= 2) {
    for (std::size_t begin = 1; begin + length < script.size() && plays < kShrinkPlays;) {
      std::vector<Step> shorter = script;
      const auto first = shorter.begin() + static_cast<std::ptrdiff_t>(begin);
      shorter.erase(first, first + static_cast<std::ptrdiff_t>(length));
      if (!keep_if_different(shorter)) begin += length;
    }
  }
  for (std::size_t step = 1; step < script.size(); ++step) {
    for (std::size_t call = 0;
         script[step].calls.size() > 1 && call < script[step].calls.size() && plays < kShrinkPlays;) {
      std::vector<Step> shorter = script;
      auto& calls = shorter[step].calls;
      calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(call));
      describe(shorter[step]);
      if (!keep_if_different(shorter)) ++call;
    }
  }
}

std::optional<Difference> BackToBack::run(const ScriptOptions& options) {
  std::vector<Step> script = make_script(options);
  std::optional<Found> found = play(script);
  if (!found) return std::nullopt;
  shrink(script, *found);
  Difference difference{.options = options};
  difference.text =
      fmt::format("Seed {}, {} steps{}: ", options.seed, options.steps, options.pipelined ? ", pipelined" : "") +
      difference_text(script, found->left, found->right, found->step);
  difference.kind = found->step < script.size()
                        ? kind_of(script[found->step], found->left.steps[found->step], found->right.steps[found->step])
                        : "the end of the sessions";
  return difference;
}

}  // namespace holdfast::testing
