// findings.h -- what `holdfast doctor` found, one thing each, and how that is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::doctor {

//   ok        as it should be
//   warning   works, but an operator should look at it
//   wrong     does not work
enum class State { ok, warning, wrong };

std::string_view to_string(State state);

struct Finding {
  std::string check;  // "server", "session": which one it was
  State state = State::ok;
  std::string message;  // what was found
  std::string fix{};    // what to do about it; empty if there is nothing to do
};

using Findings = std::vector<Finding>;

// The check of one server.
inline constexpr const char* kServerCheck = "server";

// The worst of them; wrong if no server is among them that has answered, and so is nothing at all.
State verdict(const Findings& findings);

// A line each, and one with what to do below it; then the verdict. Printable, whatever the servers have said.
std::string to_text(const Findings& findings);
// {"url":..,"checks":[{"check":..,"state":"ok|warning|wrong","message":..,"fix":null}],"verdict":"ok|warning|wrong"}
std::string to_json(const Findings& findings, const std::string& url);

}  // namespace holdfast::cli::doctor
