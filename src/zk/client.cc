#include "zk/client.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "net/frame_socket.h"

namespace holdfast::zk {
namespace {

// The pause after all servers were tried in vain; it doubles each time, so that a starting server is not swamped.
constexpr auto kFirstPause = std::chrono::milliseconds(50);
constexpr auto kLongestPause = std::chrono::milliseconds(1'000);
// After a line that lasted this long the next one is tried immediately.
constexpr auto kGoodLine = std::chrono::seconds(1);
// Sessions may be long; a dead server is noticed earlier.
constexpr Clock::duration kLongestSilence = std::chrono::seconds(10);
// A busy server needs some time, and each attempt may leave a session behind there.
constexpr Clock::duration kLeastTimeout = std::chrono::milliseconds(500);
// If a server has not answered by then, and there was no session yet, it is asked what it is. Not earlier, because another connection is a
// burden to a busy server.
constexpr Clock::duration kWhatIsIt = std::chrono::milliseconds(500);
// Paths in one frame. Servers refuse frames of more than a megabyte.
constexpr std::size_t kMostPathBytes = std::size_t{128} << 10;
constexpr auto kGibberish = net::FrameSocket::kGibberish;

}  // namespace

Client::Client(spi::Executor& executor, Dial dial, Options options, Events events)
    : executor_(executor),
      dial_(std::move(dial)),
      options_(std::move(options)),
      events_(std::move(events)),
      identities_(options_.auth),
      timeout_(options_.session_timeout) {}

Client::~Client() { close(); }

void Client::open(const net::ServerAddresses& servers) {
  set_servers(servers);
  dial();
}

void Client::set_servers(const net::ServerAddresses& told) {
  auto servers = told.empty() ? net::ServerAddresses{{}} : told;
  // Shuffled, so that the clients of an ensemble spread over it. From then on in turn, in whichever order the list comes again.
  std::sort(servers.begin(), servers.end());
  auto known = servers_;
  std::sort(known.begin(), known.end());
  if (servers == known) return;
  std::shuffle(servers.begin(), servers.end(), base::Dice());
  servers_ = std::move(servers);
  server_ = 0;
}

// -------------------------------------------------------------------------------------------------------------- lines

void Client::dial() {
  welcome_ = ready_ = false;
  dialled_ = executor_.now();
  dialled_to_ = servers_[server_ % servers_.size()];
  // The callbacks do not keep the client alive, and are called only while this is its line.
  const auto mine = std::make_shared<std::weak_ptr<Line>>();
  const auto with_us = [weak = weak_from_this(), mine](auto&& what) {
    const auto self = weak.lock();
    if (self && self->line_ && self->line_ == mine->lock()) what(*self);
  };
  line_ = dial_(server(), line_timeout(),
                {[with_us](std::string_view frame) { with_us([&](Client& self) { self.received(frame); }); },
                 [with_us](const std::string& why) { with_us([&](Client& self) { self.lost(why); }); }});
  *mine = line_;
  wire::Writer hello;
  encode(hello, wire::ConnectRequest{.last_zxid_seen = last_zxid_,
                                     .timeout = static_cast<std::int32_t>(std::min<std::int64_t>(
                                         options_.session_timeout.count(), std::numeric_limits<std::int32_t>::max())),
                                     .session = session_,
                                     .password = session_ == 0 ? std::string(16, '\0') : password_,
                                     .has_read_only = true});
  line_->send(hello.take());
  if (session_ != 0) return;
  executor_.at(executor_.now() + std::min(line_timeout() / 2, kWhatIsIt),
               [weak = weak_from_this(), line = std::weak_ptr(line_)] {
                 const auto self = weak.lock();
                 if (self && self->line_ && self->line_ == line.lock() && !self->welcome_) self->ask_what_listens();
               });
}

// Only for the first session. A client that had a session knows that a ZooKeeper was there.
void Client::ask_what_listens() {
  const auto asked = server();
  if (session_ != 0 || abandoned_ || questions_.contains(asked)) return;
  questions_[asked] = line_->ask_what_listens([weak = weak_from_this(), asked](const net::Stranger& stranger) {
    const auto self = weak.lock();
    if (!self) return;
    self->trouble_.found(asked, stranger);
    self->tell_if_no_service();
  });
}

void Client::tell_if_no_service() {
  if (!abandoned_ && events_.no_service && no_service()) events_.no_service();
}

void Client::drop_line() {
  unset_ = 0;
  executor_.cancel(std::exchange(next_, spi::Executor::kNoTimer));
  login_.reset();
  if (const auto line = std::exchange(line_, nullptr)) line->let_go();
}

void Client::lost(const std::string& why) {
  base::log().debug("no connection to {}: {}", server().text(), why);
  lost_server_ = server();
  why_lost_ = why;
  trouble_.failed(lost_server_, why);
  if (!welcome_ && why != kRefused) ask_what_listens();
  drop_line();
  ++server_;
  welcome_ = false;
  const bool was_connected = std::exchange(ready_, false);
  failed_ = was_connected && executor_.now() - dialled_ >= kGoodLine ? 0 : failed_ + 1;
  fail_all(Code::connection_loss);
  if (was_connected && !abandoned_) events_.session(State::disconnected, session_, timeout_);
  // The observer may have closed the client, or given it a new line.
  if (!abandoned_ && !line_) dial_later();
  tell_if_no_service();
}

void Client::dial_later() {
  Clock::duration pause{};
  if (const auto rounds = failed_ / servers_.size(); failed_ > 0 && failed_ % servers_.size() == 0) {
    pause = std::min<Clock::duration>(kFirstPause * (1 << std::min<std::size_t>(rounds, 6)), kLongestPause);
    // Spread over time, so that not all clients come at the same moment.
    base::Dice dice;
    pause -= pause / 2 * std::uniform_int_distribution<int>(0, 1'000)(dice) / 1'000;
  }
  next_ = executor_.at(executor_.now() + pause, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->abandoned_ && !self->line_) self->dial();
  });
}

Clock::duration Client::third() const { return std::min(timeout_ / 3, kLongestSilence); }

// How long to wait for a server that has accepted a connection and says nothing.
Clock::duration Client::line_timeout() const {
  return session_ == 0 ? first_timeout() : std::max(third(), kLeastTimeout);
}

// As long as there is no session, each server gets its share of the time.
Clock::duration Client::first_timeout() const {
  const auto share = options_.connection_timeout / static_cast<int>(servers_.size() + 1);
  return std::max(std::min(third(), share), kLeastTimeout);
}

// When to give up a server that says nothing: after two thirds of the timeout, and not before it had one third to answer. A client that spoke late itself,
// because its machine is busy, must not take that for the server's silence. During a login by SASL the client may have nothing to say for long.
Clock::time_point Client::silence_due() const {
  if (!line_->may_fall_silent()) return Clock::time_point::max();
  const auto due = heard_ + 2 * third();
  if (login_) return due;
  return asked_ > heard_ ? std::max(due, asked_ + third()) : Clock::time_point::max();
}

// The client sends something in every third of the timeout. Nothing is sent during a login by SASL: a server that requires it hangs up on anything else. So a
// SASL login that takes longer than two thirds costs the line. Other logins have a bound of their own.
void Client::keep_alive() {
  executor_.cancel(std::exchange(next_, spi::Executor::kNoTimer));
  const auto speak = login_ ? executor_.now() + third() : sent_ + third();
  next_ = executor_.at(std::min({speak, silence_due(), logins_due()}), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || !self->line_ || self->abandoned_) return;
    self->next_ = spi::Executor::kNoTimer;
    const auto line = self->line_;
    line->attend();  // after a pause of this process the answers are waiting
    if (self->line_ != line || self->abandoned_) return;
    if (self->executor_.now() >= self->silence_due()) return self->lost("it is silent");
    if (self->executor_.now() >= self->logins_due()) return self->lost(std::string(kNoLogin));
    if (!self->login_ && self->executor_.now() >= self->sent_ + self->third())
      self->send(wire::kPingXid, wire::Op::ping, {});
    self->keep_alive();
  });
}

