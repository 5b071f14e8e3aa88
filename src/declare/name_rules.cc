#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/name_pattern.h"
#include "base/text.h"
#include "declare/patterns.h"
#include "holdfast/handlers.h"

namespace holdfast {
namespace {

struct Named {
  std::string text;
  base::NamePattern pattern;
};

std::vector<Named> parse_all(const std::vector<std::string>& patterns) {
  std::vector<Named> parsed;
  for (const auto& text : patterns) parsed.push_back({text, declare::parse_pattern(text)});
  return parsed;
}

const Named* first_match(const std::vector<Named>& patterns, const std::string& name) {
  for (const auto& each : patterns) {
    if (each.pattern.matches(name)) return &each;
  }
  return nullptr;
}

}  // namespace

struct NameRules::Parsed {
  std::vector<Named> allow;
  std::vector<Named> deny;

  // Empty: it may be locked.
  std::string objection(const std::string& name) const {
    using base::printable;
    if (const auto* rule = first_match(deny, name)) {
      return fmt::format("{} may not be locked by this client: its rules deny {}", printable(name),
                         printable(rule->text));
    }
    if (allow.empty() || first_match(allow, name) != nullptr) return {};
    std::vector<std::string> allowed;
    for (const auto& rule : allow) allowed.push_back(printable(rule.text));
    return fmt::format("{} may not be locked by this client: its rules allow only {}", printable(name),
                       fmt::join(allowed, ", "));
  }
};

NameRules::NameRules(const Patterns& patterns)
    : parsed_(std::make_unique<const Parsed>(Parsed{parse_all(patterns.allow), parse_all(patterns.deny)})) {}
NameRules::~NameRules() = default;

AcquireOutcome NameRules::acquire(const AcquireRequest& request, const AcquireNext& next) {
  for (const auto& name : request.names()) {
    if (auto objection = parsed_->objection(name); !objection.empty()) return {Errc::refused, std::move(objection)};
  }
  return next(request);
}

}  // namespace holdfast
