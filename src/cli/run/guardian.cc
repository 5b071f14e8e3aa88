#include "cli/run/guardian.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace holdfast::cli {

Guardian::Guardian(const Run& run, const sigset_t& mask) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  socket_ = base::Descriptor(ends[0]);
  const base::Descriptor theirs(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) {
    socket_.reset();
    guard(run, mask, theirs.get());
  }
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
}

void Guardian::start(std::uint64_t token, const HoldTerms& terms, Clock::time_point valid_until) {
  valid_until_ = valid_until;
  send({.kind = ToGuardian::Kind::start, .valid_until = valid_until, .terms = terms, .token = token});
}

void Guardian::renew(Clock::time_point valid_until) {
  if (valid_until == std::exchange(valid_until_, valid_until)) return;
  send({.kind = ToGuardian::Kind::lease, .valid_until = valid_until});
}

void Guardian::end() { send({.kind = ToGuardian::Kind::end}); }

void Guardian::tell_session(const lock::SessionKey& key) {
  ToGuardian order{.kind = ToGuardian::Kind::session, .session = key.id};
  // A longer one is of a service that we do not know: its session ends by itself. Redis' have none.
  if (key.password.size() > order.password.size()) order.session = 0;
  std::copy_n(key.password.begin(), std::min(key.password.size(), order.password.size()), order.password.begin());
  send(order);
}

void Guardian::forward(int signal) { send({.kind = ToGuardian::Kind::signal, .signal = signal}); }

void Guardian::done() { send({.kind = ToGuardian::Kind::done}); }

void Guardian::send(const ToGuardian& order) {
  // A guardian that does not read (it was stopped) keeps the deadlines it has, which is the safe side.
  ::send(socket_.get(), &order, sizeof order, MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::optional<FromGuardian> Guardian::hear() {
  for (;;) {
    FromGuardian message;
    const ssize_t got = ::recv(socket_.get(), &message, sizeof message, MSG_DONTWAIT);
    if (got == sizeof message) return message;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    dead_ = true;
    return std::nullopt;
  }
}

}  // namespace holdfast::cli
