#include "cli/commands/watch.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

#include "base/signals.h"
#include "cli/commands/name_argument.h"
#include "cli/config/service.h"
#include "cli/view/keys.h"
#include "cli/view/lock_watcher.h"
#include "cli/view/output.h"
#include "cli/view/watch_view.h"

namespace holdfast::cli {
namespace {

struct Arguments {
  ServiceArguments service;
  std::string name;
  bool json = false;
};

// How often the screen is drawn again without news: ages grow.
constexpr int kRedrawMilliseconds = 1000;

// What ends it; and a terminal has a cursor to give back before it stops, and a size that changes.
sigset_t signals_of(bool on_terminal) {
  auto signals = base::signal_set({SIGINT, SIGTERM, SIGHUP, SIGQUIT});
  if (on_terminal) {
    for (const int signal : {SIGTSTP, SIGWINCH}) ::sigaddset(&signals, signal);
  }
  return signals;
}

// Until it is told to end: true; or its output has no reader any more.
bool follow(const base::SignalDescriptor& signals, LockWatcher& watcher, WatchView& view) {
  Keyboard keyboard;
  for (;;) {
    // Nothing is asked of stdout but whether its other end is closed.
    std::array<pollfd, 4> fds{{{signals.fd(), POLLIN, 0},
                               {watcher.ready(), POLLIN, 0},
                               {STDOUT_FILENO, 0, 0},
                               {view.is_picture() ? keyboard.listen() : -1, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), view.is_picture() ? kRedrawMilliseconds : -1);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready > 0 && (fds[2].revents & (POLLERR | POLLHUP)) != 0) return false;
    while (const auto signal = signals.take()) {
      if (signal->ssi_signo == SIGWINCH) {
        view.resized();
      } else if (signal->ssi_signo == SIGTSTP) {
        view.pause();
        keyboard.leave();
        ::kill(::getpid(), SIGSTOP);
      } else {
        return true;
      }
    }
    if (ready > 0 && fds[3].revents != 0) {
      for (const auto key : keyboard.take()) {
        if (key == Key::quit) return true;
        view.press(key);
      }
    }
    while (const auto look = watcher.take()) view.see(*look);
    if (!view.show()) return false;
  }
}

int watch(const Arguments& arguments) {
  const auto name = arguments.name.empty() ? std::string() : name_argument(arguments.name);
  const auto settings = resolve_service(arguments.service);
  auto view = make_watch_view(name, settings.url, arguments.json);
  const base::SignalDescriptor signals(signals_of(view->is_picture()));
  LockWatcher watcher(settings, name);
  const bool has_reader = follow(signals, watcher, *view);
  // A terminal is given back before anything takes time. A record is kept to its end.
  if (view->is_picture()) view.reset();
  const bool ended = watcher.stop();
  if (view && has_reader) {
    while (const auto look = watcher.take()) view->see(*look);
    view->finish();
    view->show();
  }
  view.reset();
  if (!ended) ::_exit(0);
  return 0;
}

}  // namespace

void add_watch(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("watch", "Show what happens to the locks, while it happens");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("NAME", arguments->name, "Only this one");
  command->add_flag("--json", arguments->json, "One JSON document per line for every change, for scripts");
  add_service_options(*command, arguments->service);
  command->footer(
      "Examples:\n"
      "  holdfast watch                            the list of ls, always up to date\n"
      "  holdfast watch orders/123                 the page of show\n"
      "  holdfast watch >> locks.log               a line for every change\n"
      "  holdfast watch --json | jq -r 'select(.event == \"granted\") | .name'\n\n"
      "The server tells of every ticket that comes and goes (ZooKeeper 3.6 and newer, Holdfast). On a terminal the "
      "arrow "
      "keys, PgUp, PgDn, Home and End scroll. Ends with q or Ctrl-C.");
  command->callback([arguments, &exit_code] { exit_code = guarded([&] { return watch(*arguments); }); });
}

}  // namespace holdfast::cli