// ------------------------------------------------------------------------------------------------------------- session

void Client::received(std::string_view frame) {
  heard_ = executor_.now();
  if (!welcome_) return welcomed(frame);
  wire::Reader reader(frame);
  const auto xid = reader.i32();
  const auto zxid = reader.i64();
  const auto code = static_cast<Code>(reader.i32());
  if (!reader.ok()) return lost(kGibberish);
  if (xid == wire::kNotificationXid) return event(reader);
  if (xid == wire::kSetWatchesXid && unset_ > 0) --unset_;
  // All events up to this zxid have come. Answers to pings overtake others, so they do not count.
  if ((xid >= 0 || xid == wire::kSetWatchesXid) && unset_ == 0) last_zxid_ = std::max(last_zxid_, zxid);
  if (xid == wire::kAuthXid) return login_answered(code);
  if (login_ && xid > 0 && xid == login_xid_) {
    login_xid_ = 0;  // one answer for each token
    auto challenge = code == Code::ok ? reader.buffer() : wire::Buffer();
    if (!reader.ok()) return lost(kGibberish);
    return login_->answered(code, challenge);
  }
  if (xid == wire::kSetWatchesXid && code != Code::ok) return fire_all();
  if (xid >= 0) answered(xid, code, reader);
}

void Client::welcomed(std::string_view frame) {
  wire::Reader reader(frame);
  wire::ConnectResponse response;
  if (!decode(reader, response)) return lost(kGibberish);
  if (response.session == 0 || response.timeout <= 0) {
    if (session_ == 0) return lost("it gives no session");
    drop_line();
    return events_.session(State::expired, session_, timeout_);
  }
  welcome_ = true;
  trouble_.met(server());
  session_ = response.session;
  password_ = response.password;
  timeout_ = std::chrono::milliseconds(response.timeout);
  sent_ = executor_.now();
  if (!options_.sasl.mechanism.empty()) log_in_by_sasl();
  keep_alive();
  if (!login_) prove_identities();
}

