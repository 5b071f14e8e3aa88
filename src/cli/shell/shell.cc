#include "cli/shell/shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/disk_room.h"
#include "cli/config/service.h"
#include "cli/exit_code.h"
#include "cli/shell/modes.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace holdfast::cli {
namespace {

struct ShellArguments {
  ServiceArguments service;
  std::vector<std::string> command;
  bool keep_going = false;
};

// An engine that was killed has a successor elsewhere, or gets one now. A start that takes longer goes on, and is found at the next
// attempt: until then the person would type in vain.
constexpr std::chrono::milliseconds kStartWithin{2'000};

tl::expected<net::ServerAddresses, std::string> locate_local() {
  try {
    return net::ServerAddresses{{start_local_engine(kStartWithin).address, ""}};
  } catch (const Error& error) {
    return tl::unexpected(std::string(error.what()));
  }
}

}  // namespace

shell::SessionOptions session_options(const ServiceSettings& settings) {
  // Also of local:, which says best at the start why it cannot be reached.
  auto endpoint = endpoint_of(settings);
  return {.servers = std::move(endpoint.servers),
          .chroot = std::move(endpoint.chroot),
          .auth = settings.zookeeper.auth,
          // local: has none.
          .sasl = settings.url == "local:" ? SaslOptions{} : settings.zookeeper.sasl,
          .tls = endpoint.by_tls ? std::make_shared<net::ClientTls>(settings.tls) : nullptr,
          .session_timeout = settings.session_timeout,
          .connect_timeout = settings.connect_timeout,
          .locate = settings.url == "local:" ? locate_local : nullptr,
          .explain = [url = settings.url] { return room_trouble(url); }};
}

namespace {

int run_shell(const ShellArguments& arguments) {
  try {
    const auto options = session_options(resolve_service(arguments.service));
    if (!arguments.command.empty()) return shell::run_once(options, arguments.command);
    const bool person = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
    return person ? shell::run_interactive(options) : shell::run_script(options, arguments.keep_going);
  } catch (const Error& error) {
    fmt::print(stderr, "holdfast: {}\n", error.what());
    return error.code() == Errc::invalid_argument ? kExitUsage : kExitUnavailable;
  }
}

}  // namespace

void add_shell(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("shell", "Look at the nodes of a ZooKeeper-protocol server, and change them");
  const auto arguments = std::make_shared<ShellArguments>();
  add_service_options(*command, arguments->service);
  command->add_flag("-k,--keep-going", arguments->keep_going, "Go on after a line of standard input that fails");
  command->add_option("command", arguments->command, "Run this one and end; put -- before it")->type_name("COMMAND");
  command->footer(
      "Examples:\n"
      "  holdfast shell                             type commands; help lists them\n"
      "  holdfast shell -- ls /                     one command\n"
      "  holdfast shell --url zk://10.0.0.1:2181 < script\n"
      "\n"
      "Exit code: 0, or 1 if the server refused, 64 if a command makes no sense, 69 if no server was reached.");
  command->callback([arguments, &exit_code] { exit_code = run_shell(*arguments); });
}

}  // namespace holdfast::cli
