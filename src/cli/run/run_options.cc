#include "cli/run/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "cli/config/setting_value.h"
#include "cli/exit_code.h"
#include "cli/view/describe.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using Refusal = std::optional<std::string>;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <typename Duration>
Refusal read_time(const char* option, const std::string& text, Duration& value) {
  if (text.empty()) return std::nullopt;
  const auto parsed = parse_seconds(text);
  if (!parsed) return fmt::format("{} {}: {}", option, in_quotes(text), parsed.error());
  value = *parsed;
  return std::nullopt;
}

Refusal read_permits(const std::string& text, std::optional<Permits>& permits) {
  if (text.empty()) return std::nullopt;
  const auto slash = text.find('/');
  const auto wanted = whole_number(std::string_view(text).substr(0, slash));
  const auto of = slash == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(slash + 1));
  constexpr std::int64_t kMostWanted = 1'000;  // Semaphore::kMaxPermits
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!wanted || !of || *wanted < 1 || *wanted > kMostWanted || *of > kMost || *wanted > *of) {
    return fmt::format("--permits {}: write how many of how many, such as 1/4 (at most {} of {})", in_quotes(text),
                       kMostWanted, kMost);
  }
  permits = Permits{*wanted, *of};
  return std::nullopt;
}

Refusal read_on_lost(const std::string& text, OnLost& on_lost) {
  if (text.empty() || text == "term") return std::nullopt;
  if (text != "kill" && text != "ignore")
    return fmt::format("--on-lost {}: write term, kill or ignore", in_quotes(text));
  on_lost = text == "kill" ? OnLost::kill : OnLost::ignore;
  return std::nullopt;
}

Refusal read_conflict_code(const std::string& text, int& code) {
  code = kExitNotAcquired;
  if (text.empty()) return std::nullopt;
  const auto number = whole_number(text);
  if (!number || *number < 0 || *number > 255)
    return fmt::format("-E {}: write a number from 0 to 255", in_quotes(text));
  code = static_cast<int>(*number);
  return std::nullopt;
}

// Each alone makes sense, together they do not.
Refusal refuse_together(const RunArguments& arguments, const RunOptions& options) {
  if (options.command.empty()) {
    return "no command: write -- and the command behind the names, as in holdfast run NAME -- make deploy";
  }
  if (options.names.empty()) return "no name: write what to lock, as in holdfast run NAME -- make deploy";
  if (arguments.do_not_wait && !arguments.wait.empty()) return "-n does not wait and -w does; give one of them";
  if (options.shared && options.exclusive) return "-s shares the lock and -x does not; give one of them";
  if (options.exclusive && options.permits) return "-x shares with none and --permits with some; give one of them";
  if (options.shared && options.permits)
    return "-s shares with every reader and --permits with a few; give one of them";
  if (options.permits && options.names.size() > 1) return "--permits are of one name; give one, or leave out --permits";
  if (options.max_hold && options.min_hold > *options.max_hold) return "--min-hold is longer than --max-hold";
  if (options.max_hold && options.max_hold->count() == 0) return "--max-hold 0 leaves no time to run anything";
  if (options.on_lost == OnLost::kill && options.kill_after && !options.max_hold) {
    return "--kill-after is the time between TERM and KILL, and --on-lost kill sends no TERM; give one of them";
  }
  if (options.quiet && options.verbose) return "-q says nothing and -v says more; give one of them";
  return std::nullopt;
}

}  // namespace

std::string RunOptions::shown_names() const {
  std::vector<std::string> printable;
  for (const auto& name : names) printable.push_back(shown(name));
  return fmt::format("{}", fmt::join(printable, ", "));
}

tl::expected<RunOptions, std::string> read_run_options(const RunArguments& arguments,
                                                       std::vector<std::string> command) {
  RunOptions options;
  options.names = arguments.names;
  if (!arguments.shell_command.empty() && !command.empty()) {
    return tl::unexpected(std::string("-c gives the command to a shell, and -- gives one as it is; give one of them"));
  }
  options.command = std::move(command);
  if (!arguments.shell_command.empty()) options.command = {"sh", "-c", arguments.shell_command};
  options.shared = arguments.shared;
  options.exclusive = arguments.exclusive;
  options.purpose = arguments.purpose;
  options.access_log = arguments.access_log;
  options.quiet = arguments.quiet;
  options.verbose = arguments.verbose;
  if (arguments.do_not_wait) options.wait = std::chrono::nanoseconds(0);
  for (const auto& refusal :
       {read_time("-w", arguments.wait, options.wait), read_time("--min-hold", arguments.min_hold, options.min_hold),
        read_time("--max-hold", arguments.max_hold, options.max_hold),
        read_time("--kill-after", arguments.kill_after, options.kill_after),
        read_permits(arguments.permits, options.permits), read_on_lost(arguments.on_lost, options.on_lost),
        read_conflict_code(arguments.conflict_code, options.conflict_code), refuse_together(arguments, options)}) {
    if (refusal) return tl::unexpected(*refusal);
  }
  return options;
}

std::vector<std::string> take_command(int& argc, char** argv) {
  using namespace std::string_view_literals;
  if (argc < 2 || argv[1] != "run"sv) return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv + 2, end, "--"sv);
  std::vector<std::string> command;
  if (dashes != end) command.assign(dashes + 1, end);
  argc = static_cast<int>(dashes - argv);
  return command;
}

}  // namespace holdfast::cli