// A refused login is final.
void Client::refuse() {
  drop_line();
  welcome_ = ready_ = false;
  fail_all(Code::connection_loss);
  if (!abandoned_) events_.session(State::refused, session_, timeout_);
}

// The server tells what has happened since the last answer, and watches the rest again.
void Client::watch_again() {
  const auto paths = [](const Watches& watches) {
    std::deque<std::string> all;
    for (auto each = watches.begin(); each != watches.end(); each = watches.upper_bound(each->first)) {
      all.push_back(each->first);
    }
    return all;
  };
  std::array<std::deque<std::string>, kWatchModes> left;
  std::transform(watches_.begin(), watches_.end(), left.begin(), paths);
  while (std::any_of(left.begin(), left.end(), [](const auto& each) { return !each.empty(); })) {
    // Servers before 3.6 know neither of the last two, nor the request that has them.
    const bool old = left[3].empty() && left[4].empty();
    std::size_t bytes = 0;
    wire::Writer body;
    body.i64(last_zxid_);
    for (std::size_t mode = 0; mode < (old ? 3 : kWatchModes); ++mode) {
      std::vector<std::string> some;
      for (auto& all = left[mode]; !all.empty() && bytes < kMostPathBytes; all.pop_front()) {
        bytes += all.front().size() + 4;
        some.push_back(std::move(all.front()));
      }
      body.texts(some);
    }
    send(wire::kSetWatchesXid, old ? wire::Op::set_watches : wire::Op::set_watches2, body.bytes());
    ++unset_;
  }
}

