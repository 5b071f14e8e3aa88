#include "cli/shell/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <random>
#include <system_error>

namespace holdfast::cli::shell {
namespace {

using std::chrono::milliseconds;

// Between two rounds through the servers: short at first, as most outages are, and never long enough to make a person
// wait.
constexpr milliseconds kFirstRest{100};
constexpr milliseconds kLongestRest{2'000};
// So that a long list of servers still gives each of them a chance.
constexpr milliseconds kShortestAttempt{500};
// For the server's word that the session is closed. It ends by itself soon after.
constexpr milliseconds kGoodbye{1'000};

}  // namespace

Session::Session(SessionOptions options, Interruption interruption, SessionNews news)
    : options_(std::move(options)), interruption_(std::move(interruption)), news_(std::move(news)) {}

Session::~Session() { close(); }

void Session::move_to(std::vector<Host> hosts) {
  close();
  options_.hosts = std::move(hosts);
  options_.auth.clear();
  options_.locate = nullptr;
}

Answer<void> Session::open() {
  close();
  session_ = 0;
  password_.assign(16, '\0');
  last_zxid_ = 0;
  was_ready_ = expired_ = false;
  failures_ = refusals_ = 0;
  watches_.clear();
  // As every client does, so that the clients of an ensemble spread over it.
  host_ = std::random_device{}() % options_.hosts.size();
  phase_ = Phase::resting;
  rest_ends_ = now();
  auto reached = wait_until_ready();
  if (!reached) {
    socket_.reset();
    phase_ = Phase::closed;
  }
  return reached;
}

void Session::close() {
  if (phase_ == Phase::ready) {
    const Question goodbye{.op = wire::Op::close_session, .body = {}};
    Pending pending{.xid = next_xid_++, .question = &goodbye};
    pending_ = &pending;
    leaving_ = true;
    send(pending.xid, goodbye.op, {});
    const auto until = now() + kGoodbye;
    while (!pending.answer && now() < until && phase_ == Phase::ready) {
      if (step(-1, until) == Woke::interrupted) break;
    }
    pending_ = nullptr;
    leaving_ = false;
  }
  socket_.reset();
  phase_ = Phase::closed;
  last_trouble_ = "a server; connect opens a new session";
}

Answer<std::string> Session::ask(const Question& question) {
  if (auto there = wait_until_ready(); !there) return tl::unexpected(there.error());
  Pending pending{.xid = next_xid_++, .question = &question};
  if (next_xid_ == std::numeric_limits<std::int32_t>::max()) next_xid_ = 1;
  pending_ = &pending;
  send(pending.xid, question.op, question.body);
  return wait_for_answer();
}

Answer<void> Session::add_auth(const Auth& auth) {
  if (auto there = wait_until_ready(); !there) return there;
  Pending pending{.xid = wire::kAuthXid, .question = nullptr};
  pending_ = &pending;
  send_auth(auth);
  const auto answer = wait_for_answer();
  if (!answer) return tl::unexpected(answer.error());
  options_.auth.push_back(auth);
  return {};
}

Answer<std::string> Session::wait_for_answer() {
  auto& pending = *pending_;
  while (!pending.answer) {
    if (step(-1, now() + kLongestRest) == Woke::interrupted) {
      pending.answer = tl::unexpected(Failure{.kind = Failure::Kind::interrupted});
    }
  }
  pending_ = nullptr;
  return *std::move(pending.answer);
}

// Once may be a server that is just restarting. One that is located is started by that. And in a session that goes on there is something to wait for.
bool Session::every_server_refuses() const {
  return session_ == 0 && !options_.locate && refusals_ >= 2 * options_.hosts.size();
}

Answer<void> Session::wait_until_ready() {
  const auto until = now() + options_.connect_timeout;
  while (phase_ != Phase::ready) {
    if (phase_ == Phase::closed || now() >= until || every_server_refuses()) {
      const bool starting = phase_ != Phase::closed && socket_ != nullptr;
      const auto why = starting ? server() + ": it does not answer" : last_trouble_;
      const auto known = explanation();
      return tl::unexpected(
          Failure{.kind = Failure::Kind::not_connected, .detail = known.empty() ? why : why + "; " + known});
    }
    if (step(-1, until) == Woke::interrupted) return tl::unexpected(Failure{.kind = Failure::Kind::interrupted});
  }
  return {};
}

bool Session::wait_readable(int fd) {
  for (;;) {
    const auto woke = step(fd, now() + std::chrono::hours(1));
    if (woke == Woke::input) return true;
    if (woke == Woke::interrupted) return false;
  }
}

Session::Woke Session::step(int fd, Time until) {
  do_what_is_due();
  const auto left = std::chrono::ceil<milliseconds>(std::min(until, due()) - now());
  const short wanted = socket_ && socket_->wants_to_write() ? POLLIN | POLLOUT : POLLIN;
  std::array<pollfd, 3> polled{pollfd{socket_ ? socket_->fd() : -1, wanted, 0}, pollfd{fd, POLLIN, 0},
                               pollfd{interruption_.fd, POLLIN, 0}};
  const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  if (ready <= 0) return Woke::time;
  // First what the network brought: after a pause of this process it decides whether the session is alive.
  if (polled[0].revents != 0) attend_socket();
  if (polled[2].revents != 0 && interruption_.take()) return Woke::interrupted;
  return polled[1].revents != 0 ? Woke::input : Woke::time;
}

Session::Time Session::due() const {
  switch (phase_) {
    case Phase::closed: return Time::max();
    case Phase::resting: return rest_ends_;
    case Phase::connecting:
    case Phase::proving: return attempt_ends_;
    case Phase::ready: return std::min(last_sent_ + timeout_ / 3, last_heard_ + timeout_ * 2 / 3);
  }
  return Time::max();
}

void Session::do_what_is_due() {
  if (now() < due()) return;
  if (phase_ == Phase::resting) return start_attempt();
  if (phase_ == Phase::connecting || phase_ == Phase::proving) return end_connection("it does not answer");
  if (phase_ != Phase::ready) return;
  attend_socket();
  if (phase_ != Phase::ready) return;
  if (now() >= last_heard_ + timeout_ * 2 / 3) return end_connection("it is silent");
  if (now() >= last_sent_ + timeout_ / 3) send(wire::kPingXid, wire::Op::ping, {});
}

bool Session::find_place() {
  if (!options_.locate) return true;
  auto hosts = options_.locate();
  if (!hosts) {
    end_connection(hosts.error());
    return false;
  }
  options_.hosts = *std::move(hosts);
  host_ %= options_.hosts.size();
  return true;
}

void Session::start_attempt() {
  phase_ = Phase::connecting;
  greeted_ = false;
  if (!find_place()) return;
  const auto share = options_.connect_timeout / static_cast<int>(options_.hosts.size());
  attempt_ends_ = now() + std::max(share, kShortestAttempt);
  const auto& host = options_.hosts[host_];
  socket_ = host.name.starts_with('/') ? std::make_unique<net::FrameSocket>(host.name)
                                       : std::make_unique<net::FrameSocket>(
                                             net::Endpoint{host.name, host.name, host.port}, options_.tls.get());
  attend_socket();
}

void Session::greet() {
  wire::Writer writer;
  wire::encode(writer, wire::ConnectRequest{.last_zxid_seen = last_zxid_,
                                            .timeout = static_cast<std::int32_t>(options_.session_timeout.count()),
                                            .session = session_,
                                            .password = password_,
                                            .has_read_only = true});
  socket_->send(writer.bytes());
  greeted_ = true;
}

void Session::attend_socket() {
  if (!socket_) return;
  socket_->on_ready();
  if (!socket_->closed() && !socket_->connecting() && !greeted_) greet();
  while (socket_) {
    const auto frame = socket_->next_frame();
    if (!frame) break;
    last_heard_ = now();
    on_frame(*frame);
  }
  if (socket_ && socket_->closed()) end_connection(socket_->reason());
}

void Session::end_connection(const std::string& reason) {
  const bool was_there = phase_ == Phase::ready;
  last_trouble_ = server() + ": " + reason;
  refusals_ = reason == std::generic_category().message(ECONNREFUSED) ? refusals_ + 1 : 0;
  socket_.reset();  // the reason may be its own
  phase_ = Phase::resting;
  rest_ends_ = now();
  // The first attempt is made at once and, if it was this server that went, at the next one.
  if (!was_there || options_.hosts.size() > 1) host_ = (host_ + 1) % options_.hosts.size();
  if (was_there) {
    failures_ = 0;
  } else if (const auto rounds = ++failures_ / options_.hosts.size(); failures_ % options_.hosts.size() == 0) {
    rest_ends_ += std::min(kLongestRest, kFirstRest * (1 << std::min<std::size_t>(rounds, 6)));
  }
  if (pending_ && !pending_->answer) {
    pending_->answer = tl::unexpected(Failure{.kind = Failure::Kind::unanswered, .detail = last_trouble_});
  }
  // Last: the prompt that is drawn again below it shows where we are.
  if (was_there && !leaving_) news_.connection(fmt::format("Lost the connection to {}; trying again", last_trouble_));
}

void Session::refuse(const std::string& reason) {
  end_connection(reason);
  phase_ = Phase::closed;
}

void Session::send(std::int32_t xid, wire::Op op, std::string_view body) {
  wire::Writer writer;
  writer.i32(xid);
  writer.i32(static_cast<std::int32_t>(op));
  writer.raw(body);
  socket_->send(writer.bytes());
  last_sent_ = now();
}

void Session::send_auth(const Auth& auth) {
  wire::Writer writer;
  encode(writer, wire::AuthRequest{auth.scheme, auth.credentials});
  send(wire::kAuthXid, wire::Op::auth, writer.bytes());
}

}  // namespace holdfast::cli::shell
