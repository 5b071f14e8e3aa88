#include "cli/commands/break.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands/name_argument.h"
#include "cli/config/service.h"
#include "cli/config/setting_value.h"
#include "cli/config/time_option.h"
#include "cli/exit_code.h"
#include "cli/view/lock_json.h"
#include "cli/view/output.h"
#include "holdfast/error.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// A holder that has not given it back within a day will not.
constexpr Range<milliseconds> kGraces{milliseconds(0), std::chrono::hours(24)};

struct Arguments {
  ServiceArguments service;
  std::string name;
  std::string grace = "10s";
  bool force = false;
  bool yes = false;
  bool json = false;
};

struct Plan {
  std::string name;
  milliseconds grace;
  bool force;
  bool confirm;
};

Plan plan_of(const Arguments& arguments) {
  const auto grace = parse_duration(arguments.grace, kGraces);
  if (!grace) throw Error(Errc::invalid_argument, "--grace: " + grace.error());
  const bool on_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (arguments.force && !arguments.yes && !on_terminal) {
    throw Error(Errc::invalid_argument, "--force without a terminal to confirm it needs --yes, too");
  }
  return {name_argument(arguments.name), *grace, arguments.force, on_terminal && !arguments.yes};
}

std::string held_by(const std::vector<TicketInfo>& holders) {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("held by {} for {}", who(holders), shown_age_of(holders.front(), now));
}

bool is_confirmed(const Plan& plan, const std::vector<TicketInfo>& holders) {
  fmt::print(stderr, "break {}, {}{}? [y/N] ", shown(plan.name), held_by(holders),
             plan.force ? fmt::format(", by force after {}", show_duration(plan.grace)) : "");
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

bool are_the_same(const std::vector<TicketInfo>& left, const std::vector<TicketInfo>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& a, const auto& b) { return a.id == b.id; });
}

// To ask a stranger's ticket is to write over what it said.
void keep_cards(const LockInfo& before, LockInfo& after) {
  for (auto& ticket : after.tickets) {
    const auto same = std::find_if(before.tickets.begin(), before.tickets.end(),
                                   [&](const TicketInfo& each) { return each.id == ticket.id; });
    if (ticket.revoked && same != before.tickets.end()) ticket.card = same->card;
  }
}

void report(const Plan& plan, const Revocation& done, const LockInfo& after, bool json) {
  const auto holders = holders_of(after);
  const auto still = done.asked - done.gone - done.broken;
  if (json) {
    const auto now = std::chrono::system_clock::now();
    auto document = lock_json(after, now);
    document["time"] = shown_time(now);
    document["asked"] = done.asked;
    document["gave_back"] = done.gone;
    document["removed"] = done.broken;
    document["still_holding"] = still;
    write_out(json_line(document));
    return;
  }
  if (done.asked == 0) {
    tell(fmt::format("{} is not held", shown(plan.name)));
    return;
  }
  write_out(fmt::format("{}: asked {}, gave it back {}, removed {}; now {}\n", shown(plan.name), done.asked, done.gone,
                        done.broken, holders.empty() ? "free" : held_by(holders)));
  if (done.broken > 0) {
    tell(
        "the holder that was removed learns of it with its next heartbeat; until then only a fencing token keeps it "
        "from writing");
  }
  if (still > 0) {
    const auto holders_still = fmt::format("{} holder{}", still, still == 1 ? "" : "s");
    tell(plan.force ? fmt::format("{} could not be removed; try again", holders_still)
                    : fmt::format("{} did not give {} back within {}; --force would remove {}", holders_still,
                                  shown(plan.name), show_duration(plan.grace), still == 1 ? "it" : "them"));
  }
}

int break_it(const Arguments& arguments) {
  const auto plan = plan_of(arguments);
  auto client = connect_if_served(resolve_service(arguments.service), {.purpose = "holdfast break"});
  const auto before = client.inspect(plan.name);
  const auto holders = holders_of(before);
  if (holders.empty()) {
    report(plan, {}, before, arguments.json);
    return 0;
  }
  if (before.semaphore) {
    tell(fmt::format("{} is a semaphore, {}; permits cannot be asked for: stop the processes that have them",
                     shown(plan.name), held_by(holders)));
    return kExitNo;
  }
  if (plan.confirm) {
    if (!is_confirmed(plan, holders)) {
      tell("nothing was done");
      return kExitNo;
    }
    // The holder that was meant may be gone by the time a person has read the question.
    const auto now_holding = holders_of(client.inspect(plan.name));
    if (!now_holding.empty() && !are_the_same(holders, now_holding)) {
      tell(fmt::format("nothing was done: {} is now {}; run this again to break that hold", shown(plan.name),
                       held_by(now_holding)));
      return kExitNo;
    }
  }
  const auto done = client.revoke(plan.name, plan.grace, plan.force ? Client::Force::yes : Client::Force::no);
  auto after = client.inspect(plan.name);
  keep_cards(before, after);
  report(plan, done, after, arguments.json);
  return done.asked == done.gone + done.broken ? 0 : kExitNo;
}

}  // namespace

void add_break(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("break", "Ask a holder to give its lock back, and with --force take it away");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("NAME", arguments->name, "A path such as orders/123")->required();
  as_time(command->add_option("--grace", arguments->grace, "How long to wait for the holder to give it back"))
      ->capture_default_str();
  command->add_flag(
      "--force", arguments->force,
      "Then remove a holder that has not; until its next heartbeat two processes may both think they hold it");
  command->add_flag("-y,--yes", arguments->yes, "Do not ask for confirmation");
  command->add_flag("--json", arguments->json, "One JSON document, for scripts");
  add_service_options(*command, arguments->service);
  command->footer(
      "Exit status 0: it was given back, removed or not held. 1: it is still held, or nothing was done.\n\n"
      "Examples:\n"
      "  holdfast break orders/123\n"
      "  holdfast break orders/123 --grace 30 --force\n"
      "  holdfast break orders/123 --grace 0 --force --yes       # in a script");
  command->callback([arguments, &exit_code] { exit_code = guarded([&] { return break_it(*arguments); }); });
}

}  // namespace holdfast::cli
