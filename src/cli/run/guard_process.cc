#include "cli/run/guard_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "cli/run/command.h"
#include "cli/run/guard_message.h"
#include "cli/run/process_tree.h"
#include "cli/run/standard_streams.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// After SIGKILL only the kernel can keep a process alive (a disk or network file system that does not answer). That may last for
// ever, and somebody has to be told.
constexpr auto kKillPatience = std::chrono::seconds(10);
// Between two passes of killing: somebody was just forking, or is not reaped yet.
constexpr int kLookAgainAfterMs = 5;

// Where the wrapper is, if there is a terminal, so that it and its shell see one job. Without one nobody controls jobs, and the
// command stays with us: in the wrapper's group its end could be the end of the group's last tie to another one of the session, and the
// kernel hangs up on such a group if any process in it stands still, whoever's that is.
pid_t group_for_command(pid_t wrapper) {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return ::getpgrp();
  ::close(terminal);
  return ::getpgid(wrapper);
}

class Guard {
 public:
  Guard(const GuardOrders& orders, int socket) : orders_(orders), socket_(socket), wrapper_(::getppid()) {}

  [[noreturn]] void live();

 private:
  void prepare();
  void hear();
  void start(const ToGuardian& order);
  void wrapper_is_gone();
  void reap();
  void look_at_the_clock();
  void tell();
  void kill_all();
  void forward(int signal);
  void set_timer();
  void report(FromGuardian message);
  void report_end(bool killed = false, std::size_t left = 0);
  bool wrapper_stands_still() const { return !gone_ && process_info(wrapper_).stopped; }

  const GuardOrders& orders_;
  int socket_;
  pid_t wrapper_;
  int children_ = -1;
  int timer_ = -1;

  pid_t command_ = 0;            // 0: not started
  std::optional<int> status_{};  // once it has ended
  bool childless_ = false;       // nobody is left below us
  Deadlines deadlines_{};
  Clock::duration kill_after_{};
  bool ignores_children_ = false;
  bool told_ = false;
  Clock::time_point latest_kill_ = Clock::time_point::max();  // once it was told
  bool gone_ = false;                                         // the wrapper
  bool said_ = false;
  bool reported_ = false;
};

void Guard::prepare() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  // Out of reach of Ctrl-C, Ctrl-Z and `kill %1`, but in the session, so that what we start can use the terminal.
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "holdfast-guard");
  // Inherited and ignored, the kernel would reap by itself, and nobody would learn how the command ended.
  struct sigaction before {};
  ::sigaction(SIGCHLD, nullptr, &before);
  ignores_children_ = before.sa_handler == SIG_IGN;
  ::signal(SIGCHLD, SIG_DFL);
  // Stopped by somebody, we are of no use; so at least not when the wrapper is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  children_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  timer_ = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  // The wrapper sees that we are gone, before anything was started.
  if (children_ < 0 || timer_ < 0) ::_exit(1);
}

void Guard::live() {
  prepare();
  for (;;) {
    std::array<pollfd, 3> fds{{{socket_, POLLIN, 0}, {children_, POLLIN, 0}, {timer_, POLLIN, 0}}};
    if (gone_) fds[0].fd = -1;
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) ::_exit(1);
    // New deadlines before the clock: a wrapper that was late, and not too late, has kept its lock.
    if (fds[0].revents != 0) hear();
    if (command_ == 0) continue;
    reap();
    look_at_the_clock();
    if (status_ && (told_ || gone_) && childless_) {
      report_end();
      ::_exit(0);
    }
    if (status_ && !told_ && !reported_) report_end();
    set_timer();
  }
}

void Guard::hear() {
  for (;;) {
    ToGuardian order;
    const ssize_t got = ::recv(socket_, &order, sizeof order, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got != sizeof order) return wrapper_is_gone();
    switch (order.kind) {
      case ToGuardian::Kind::start: start(order); break;
      case ToGuardian::Kind::done: ::_exit(0);
      case ToGuardian::Kind::signal: forward(order.signal); break;
      case ToGuardian::Kind::deadlines:
        if (!told_) {
          deadlines_ = order.deadlines;
        } else {
          deadlines_.kill = std::min(latest_kill_, order.deadlines.kill);
        }
        break;
    }
  }
}

