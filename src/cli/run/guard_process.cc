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
#include "cli/run/command_processes.h"
#include "cli/run/guard_message.h"
#include "cli/run/last_act.h"
#include "cli/run/lateness.h"
#include "cli/run/process_tree.h"
#include "cli/run/roster.h"
#include "cli/run/scheduling.h"
#include "cli/run/shared_engine.h"
#include "cli/run/standard_streams.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// After SIGKILL only the kernel can keep a process alive (a disk or network file system that does not answer). That may last for
// ever, and the user has to be told.
constexpr auto kKillTimeout = std::chrono::seconds(10);
// Between two passes of killing: a process was just forking, or is not reaped yet.
constexpr int kLookAgainAfterMs = 5;

// Of the timer by which we learn how late we are: soon after the start, so that something is known when the command is started.
constexpr auto kFirstTick = milliseconds(5);
constexpr auto kLastTick = milliseconds(10'000);

// Where the wrapper is, if there is a terminal, so that it and its shell see one job. Without one nothing controls jobs, and the
// command gets a group of its own, which one signal kills: in the wrapper's group its end could be the end of the group's last tie to another
// one of the session, and the kernel hangs up on such a group if any process in it stands still, also one that is not ours.
pid_t group_for_command(pid_t wrapper) {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return 0;
  ::close(terminal);
  return ::getpgid(wrapper);
}

class Guard {
 public:
  Guard(const Run& run, const sigset_t& mask, int socket)
      : run_(run), mask_(mask), socket_(socket), wrapper_(::getppid()) {}

  [[noreturn]] void live();

 private:
  void prepare();
  void hear();
  void start(const ToGuardian& order);
  void wrapper_is_gone();
  void reap();
  void look_at_the_clock();
  void measure(Clock::time_point now);
  void say_what_can_be_kept();
  bool maximum_is_reached() const;
  HoldTerms terms_now() const { return widen_margin(terms_, lateness_.expected()); }
  Deadlines plan() const;
  Clock::time_point prepare_at(const Deadlines& plan) const;
  void kill_command() const;
  void tell();
  void kill_all();
  void set_timer();
  void report(FromGuardian message);
  void report_end(bool killed = false, std::size_t left = 0);
  // What has left the tree below us is killed. False: something of it is alive all the same.
  bool escaped_are_dead() const { return kill_escaped(run_.id, Clock::now() + kKillTimeout); }
  // Of what the command has started.
  bool nothing_left() const { return childless_ || only_shared_engine_left(run_.id); }
  bool wrapper_stands_still() const { return !gone_ && process_info(wrapper_).stopped; }

  // Nothing below us is alive.
  [[noreturn]] void leave();

  const Run& run_;
  const sigset_t& mask_;  // the command's
  int socket_;
  pid_t wrapper_;
  int children_ = -1;
  int timer_ = -1;

  pid_t command_ = 0;            // 0: not started
  std::optional<int> status_{};  // once it has ended
  bool childless_ = false;
  Scheduling scheduling_{};        // as we were started
  std::optional<int> niceness_{};  // unless we run before all that is not as urgent
  Lateness lateness_{Clock::duration::zero()};
  Clock::time_point next_tick_{};
  Clock::duration tick_ = kFirstTick;
  Clock::duration counted_on_{};  // lateness that can be made good, or was said beforehand
  bool said_late_ = false;        // later than that
  HoldTerms terms_{};
  Clock::time_point valid_until_ = Clock::time_point::max();
  Deadlines end_{};             // whatever the lease says
  Roster roster_{};             // of those that would have to be killed
  bool prepared_ = false;       // it is new
  bool has_own_group_ = false;  // the command
  bool ignores_children_ = false;
  bool told_ = false;
  bool maximum_ = false;        // was reached before the end of the lease
  bool gone_ = false;           // the wrapper
  lock::SessionKey session_{};  // the wrapper's
  bool said_ = false;
  bool reported_ = false;
};

void Guard::prepare() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "holdfast-guard");
  // Inherited and ignored, the kernel would reap by itself, and the wrapper would not learn how the command ended.
  struct sigaction before {};
  ::sigaction(SIGCHLD, nullptr, &before);
  ignores_children_ = before.sa_handler == SIG_IGN;
  ::signal(SIGCHLD, SIG_DFL);
  // Stopped by a signal, we are of no use; so at least not when the wrapper is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  children_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  timer_ = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  // The wrapper sees that we are gone, before anything was started.
  if (children_ < 0 || timer_ < 0) ::_exit(1);
  scheduling_ = own_scheduling();
  if (hurry(0, Urgency::most) == Turn::usual) {
    niceness_ = own_scheduling().niceness;
    lateness_ = Lateness(assumed_lateness(*niceness_, sessions_are_equal()));
  }
  next_tick_ = Clock::now() + tick_;
}

