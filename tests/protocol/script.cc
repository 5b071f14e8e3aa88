#include "script.h"

#include <fmt/format.h>

#include "dice.h"
#include "request_maker.h"
#include "vocabulary.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kLongestPipeline = 8;

std::string_view to_string(Identity identity) {
  switch (identity) {
    case Identity::fresh: return "a new session";
    case Identity::own: return "resume";
    case Identity::wrong_password: return "resume with a wrong password, then with the right one";
    case Identity::unknown: return "resume an unknown session";
    case Identity::ahead: return "connect from the future";
    case Identity::malformed: return "a malformed handshake";
  }
  return "?";
}

Step handshake(Dice& dice, std::size_t slot) {
  static const std::vector<Identity> identities{Identity::fresh,   Identity::fresh, Identity::own,
                                                Identity::own,     Identity::own,   Identity::wrong_password,
                                                Identity::unknown, Identity::ahead, Identity::malformed};
  // Answered as asked for, below the least and above the most. The real ones are long: nobody may expire meanwhile.
  static const std::vector<std::int32_t> timeouts{30'000, 30'001, 59'999, 60'000, 60'001, INT32_MAX};
  static const std::vector<std::optional<bool>> read_only{false, false, true, std::nullopt};
  Step step{
      .slot = slot, .identity = dice.of(identities), .timeout = dice.of(timeouts), .read_only = dice.of(read_only)};
  if (step.identity == Identity::malformed) {
    step.handshake_bytes = Handshake{}.bytes();
    step.handshake_bytes.resize(dice.roll(28));  // somewhere before the password
  }
  step.text = fmt::format("{}, timeout {}, read-only flag {}", to_string(step.identity), step.timeout,
                          step.read_only ? (*step.read_only ? "set" : "clear") : "missing");
  return step;
}

}  // namespace

void describe(Step& step) {
  if (step.calls.empty()) return;
  step.text.clear();
  for (const Call& call : step.calls) step.text += (step.text.empty() ? "" : "\n      ") + call.text;
}

std::vector<Step> make_script(const ScriptOptions& options) {
  Dice dice(options.seed * 2 + (options.pipelined ? 1 : 0));
  std::vector<Step> script;
  script.push_back({.slot = 0, .calls = {create_root()}});
  while (script.size() < options.steps) {
    const std::size_t slot = dice.roll(kSlots);
    if (dice.one_in(25)) {
      script.push_back(handshake(dice, slot));
      continue;
    }
    Step step{.slot = slot};
    if (options.pipelined) {
      for (std::size_t count = 1 + dice.roll(kLongestPipeline); count > 0; --count)
        step.calls.push_back(pipelined_call(dice));
      // Identities and lists of permissions change between pipelines.
      if (dice.one_in(3)) step.calls = {any_call(dice)};
    } else {
      step.calls.push_back(any_call(dice));
    }
    script.push_back(std::move(step));
  }
  for (Step& step : script) describe(step);
  return script;
}

}  // namespace holdfast::testing