void Client::event(wire::Reader& body) {
  const auto type = static_cast<wire::EventType>(body.i32());
  (void)body.i32();  // state
  const auto path = body.text();
  if (!body.ok()) return lost(kGibberish);
  // One watch at the server may stand for several of this client.
  std::vector<WatchId> fired;
  const auto fire = [&](WatchMode mode, const std::string& at, bool used_up) {
    const auto [begin, end] = watches(mode).equal_range(at);
    for (auto each = begin; each != end; ++each) fired.push_back(each->second);
    if (used_up) watches(mode).erase(begin, end);
  };
  if (type != wire::EventType::node_children_changed) {
    fire(WatchMode::data, path, true);
    fire(WatchMode::exist, path, true);
  }
  if (type == wire::EventType::node_children_changed || type == wire::EventType::node_deleted) {
    fire(WatchMode::children, path, true);
  }
  fire(WatchMode::persistent, path, false);
  if (!watches(WatchMode::recursive).empty() && type != wire::EventType::node_children_changed) {
    for (auto at = path; at.size() > 1; at.erase(at.rfind('/'))) fire(WatchMode::recursive, at, false);
    fire(WatchMode::recursive, "/", false);
  }
  std::sort(fired.begin(), fired.end());
  fired.erase(std::unique(fired.begin(), fired.end()), fired.end());
  for (const auto watch : fired) {
    if (!abandoned_) events_.watch(watch, type, path);
  }
}

// The server does not watch these nodes any more, so the caller has to look.
void Client::fire_all() {
  const auto all = std::exchange(watches_, {});
  for (std::size_t mode = 0; mode < kWatchModes; ++mode) {
    const auto type = static_cast<WatchMode>(mode) == WatchMode::children ? wire::EventType::node_children_changed
                                                                          : wire::EventType::node_data_changed;
    for (const auto& [path, watch] : all[mode]) {
      if (!abandoned_) events_.watch(watch, type, path);
    }
  }
}

// ------------------------------------------------------------------------------------------------------------ requests

void Client::send(std::int32_t xid, wire::Op op, std::string_view body) {
  sent_ = executor_.now();
  if (asked_ <= heard_) asked_ = sent_;
  line_->send(wire::request(xid, op, body));
}

std::int32_t Client::next_xid() {
  return last_xid_ = last_xid_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_xid_ + 1;
}

void Client::ask(wire::Op op, const wire::Writer& body, Call call) {
  if (!line_ || !ready_) {
    return executor_.post([done = std::move(call.done)] { done({.code = Code::connection_loss}); });
  }
  call.xid = next_xid();
  send(call.xid, op, body.bytes());
  calls_.push_back(std::move(call));
}

void Client::answered(std::int32_t xid, Code code, wire::Reader& body) {
  if (calls_.empty() || calls_.front().xid != xid) return lost(kNotAsked);
  auto call = std::move(calls_.front());
  calls_.pop_front();
  Answer answer{.code = code};
  if (code == Code::ok) {
    call.parse(body, answer);
    if (!body.ok()) {
      calls_.push_front(std::move(call));
      return lost(kGibberish);
    }
  }
  // exists() leaves a watch on a missing node as well.
  const bool absent = code == Code::no_node && call.mode == WatchMode::exist;
  if (call.watch != kNoWatch && (code == Code::ok || absent)) {
    const auto mode = call.mode == WatchMode::exist && !absent ? WatchMode::data : call.mode;
    const auto [begin, end] = watches(mode).equal_range(call.path);
    const bool stays = mode == WatchMode::persistent || mode == WatchMode::recursive;
    const bool known = stays && std::any_of(begin, end, [&](const auto& each) { return each.second == call.watch; });
    if (!known) watches(mode).emplace(call.path, call.watch);
  }
  call.done(std::move(answer));
  if (code == Code::session_closed_require_auth && !abandoned_) refuse();
}

void Client::fail_all(Code code) {
  const auto logins = std::exchange(logins_, {});
  for (auto& call : std::exchange(calls_, {})) call.done({.code = code});
  for (const auto& done : logins) {
    if (done) done({.code = code});
  }
}

void Client::abandon(Code code) {
  if (std::exchange(abandoned_, true)) return;
  questions_.clear();
  executor_.cancel(std::exchange(next_, spi::Executor::kNoTimer));
  // From here on close() has the line, outside the Executor.
  login_.reset();
  leaving_ = std::exchange(line_, nullptr);
  if (leaving_) leaving_->let_go();
  fail_all(code);
}

void Client::close() {
  const auto line = std::exchange(leaving_, nullptr);
  if (!line) return;
  line->close(wire::request(0, wire::Op::close_session));
}

}  // namespace holdfast::zk