void Guard::live() {
  prepare();
  for (;;) {
    set_timer();
    std::array<pollfd, 3> fds{{{socket_, POLLIN, 0}, {children_, POLLIN, 0}, {timer_, POLLIN, 0}}};
    if (gone_) fds[0].fd = -1;
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) ::_exit(1);
    // New deadlines before the clock: a wrapper that was late, and not too late, has kept its lock.
    if (fds[0].revents != 0) hear();
    look_at_the_clock();
    if (status_ && (told_ || gone_) && nothing_left()) {
      const bool all_dead = escaped_are_dead();
      report_end(false, all_dead ? 0 : 1);
      if (!all_dead) ::_exit(0);
      leave();
    }
    if (status_ && !told_ && !reported_) report_end();
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
      case ToGuardian::Kind::signal:
        if (command_ != 0 && !status_) forward_signal(command_, has_own_group_, order.signal);
        break;
      case ToGuardian::Kind::lease: valid_until_ = order.valid_until; break;
      case ToGuardian::Kind::end: end_ = end_now(terms_, Clock::now()); break;
      case ToGuardian::Kind::session: session_ = {order.session, {order.password.begin(), order.password.end()}}; break;
    }
  }
}

void Guard::start(const ToGuardian& order) {
  terms_ = order.terms;
  valid_until_ = order.valid_until;
  say_what_can_be_kept();
  const auto env = environment_of_command(run_, order.token);
  const auto group = group_for_command(wrapper_);
  has_own_group_ = group == 0;
  const auto started = start_command(
      {run_.options.command, env, mask_, group, ignores_children_, scheduling_, std::min(plan().tell, plan().kill)});
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
  // Out of reach of Ctrl-C, Ctrl-Z and `kill %1`; the command stays in the session, so that it can use the terminal. And the kernel may share
  // the processor among sessions, not processes (sched_autogroup_enabled): ours is then as good as any other.
  ::setsid();
  next_tick_ = Clock::now() + terms_.margin;  // that took as long as it took, and says nothing of us
  // So that no reader waits for the end of a pipe that only we still hold.
  let_go_of_streams(socket_, {children_, timer_});
  report({.kind = FromGuardian::Kind::started, .value = command_});
}

void Guard::say_what_can_be_kept() {
  counted_on_ = std::max(terms_.largest_margin, lateness_.expected());
  if (counted_on_ == terms_.largest_margin || run_.options.quiet || terms_.on_lost == OnLost::ignore) return;
  say(run_.names() + ": " +
      what_it_can_keep({counted_on_, terms_.largest_margin, run_.service.session_timeout, niceness_}));
}

void Guard::wrapper_is_gone() {
  gone_ = true;
  if (command_ == 0) leave();
  if (told_) return;
  auto terms = terms_;
  if (terms.on_lost == OnLost::ignore) terms.on_lost = OnLost::term;
  end_ = end_now(terms, Clock::now());
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
      // Another process continued the command alone, and the wrapper stopped itself for it. Unless it was us, so that it hears that it has to end.
      if (!gone_ && !told_) ::kill(wrapper_, SIGCONT);
    } else {
      status_ = status;
    }
  }
}

void Guard::measure(Clock::time_point now) {
  if (now < next_tick_) return;
  lateness_.came(next_tick_, now);
  tick_ = command_ == 0 ? std::min<Clock::duration>(2 * tick_, kLastTick) : terms_.margin;
  next_tick_ = now + tick_;
  if (command_ == 0 || said_late_ || lateness_.expected() <= counted_on_) return;
  said_late_ = true;
  report({.kind = FromGuardian::Kind::late, .by = lateness_.expected() - terms_.largest_margin});
}

