#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/name.h"
#include "base/name_pattern.h"
#include "base/text.h"
#include "holdfast/error.h"
#include "holdfast/lock_settings.h"
#include "lock/options.h"

namespace holdfast {

std::string_view to_string(LockType type) noexcept {
  switch (type) {
    case LockType::mutex: return "mutex";
    case LockType::non_reentrant: return "non-reentrant";
    case LockType::read: return "read";
    case LockType::write: return "write";
    case LockType::semaphore: return "semaphore";
    case LockType::multi: return "multi";
  }
  return "unknown";
}

struct LockRules::Table {
  explicit Table(std::vector<Rule> given);

  std::vector<Rule> rules;  // as they were given
  // From the least specific on; those that are alike as they were given.
  std::vector<std::pair<base::NamePattern, const LockSettings*>> rising;
};

namespace {

void check(const LockSettings& settings) {
  lock::checked_options({.min_hold = settings.min_hold.value_or(std::chrono::milliseconds(0)),
                         .max_hold = settings.max_hold.value_or(std::chrono::milliseconds(0)),
                         .lock_delay = settings.lock_delay.value_or(std::chrono::milliseconds(0))});
  if (settings.wait) lock::check_hold_time("wait", *settings.wait);
  if (settings.slow_hold) lock::check_hold_time("slow hold", *settings.slow_hold);
  if (settings.hand_over.time) lock::check_hold_time("time bound of a hand-over", *settings.hand_over.time);
  if (settings.hand_over.keep) lock::check_hold_time("time for which a ticket is kept", *settings.hand_over.keep);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (settings.permits && (*settings.permits < 1 || *settings.permits > kMost)) {
    throw Error(Errc::invalid_argument,
                fmt::format("there are {} permits; there must be between 1 and {}", *settings.permits, kMost));
  }
}

// What `over` says counts.
void overlay(LockSettings& settings, const LockSettings& over) {
  const auto set = [](auto& value, const auto& with) {
    if (with) value = with;
  };
  set(settings.type, over.type);
  set(settings.wait, over.wait);
  set(settings.min_hold, over.min_hold);
  set(settings.max_hold, over.max_hold);
  set(settings.lock_delay, over.lock_delay);
  set(settings.hand_over.count, over.hand_over.count);
  set(settings.hand_over.time, over.hand_over.time);
  set(settings.hand_over.keep, over.hand_over.keep);
  set(settings.slow_hold, over.slow_hold);
  set(settings.permits, over.permits);
}

}  // namespace

LockRules::Table::Table(std::vector<Rule> given) : rules(std::move(given)) {
  if (rules.size() > kMost) {
    throw Error(Errc::invalid_argument,
                fmt::format("there are {} patterns of names; at most {} are allowed", rules.size(), kMost));
  }
  for (const auto& rule : rules) {
    auto pattern = base::NamePattern::parse(rule.pattern);
    if (!pattern) throw Error(Errc::invalid_argument, pattern.error());
    const auto same = [&](const Rule& other) { return other.pattern == rule.pattern; };
    if (std::count_if(rules.begin(), rules.end(), same) > 1) {
      throw Error(Errc::invalid_argument,
                  fmt::format("the pattern \"{}\" is there twice", base::printable(rule.pattern)));
    }
    try {
      check(rule.settings);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("locks \"{}\": {}", base::printable(rule.pattern), error.what()));
    }
    rising.emplace_back(*std::move(pattern), &rule.settings);
  }
  std::stable_sort(rising.begin(), rising.end(),
                   [](const auto& a, const auto& b) { return a.first.compare(b.first) < 0; });
}

LockRules::LockRules(std::vector<Rule> rules) : table_(std::make_shared<const Table>(std::move(rules))) {}

LockRules::~LockRules() = default;

void LockRules::replace(std::vector<Rule> rules) {
  auto table = std::make_shared<const Table>(std::move(rules));
  const std::lock_guard guard(mutex_);
  table_.swap(table);
  version_.fetch_add(1, std::memory_order_release);
}

LockSettings LockRules::find(std::string_view name) const {
  const auto table = [&] {
    const std::lock_guard guard(mutex_);
    return table_;
  }();
  LockSettings settings;
  if (name.starts_with('/')) name.remove_prefix(1);
  for (const auto& [pattern, said] : table->rising) {
    if (pattern.matches(name)) overlay(settings, *said);
  }
  return settings;
}

std::vector<LockRules::Rule> LockRules::rules() const {
  const std::lock_guard guard(mutex_);
  return table_->rules;
}

}  // namespace holdfast
