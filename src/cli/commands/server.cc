#include "cli/commands/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_reserve.h"
#include "cli/commands/help.h"
#include "cli/commands/server_log.h"
#include "cli/commands/service_manager.h"
#include "cli/config/server_config.h"
#include "cli/stop_signals.h"
#include "holdfast/engine.h"
#include "holdfast/engine_data.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

// As shells have it for a program that a signal ended.
constexpr int kEndedBySignal = 128;

// For what is half done when the process runs out of memory, where its address space is limited.
constexpr std::size_t kReserve = std::size_t{32} << 20;

void say_if_failed(ServerLog& log, const Parsed<void>& done) {
  if (!done) log.warning(done.error());
}

// Without destructors: a thread is in the middle of something.
[[noreturn]] void leave(int signal) {
  std::fflush(nullptr);
  ::_exit(kEndedBySignal + signal);
}

std::string describe(const Engine& engine, const EngineOptions& options) {
  const auto where = fmt::format("serving on {}", fmt::join(engine.addresses(), ", "));
  if (options.data_dir.empty()) return where + ", in memory only: all is gone when this ends (keep it with --data DIR)";
  return fmt::format("{}, data in {} (durability {})", where, options.data_dir,
                     options.durability == Durability::power ? "power" : "process");
}

int serve(const ServerConfig& config) {
  const char* socket = std::getenv("NOTIFY_SOCKET");
  const ServiceManager manager(socket == nullptr ? "" : socket);
  auto log = ServerLog::open(config.log_file);
  if (!log) throw Error(Errc::invalid_argument, log.error());
  for (const auto& note : config.notes) log->warning(note);
  base::keep_memory_reserve(kReserve);
  base::give_large_blocks_back();
  StopSignals signals([&log] { log->reopen(); });

  std::optional<Engine> engine;
  try {
    if (const auto signal = signals.wait_while([&] { engine.emplace(config.options); })) {
      log->warning("ended while it was starting");
      leave(*signal);
    }
  } catch (const std::exception& error) {
    if (log->to_file()) log->error(error.what());  // the caller says it on stderr
    throw;
  }
  const auto line = describe(*engine, config.options);
  if (log->to_file()) log->info(line);
  fmt::print("{}\n", ServerLog::formatted("info", line));
  std::fflush(stdout);
  say_if_failed(*log, manager.ready(line));

  signals.wait();
  log->info("stopping; send the signal again to quit immediately");
  say_if_failed(*log, manager.stopping("answering what was received, then a snapshot"));
  if (const auto signal = signals.wait_while([&] { engine->stop(); })) {
    log->warning("ended while it was stopping");
    // Not by stop_now(), which waits for what is under way: a disk that hangs, a snapshot of many nodes.
    leave(*signal);
  }
  log->info("stopped");
  return 0;
}

struct Option {
  const char* name;
  const char* type;
  bool repeatable;
  const char* help;
  bool seldom = false;
};
constexpr std::array kOptions{
    Option{"--listen", "HOST:PORT", true, "Where to listen (127.0.0.1:2181; repeatable)"},
    Option{"--listen-tls", "HOST:PORT", true, "Where to listen with TLS (repeatable)", true},
    Option{"--data", "DIR", false, "Keep nodes and sessions here; without it, in memory only"},
    Option{"--log-dir", "DIR", false, "Where the log is kept, if not in --data", true},
    Option{"--durability", "LEVEL", false,
           "What a write survives: power (synced to disk, the default) or process (kill -9)", true},
    Option{"--log-file", "FILE", false, "Log to it, not to stderr; opened again on SIGHUP"},
    Option{"--tls-cert", "FILE", false, "Certificate and chain, PEM", true},
    Option{"--tls-key", "FILE", false, "Its key, PEM, not encrypted", true},
    Option{"--tls-client-ca", "FILE", false, "Clients must show a certificate of this authority, PEM", true},
    Option{"--require-auth", "FILE", false,
           "Clients must log in as one of these: user:base64(sha1(user:password)) lines", true},
};

struct Arguments {
  std::string config;
  bool print_config = false;
  std::string check;
  std::string accept_loss;
};

int look_after(const Arguments& arguments, const std::string& log_dir) {
  const auto report = arguments.check.empty() ? accept_engine_data_loss(arguments.accept_loss, log_dir)
                                              : check_engine_data(arguments.check, log_dir);
  for (const auto& line : report.lines) fmt::print("{}\n", line);
  return report.whole ? 0 : 1;
}

}  // namespace

void add_server(CLI::App& app, int& exit_code) {
  auto* server = app.add_subcommand("server", "A single-node coordination server for every ZooKeeper 3.8 client");
  const auto arguments = std::make_shared<Arguments>();
  for (const auto& option : kOptions) {
    auto* added = server->add_option(option.name)->description(option.help)->type_name(option.type);
    added->expected(1)->multi_option_policy(option.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                              : CLI::MultiOptionPolicy::Throw);
    if (option.seldom) added->group(kMoreGroup);
  }
  server->add_option("--config", arguments->config, "Settings, YAML or zoo.cfg; options win over it")
      ->type_name("FILE");
  server->add_flag("--print-config", arguments->print_config, "Print the settings and where each came from, then end");
  auto* check =
      server->add_option("--check", arguments->check, "Say what is in DIR (and --log-dir); status 0 if it is whole");
  check->type_name("DIR");
  server
      ->add_option("--accept-loss", arguments->accept_loss,
                   "Make DIR whole without what is damaged or missing in it, say what was lost, then end")
      ->type_name("DIR")
      ->group(kMoreGroup)
      ->excludes(check);
  server->footer(
      "Examples:\n"
      "  holdfast server                               in memory, 127.0.0.1:2181\n"
      "  holdfast server --data /var/lib/holdfast      kept on disk\n"
      "  holdfast server --config /etc/zookeeper/conf/zoo.cfg\n"
      "  holdfast server --check /var/lib/holdfast     is it whole?");
  server->callback([=, &exit_code] {
    if (!arguments->check.empty() || !arguments->accept_loss.empty()) {
      const auto* log_dir = server->get_option("--log-dir");
      exit_code = look_after(*arguments, log_dir->count() > 0 ? log_dir->as<std::string>() : "");
      return;
    }
    std::vector<GivenOption> given;
    for (const auto& option : kOptions) {
      const auto* parsed = server->get_option(option.name);
      if (parsed->count() > 0) given.push_back({option.name, parsed->as<std::vector<std::string>>()});
    }
    const auto config = load_server_config(arguments->config, given);
    if (!config) throw Error(Errc::invalid_argument, config.error());
    if (arguments->print_config) {
      for (const auto& note : config->notes) fmt::print(stderr, "holdfast: {}\n", note);
      fmt::print("{}", config->printed);
    } else {
      exit_code = serve(*config);
    }
  });
}

}  // namespace holdfast::cli
