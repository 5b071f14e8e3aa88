#include "redis/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "redis/greeting.h"

namespace holdfast::redis {
namespace {

// The first pause between two rounds over all servers; it grows.
constexpr Clock::duration kShortestPause = std::chrono::milliseconds(20);
constexpr Clock::duration kLongestPause = std::chrono::seconds(1);
// Of the time for a round, what each server has its share of: so that what is wrong is known when the time is over.
constexpr auto with_reserve(Clock::duration round) { return round * 9 / 10; }
constexpr std::string_view kSilent = "it does not answer";

// What the system and the socket say, with what to do about it.
std::string advice(const std::string& why, bool was_connected, bool by_tls) {
  if (why == "Connection refused") return "connection refused; is the server running?";
  if (was_connected) return why;
  if (by_tls) return why == kSilent ? "it does not answer; does it speak TLS at this port?" : why;
  const bool hung_up = why == net::StreamSocket::kHungUp || why == "Connection reset by peer";
  return hung_up ? why + "; if it wants TLS, write rediss://" : why;
}

}  // namespace

Client::Client(net::Reactor& reactor, Options options, Events events, std::shared_ptr<net::ClientTls> tls)
    : reactor_(reactor),
      options_(std::move(options)),
      events_(std::move(events)),
      tls_(std::move(tls)),
      resolver_(reactor, tls_ ? net::Names::kept : net::Names::dropped) {
  if (options_.master.empty()) return;
  sentinels_ = std::make_unique<Sentinels>(reactor,
                                           Sentinels::Options{.sentinels = options_.servers,
                                                              .master = options_.master,
                                                              .user = options_.sentinel_user,
                                                              .password = options_.sentinel_password,
                                                              .patience = options_.connection_timeout / 2},
                                           tls_);
}

Client::~Client() = default;

void Client::open() {
  state_ = State::dialling;
  look_up();
}

// Before every round, because the servers may have moved.
void Client::look_up() {
  if (!sentinels_) return look_up(options_.servers, {});
  sentinels_->find([this](const Sentinels::Found& found) {
    if (state_ != State::dialling) return;
    if (found.final) return refuse(found.trouble);
    look_up(found.master ? net::ServerAddresses{*found.master} : net::ServerAddresses{}, found.trouble);
  });
}

void Client::look_up(const net::ServerAddresses& servers, const std::string& trouble) {
  resolver_.resolve(servers, [this, trouble](const net::ServerAddresses& resolved, const std::string& unresolved) {
    if (state_ != State::dialling) return;
    unresolved_ = trouble.empty() || unresolved.empty() ? trouble + unresolved : trouble + "; " + unresolved;
    servers_ = resolved;
    // A former master does not matter any more.
    std::erase_if(why_, [&](const auto& each) {
      return std::none_of(servers_.begin(), servers_.end(),
                          [&](const auto& server) { return server.text() == each.first; });
    });
    left_in_round_ = servers_.size();
    dial();
  });
}

void Client::dial() {
  dial_timer_ = net::Reactor::kNoTimer;
  if (state_ != State::dialling) return;
  if (left_in_round_ == 0) {
    pause_ = std::clamp(2 * pause_, kShortestPause, kLongestPause);
    dial_timer_ = reactor_.at(reactor_.now() + pause_, [this] {
      dial_timer_ = net::Reactor::kNoTimer;
      if (state_ == State::dialling) look_up();
    });
    return;
  }
  --left_in_round_;
  const auto& server = servers_[next_server_ % servers_.size()];
  const auto share = with_reserve(options_.connection_timeout) / static_cast<Clock::rep>(servers_.size());
  const auto number = ++line_number_;
  line_ = Line::make(reactor_, server, reactor_.now() + share,
                     {.received = [this](resp::Value value) { received(std::move(value)); },
                      .lost =
                          [this, number](const std::string& why) {
                            if (number == line_number_) lost(why);
                          }},
                     tls_.get());
  heard_ = reactor_.now();
  log_in();
}

void Client::log_in() {
  resp::Command hello{"HELLO", "3"};
  if (!options_.password.empty() || !options_.user.empty()) {
    hello.insert(hello.end(), {"AUTH", options_.user.empty() ? "default" : options_.user, options_.password});
  }
  if (!options_.name.empty()) hello.insert(hello.end(), {"SETNAME", options_.name});
  std::vector<resp::Command> commands{hello};
  if (options_.database != 0) commands.push_back({"SELECT", std::to_string(options_.database)});
  for (const auto& script : options_.scripts) commands.push_back({"SCRIPT", "LOAD", script});
  digests_.clear();
  logging_in_ = commands.size();
  for (const auto& command : commands) {
    send(command, [this, what = command.front()](const auto& answer) { logged_in(what, answer); });
  }
}

void Client::logged_in(const std::string& what, const std::optional<resp::Value>& answer) {
  if (!answer || state_ != State::dialling) return;
  if (answer->is_error()) return give_up(refusal_of(*answer, what));
  if (what == "HELLO") {
    const auto greeting = greeting_of(*answer);
    if (!greeting) return lost("what listens there is not a Redis");
    if (const auto refusal = refusal_of(*greeting)) return give_up(*refusal);
  }
  if (what == "SCRIPT") digests_.push_back(answer->text);
  if (--logging_in_ > 0) return;
  state_ = State::connected;
  connected_since_ = reactor_.now();
  why_.clear();
  watch_silence();
  events_.connected();
}

void Client::give_up(const Refusal& refusal) { refusal.final ? refuse(refusal.why) : lost(refusal.why); }

void Client::send(const resp::Command& command, Done done) {
  if (pending_.empty()) heard_ = reactor_.now();  // before that the server owed nothing
  pending_.push_back({std::move(done), command.front()});
  line_->write(resp::encode(command));
}

void Client::call(const resp::Command& command, Done done) {
  if (state_ == State::connected) return send(command, std::move(done));
  reactor_.post([done = std::move(done)] { done(std::nullopt); });
}

void Client::call_script(std::size_t script, resp::Command words, Done done) {
  if (state_ != State::connected) return reactor_.post([done = std::move(done)] { done(std::nullopt); });
  send(command_of(script, std::move(words)), [this, done = std::move(done)](std::optional<resp::Value> answer) {
    // SCRIPT FLUSH, or another server at the same address. Later commands may or may not be executed: order is restored only by the next
    // connection.
    if (answer && answer->code() == "NOSCRIPT") {
      leave("its scripts were removed (SCRIPT FLUSH)");
      answer.reset();
    }
    done(std::move(answer));
  });
}

resp::Command Client::command_of(std::size_t script, resp::Command words) const {
  words.insert(words.begin(), {"EVALSHA", digests_.at(script)});
  return words;
}

void Client::received(resp::Value value) {
  heard_ = reactor_.now();
  if (value.type == resp::Value::Type::push) {
    if (value.items.size() == 3 && value.items[0].text == "message" && state_ == State::connected) {
      events_.told(value.items[1].text, std::move(value.items[2].text));
    }
    if (!answers_a_command(value)) return;
  }
  if (pending_.empty()) {
    // A server that is full, or in protected mode, sends an error first and closes the connection.
    if (value.is_error()) {
      const auto refusal = refusal_of(value, {});
      return state_ == State::dialling ? give_up(refusal) : lost(refusal.why);
    }
    return lost("it answers what was not asked");
  }
  auto done = std::move(pending_.front().done);
  pending_.pop_front();
  done(std::move(value));
}

void Client::leave(std::string why) {
  reactor_.post([this, number = line_number_, why = std::move(why)] {
    if (number == line_number_) lost(why);
  });
}

void Client::lost(const std::string& why) {
  if (state_ != State::dialling && state_ != State::connected) return;
  ++line_number_;
  if (line_) std::exchange(line_, nullptr)->let_go();
  reactor_.cancel(std::exchange(silence_timer_, net::Reactor::kNoTimer));
  const bool was_connected = std::exchange(state_, State::dialling) == State::connected;
  if (!servers_.empty())
    why_[servers_[next_server_++ % servers_.size()].text()] = advice(why, was_connected, tls_ != nullptr);
  answer_all_with_nothing();
  if (!was_connected) return dial();
  // A connection that was of use is replaced immediately. If connections end quickly again and again, there is a pause between them.
  if (reactor_.now() - connected_since_ >= kLongestPause) pause_ = {};
  left_in_round_ = 0;
  events_.disconnected();
  if (state_ != State::dialling) return;
  if (pause_ > Clock::duration::zero()) return dial();
  pause_ = kShortestPause;
  look_up();
}

void Client::refuse(const std::string& why) {
  ++line_number_;
  if (line_) std::exchange(line_, nullptr)->let_go();
  state_ = State::refused;
  if (!servers_.empty()) why_[servers_[next_server_ % servers_.size()].text()] = why;
  answer_all_with_nothing();
  events_.refused(why);
}

void Client::answer_all_with_nothing() {
  for (auto& each : std::exchange(pending_, {})) each.done(std::nullopt);
}

void Client::watch_silence() {
  silence_timer_ = reactor_.at(reactor_.now() + options_.silence / 4, [this] {
    silence_timer_ = net::Reactor::kNoTimer;
    if (state_ != State::connected) return;
    const auto number = line_number_;
    line_->attend();  // it may have been this process that was stopped
    if (state_ != State::connected || number != line_number_) return;
    if (!pending_.empty() && reactor_.now() - heard_ > options_.silence) return lost("it does not answer");
    watch_silence();
  });
}

std::string Client::trouble() const {
  if (state_ == State::connected) return {};
  std::string text = unresolved_;
  const bool several = servers_.size() > 1 || sentinels_;
  for (const auto& [server, why] : why_) {
    if (!text.empty()) text += "; ";
    text += several ? fmt::format("{}: {}", server, why) : why;
  }
  return text;
}

std::function<void()> Client::close(const resp::Command& goodbye) {
  const bool was_connected = std::exchange(state_, State::closed) == State::connected;
  ++line_number_;
  resolver_.cancel();
  if (sentinels_) sentinels_->cancel();
  reactor_.cancel(std::exchange(silence_timer_, net::Reactor::kNoTimer));
  reactor_.cancel(std::exchange(dial_timer_, net::Reactor::kNoTimer));
  const auto line = std::exchange(line_, nullptr);
  if (line) line->let_go();
  const auto unanswered = pending_.size();
  answer_all_with_nothing();
  if (!was_connected || !line || goodbye.empty()) return {};
  return [line, bytes = resp::encode(goodbye), answers = unanswered + 1] { line->close(bytes, answers); };
}

}  // namespace holdfast::redis