void Guard::start(const ToGuardian& order) {
  deadlines_ = order.deadlines;
  kill_after_ = order.kill_after;
  auto env = orders_.env;
  env.emplace_back("HOLDFAST_TOKEN", std::to_string(order.token));
  const auto started = start_command({orders_.argv, env, orders_.mask, group_for_command(wrapper_), ignores_children_,
                                      std::min(deadlines_.tell, deadlines_.kill)});
  if (!started && started.error() == ETIMEDOUT) {
    told_ = true;
    report_end(true);
    ::_exit(0);
  }
  if (!started) {
    report({.kind = FromGuardian::Kind::not_started, .value = started.error()});
    ::_exit(0);
  }
  command_ = *started;
  // So that nobody waits for the end of a pipe that only we still hold.
  let_go_of_streams(socket_, {children_, timer_});
  report({.kind = FromGuardian::Kind::started, .value = command_});
}

void Guard::wrapper_is_gone() {
  gone_ = true;
  if (command_ == 0) ::_exit(0);
  const auto now = Clock::now();
  const HoldTerms terms{.on_lost = orders_.on_lost == OnLost::kill ? OnLost::kill : OnLost::term,
                        .kill_after = kill_after_};
  const auto end = end_now(terms, now);
  deadlines_ = {std::min(deadlines_.tell, end.tell), std::min(deadlines_.kill, end.kill)};
}

void Guard::reap() {
  signalfd_siginfo ignored;
  while (::read(children_, &ignored, sizeof ignored) > 0) {
  }
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (pid < 0 && errno == EINTR) continue;
    childless_ = pid < 0;
    if (pid <= 0) return;
    if (pid != command_) continue;
    if (WIFSTOPPED(status)) {
      report({.kind = FromGuardian::Kind::stopped, .value = WSTOPSIG(status)});
    } else if (WIFCONTINUED(status)) {
      // Somebody continued the command alone: the wrapper stopped itself for it.
      if (!gone_) ::kill(wrapper_, SIGCONT);
    } else {
      status_ = status;
    }
  }
}

void Guard::look_at_the_clock() {
  const auto now = Clock::now();
  if (status_ && !told_ && !gone_) return;  // it ended by itself, in time
  if (now >= deadlines_.kill) kill_all();
  if (now >= deadlines_.tell && !told_) tell();
}

void Guard::tell() {
  told_ = true;
  latest_kill_ = Clock::now() + kill_after_;
  if (!status_) ::kill(command_, SIGTERM);
  for (const auto& process : descendants_of(::getpid())) {
    if (process.pid != command_) ::kill(process.pid, SIGTERM);
    if (process.stopped) ::kill(process.pid, SIGCONT);  // or it would not hear it
  }
  if (wrapper_stands_still()) {
    said_ = true;
    say(orders_.names + ": stopped for too long to keep the lock; ending the command");
  } else if (gone_) {
    say(orders_.names + ": holdfast was killed (pid " + std::to_string(wrapper_) + "); ending the command it ran");
  }
  report({.kind = FromGuardian::Kind::told, .said = said_});
}

void Guard::kill_all() {
  const auto give_up = Clock::now() + kKillPatience;
  do {
    if (!status_) ::kill(command_, SIGKILL);
    kill_descendants(::getpid());
    pollfd child{children_, POLLIN, 0};
    ::poll(&child, 1, kLookAgainAfterMs);
    reap();
  } while (!childless_ && Clock::now() < give_up);
  if (!told_ && wrapper_stands_still()) {
    said_ = true;
    say(orders_.names + ": stopped for too long to keep the lock; the command was killed");
  }
  report_end(true, childless_ ? 0 : descendants_of(::getpid()).size());
  ::_exit(0);
}

void Guard::forward(int signal) {
  if (command_ == 0 || status_) return;
  const pid_t group = process_info(command_).group;
  for (const auto& process : descendants_of(::getpid())) {
    if (process.group == group) ::kill(process.pid, signal);
  }
}

void Guard::set_timer() {
  const auto next = told_ ? deadlines_.kill : std::min(deadlines_.tell, deadlines_.kill);
  const bool over = status_ && !told_ && !gone_;
  itimerspec when{};
  if (!over && next != Clock::time_point::max()) {
    // Zero would switch it off.
    const auto since = std::max<Clock::duration>(next.time_since_epoch(), std::chrono::nanoseconds(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    when.it_value = {seconds.count(), static_cast<long>((since - seconds).count())};
  }
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
}

void Guard::report(FromGuardian message) {
  // A wrapper that stands still will read it later; one that is gone, never.
  if (!gone_) ::send(socket_, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Guard::report_end(bool killed, std::size_t left) {
  reported_ = true;
  FromGuardian end{.kind = FromGuardian::Kind::ended, .value = status_.value_or(SIGKILL)};
  end.told = told_;
  end.killed = killed;
  end.said = said_;
  end.left = static_cast<std::uint32_t>(left);
  report(end);
}

}  // namespace

void guard(const GuardOrders& orders, int socket) { Guard(orders, socket).live(); }

}  // namespace holdfast::cli
