#include "redis/refusal.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace holdfast::redis {
namespace {

constexpr std::size_t kMostWords = 200;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Before 7.0 the error of a command in a script is inside one of the script's own: "ERR Error running script (call to f_…): @user_script:4:
// @user_script: 4: -OOM command not allowed …".
std::string_view code_of(const resp::Value& error) {
  constexpr std::string_view kBefore = ": -";
  const std::string_view text = error.text;
  const auto at = text.starts_with("ERR Error running script") ? text.find(kBefore) : std::string_view::npos;
  if (at == std::string_view::npos) return error.code();
  const auto inner = text.substr(at + kBefore.size());
  return inner.substr(0, inner.find(' '));
}

Refusal later(std::string why) { return {.why = std::move(why), .passes = true}; }
Refusal elsewhere(std::string why) { return {.why = std::move(why), .passes = true, .is_not_the_master = true}; }

}  // namespace

Refusal refusal_of(const resp::Value& error, std::string_view command) {
  const auto code = code_of(error);
  const auto words = base::printable(error.text, kMostWords);
  if (code == "NOAUTH") return {true, "it wants a password; write it into the URL: redis://user:password@host"};
  if (code == "WRONGPASS") return {true, "it has refused the user or the password"};
  if (code == "DENIED") {
    return {true,
            "it is in protected mode, and takes clients of its own machine only; give it a password, or bind it to an "
            "address and set protected-mode no"};
  }
  if (code == "NOPERM" || has(error.text, "user executing the script can't")) {
    return {true, fmt::format("its user may not do what a lock needs ({}); see docs/backends/redis.md for the rights",
                              words)};
  }
  if (command == "HELLO" && (code == "NOPROTO" || has(error.text, "unknown command"))) {
    return {true, "it is older than Redis 6.0; Redis 6.0 or newer, or Valkey, is needed"};
  }
  if (command == "HELLO" && has(error.text, "without any password configured")) {
    return {true, "it has no password, but the URL has one"};
  }
  if (command == "SELECT") return {true, fmt::format("it does not have that database ({})", words)};
  if (code == "LOADING") return later("it is still loading its data");
  if (code == "BUSY") return later("it is busy with a script of another client");
  if (code == "READONLY")
    return elsewhere("it is a replica, which cannot be written to; name its master, or use its Sentinels");
  if (code == "MASTERDOWN") return elsewhere("it is a replica that has lost its master");
  if (code == "OOM") return later("its memory is full (maxmemory)");
  if (code == "NOREPLICAS")
    return later("it takes no writes, because too few replicas follow it (min-replicas-to-write)");
  if (code == "MISCONF")
    return later("it takes no writes, because it cannot save its data (stop-writes-on-bgsave-error)");
  if (has(error.text, "max number of clients")) return {false, "it has as many clients as it takes (maxclients)"};
  return {false, words.empty() ? "it answers with an error that says nothing" : words};
}

}  // namespace holdfast::redis
