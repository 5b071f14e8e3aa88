#include "cli/doctor/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::cli::doctor {
namespace {

// What a server or a file has said may go on for long; a sentence of ours does not.
constexpr std::size_t kLongestLine = 400;
std::string printable(std::string_view text) { return base::printable(text, kLongestLine); }

std::size_t count(const Findings& findings, State state) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& each) { return each.state == state; }));
}

std::string number_of(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::ok: return "ok";
    case State::warning: return "warning";
    case State::wrong: return "wrong";
  }
  return "wrong";
}

State verdict(const Findings& findings) {
  // Nothing is well before a server has said so.
  const bool answered = std::any_of(findings.begin(), findings.end(), [](const Finding& each) {
    return each.check == kServerCheck && each.state == State::ok;
  });
  State worst = answered ? State::ok : State::wrong;
  for (const auto& finding : findings) worst = std::max(worst, finding.state);
  return worst;
}

std::string to_text(const Findings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{:<8} {:<12} {}\n", to_string(finding.state), finding.check, printable(finding.message));
    if (!finding.fix.empty()) text += fmt::format("{:<21} -> {}\n", "", printable(finding.fix));
  }
  const auto wrong = count(findings, State::wrong);
  if (wrong == 0 && verdict(findings) == State::wrong) return text + "No server has answered.\n";
  const auto warnings = count(findings, State::warning);
  if (wrong > 0) {
    text += fmt::format("{} wrong", number_of(wrong, "thing") + (wrong == 1 ? " is" : " are"));
    if (warnings > 0) text += ", " + number_of(warnings, "warning");
    return text + ".\n";
  }
  return text + (warnings > 0 ? fmt::format("All works; {}.\n", number_of(warnings, "warning")) : "All is well.\n");
}

std::string to_json(const Findings& findings, const std::string& url) {
  nlohmann::ordered_json document{{"url", url}, {"checks", nlohmann::ordered_json::array()}};
  for (const auto& finding : findings) {
    auto name = finding.check;
    std::replace(name.begin(), name.end(), ' ', '_');
    nlohmann::ordered_json check{
        {"check", name}, {"state", to_string(finding.state)}, {"message", finding.message}, {"fix", nullptr}};
    if (!finding.fix.empty()) check["fix"] = finding.fix;
    document["checks"].push_back(std::move(check));
  }
  document["verdict"] = to_string(verdict(findings));
  return document.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::cli::doctor
