#include "settings/lock_keys.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "base/name_pattern.h"
#include "settings/duration.h"
#include "settings/keyed_map.h"

namespace holdfast::settings {
namespace {

using std::chrono::milliseconds;
using Kind = Form::Kind;

// As for LockOptions: a year.
constexpr Range<milliseconds> kHolds{milliseconds(0), std::chrono::hours(24 * 366)};
constexpr Range<milliseconds> kHandOvers{milliseconds(0), kLongestTimeout};
constexpr Range<std::size_t> kHandOverCounts{0, 1'000'000'000};
constexpr Range<std::size_t> kPermits{1, std::numeric_limits<std::int32_t>::max()};

template <typename Field>
LockKey time(std::string_view key, std::string_view about, Field field, Range<milliseconds> range = kHolds) {
  const Form form{.kind = Kind::time, .times = range};
  return {key, form, about, [=](LockSettings& settings, const std::string& text) -> Parsed<void> {
            const auto parsed = parse_time(form, text);
            if (!parsed) return tl::unexpected(parsed.error());
            field(settings) = *parsed;
            return {};
          }};
}

template <typename Set>
LockKey count(std::string_view key, std::string_view about, Set set, Range<std::size_t> range) {
  const Form form{.kind = Kind::count, .counts = range};
  return {key, form, about, [=](LockSettings& settings, const std::string& text) -> Parsed<void> {
            const auto parsed = parse_count(form, text);
            if (!parsed) return tl::unexpected(parsed.error());
            set(settings, *parsed);
            return {};
          }};
}

LockKey lock_type() {
  Form form{.kind = Kind::word};
  for (const auto type : {LockType::mutex, LockType::non_reentrant, LockType::read, LockType::write,
                          LockType::semaphore, LockType::multi}) {
    form.words.push_back(to_string(type));
  }
  return {"type", form, "Which kind of lock a declared lock is",
          [form](LockSettings& settings, const std::string& text) -> Parsed<void> {
            const auto index = parse_word(form, text);
            if (!index) return tl::unexpected(index.error());
            settings.type = static_cast<LockType>(*index);
            return {};
          }};
}

std::vector<LockKey> make_keys() {
  return {
      lock_type(),
      time(
          "wait", "How long a declared lock is waited for", [](auto& s) -> auto& { return s.wait; }),
      time(
          "min_hold", "No other client gets the name sooner than this after it was granted",
          [](auto& s) -> auto& { return s.min_hold; }),
      time(
          "max_hold", "A hold ends by itself after this long; 0s: never", [](auto& s) -> auto& { return s.max_hold; }),
      time(
          "lock_delay", "How much longer the successor of a holder that died waits",
          [](auto& s) -> auto& { return s.lock_delay; }),
      count(
          "hand_over.count", "How often the threads of one client may hand the name over among themselves",
          [](LockSettings& s, std::size_t n) { s.hand_over.count = static_cast<unsigned>(n); }, kHandOverCounts),
      time(
          "hand_over.time", "And for how long", [](auto& s) -> auto& { return s.hand_over.time; }, kHandOvers),
      time(
          "hand_over.keep", "How long a ticket is kept that no thread uses and no rival wants; 0s: not at all",
          [](auto& s) -> auto& { return s.hand_over.keep; }, kHandOvers),
      time(
          "slow_hold", "A hold that lasts longer is reported; 0s: never", [](auto& s) -> auto& { return s.slow_hold; }),
      count(
          "permits", "How many a declared semaphore has",
          [](LockSettings& s, std::size_t n) { s.permits = static_cast<std::int64_t>(n); }, kPermits),
  };
}

// What each value makes sense for by itself, but not with another of the same pattern.
Parsed<void> check_together(const YamlSetting& pattern, const LockSettings& settings,
                            const std::map<std::string_view, const YamlSetting*>& said) {
  const auto wrong = [&](std::string_view key, std::string_view what) {
    return said.at(key)->wrong_value(fmt::format("{} of {} {}", said.at(key)->name, in_quotes(pattern.name), what));
  };
  if (settings.min_hold && settings.max_hold && settings.max_hold->count() > 0 &&
      *settings.min_hold > *settings.max_hold) {
    return wrong("min_hold", fmt::format("is {}, longer than its {} of {}", show_duration(*settings.min_hold),
                                         said.at("max_hold")->name, show_duration(*settings.max_hold)));
  }
  if (!settings.type) return {};
  const auto type = *settings.type;
  if (settings.permits && type != LockType::semaphore) {
    return wrong("permits", fmt::format("is for type: semaphore; a {} lock has none", to_string(type)));
  }
  const bool never_delayed = type == LockType::semaphore || type == LockType::multi;
  if (never_delayed && settings.lock_delay && settings.lock_delay->count() > 0) {
    return wrong("lock_delay", fmt::format("is not for type: {}, which has no lock delay", to_string(type)));
  }
  return {};
}

Parsed<LockSettings> read_lock(const YamlSetting& pattern) {
  if (const auto parsed = base::NamePattern::parse(pattern.name); !parsed) return pattern.wrong(parsed.error());
  KeyedMap map;
  for (const auto& key : lock_keys()) map.keys.push_back(key.key);
  if (pattern.kind != YamlSetting::Kind::map) {
    const auto what = fmt::format("{} takes settings of locks, such as {{max_hold: 1m}}", in_quotes(pattern.name));
    return pattern.kind == YamlSetting::Kind::nothing ? pattern.wrong(what) : pattern.wrong_value(what);
  }
  LockSettings settings;
  std::map<std::string_view, const YamlSetting*> said;
  map.found = [&](const YamlSetting& setting, std::string_view key, const std::string& text) -> Parsed<void> {
    if (const auto [first, is_new] = said.emplace(key, &setting); !is_new) {
      return setting.wrong(fmt::format("{} is there twice, the first time in line {}", key, first->second->place.line));
    }
    for (const auto& each : lock_keys()) {
      if (each.key != key) continue;
      if (auto assigned = each.assign(settings, text); !assigned) {
        return setting.wrong_value(fmt::format("{} is {}: {}", setting.name, in_quotes(text), assigned.error()));
      }
    }
    return {};
  };
  if (auto walked = walk(pattern.settings, map); !walked) return tl::unexpected(walked.error());
  if (auto checked = check_together(pattern, settings, said); !checked) return tl::unexpected(checked.error());
  return settings;
}

}  // namespace

const std::vector<LockKey>& lock_keys() {
  static const auto keys = make_keys();
  return keys;
}

Parsed<std::vector<LockRules::Rule>> read_locks(const YamlSetting& locks) {
  std::vector<LockRules::Rule> rules;
  if (locks.kind == YamlSetting::Kind::nothing) return rules;  // all of them are commented out
  if (locks.kind != YamlSetting::Kind::map) {
    return locks.wrong_value("locks is a map of patterns of names, such as orders/*: {max_hold: 1m}");
  }
  if (locks.settings.size() > LockRules::kMost) {
    return locks.wrong(
        fmt::format("there are {} patterns of names; at most {} are allowed", locks.settings.size(), LockRules::kMost));
  }
  for (const auto& pattern : locks.settings) {
    auto settings = read_lock(pattern);
    if (!settings) return tl::unexpected(settings.error());
    rules.push_back({pattern.name, *std::move(settings)});
  }
  return rules;
}

}  // namespace holdfast::settings