Deadlines Guard::plan() const {
  const auto by_lease = plan_deadlines(terms_now(), valid_until_);
  return {std::min(by_lease.tell, end_.tell), std::min(by_lease.kill, end_.kill)};
}

bool Guard::maximum_is_reached() const {
  auto lease_only = terms_now();
  lease_only.hold_until = Clock::time_point::max();
  const auto now = Clock::now();
  const auto by_lease = plan_deadlines(lease_only, valid_until_);
  return !gone_ && end_ == Deadlines{} && now >= terms_.hold_until && now < std::min(by_lease.tell, by_lease.kill);
}

// After TERM was sent, what is below us is known.
Clock::time_point Guard::prepare_at(const Deadlines& plan) const {
  if (told_ || plan.kill == Clock::time_point::max()) return Clock::time_point::max();
  return plan.kill - terms_now().margin;
}

// Once it was reaped, its number may be that of another process, or group.
void Guard::kill_command() const {
  if (status_) return;
  if (has_own_group_) ::kill(-command_, SIGKILL);
  ::kill(command_, SIGKILL);
}

void Guard::look_at_the_clock() {
  const auto now = Clock::now();
  measure(now);
  if (command_ == 0) return;
  reap();
  if (status_ && !told_ && !gone_) return;  // it ended by itself, in time
  const auto planned = plan();
  if (now >= planned.kill) kill_all();
  if (now >= planned.tell && !told_) tell();
  const bool close = now >= prepare_at(planned);
  if (close && !prepared_) roster_.look(::getpid(), planned.kill);
  prepared_ = close;
}

void Guard::tell() {
  told_ = true;
  maximum_ = maximum_is_reached();
  end_.kill = std::min(end_.kill, end_now({.kill_after = terms_.kill_after}, Clock::now()).kill);
  roster_.look(::getpid(), plan().kill);
  roster_.ask_to_end();
  if (wrapper_stands_still()) {
    said_ = true;
    say(run_.names() + ": stopped for too long to keep the lock; ending the command");
  } else if (gone_) {
    say(run_.names() + ": holdfast was killed (pid " + std::to_string(wrapper_) + "); ending the command it ran");
  }
  report({.kind = FromGuardian::Kind::told, .maximum = maximum_, .said = said_});
}

void Guard::kill_all() {
  const auto give_up = Clock::now() + kKillTimeout;
  if (!told_) maximum_ = maximum_is_reached();
  // First, by the least work, what is known; then what has come since.
  kill_command();
  roster_.kill();
  kill_and_hurry(run_.id);
  // Not after those that the kernel keeps alive.
  kill_by_environment(run_.id);
  do {
    kill_and_hurry(run_.id);
    pollfd child{children_, POLLIN, 0};
    ::poll(&child, 1, kLookAgainAfterMs);
    reap();
  } while (!nothing_left() && Clock::now() < give_up);
  if (!told_ && wrapper_stands_still()) {
    said_ = true;
    say(run_.names() + ": stopped for too long to keep the lock; the command was killed");
  }
  const bool all_dead = escaped_are_dead() && nothing_left();
  report_end(true, all_dead ? 0 : std::max<std::size_t>(command_processes(run_.id).size(), 1));
  if (!all_dead) ::_exit(0);
  leave();
}

// A wrapper that lives gives the lock back itself.
void Guard::leave() {
  if (!gone_) ::_exit(0);
  end_session_and_exit(run_.service, session_);
}

void Guard::set_timer() {
  auto next = next_tick_;
  const bool over = status_ && !told_ && !gone_;
  if (command_ != 0 && !over) {
    const auto planned = plan();
    next = std::min(next, planned.kill);
    if (!told_) next = std::min(next, planned.tell);
    if (!prepared_) next = std::min(next, prepare_at(planned));
  }
  // Zero would switch it off.
  const auto since = std::max<Clock::duration>(next.time_since_epoch(), std::chrono::nanoseconds(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  itimerspec when{};
  when.it_value = {seconds.count(), static_cast<long>((since - seconds).count())};
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
  end.maximum = maximum_;
  end.killed = killed;
  end.said = said_;
  end.left = static_cast<std::uint32_t>(left);
  report(end);
}

}  // namespace

void guard(const Run& run, const sigset_t& mask, int socket) { Guard(run, mask, socket).live(); }

}  // namespace holdfast::cli
