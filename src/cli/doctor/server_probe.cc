#include "cli/doctor/server_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "net/resolver.h"
#include "zk/sasl_steps.h"
#include "zk/trouble.h"

namespace holdfast::cli::doctor {
namespace {

// Answers to srvr are a few hundred bytes; a server that sends more is not a ZooKeeper.
constexpr std::size_t kLongestAnswer = 64 * 1024;
constexpr const char* kStartIt = "start it, or correct the address (--url)";
constexpr const char* kSilentFix = "look at the server and at firewalls between here and there";

}  // namespace

bool ServerProbe::connect_to(const net::ServerAddress& address, Clock::time_point deadline) {
  const auto start = Clock::now();
  socket_ = std::make_unique<net::FrameSocket>(address, tls_);
  while (socket_->connecting() && socket_->wait(deadline)) {
  }
  connected_in_ = Clock::now() - start;
  return !socket_->connecting() && !socket_->closed();
}

Probed<ServerProbe> ServerProbe::connect(const net::ServerAddress& address, net::ClientTls* tls,
                                         Clock::time_point deadline) {
  ServerProbe probe(address, tls);
  const auto found = net::look_up({address}, net::Names::kept);
  if (found.servers.empty()) {
    // "zoo: Name or service not known"
    const auto why = found.trouble.substr(std::min(address.host.size() + 2, found.trouble.size()));
    return tl::unexpected(ProbeFailure{fmt::format("{} has no address: {}", probe.name_, why),
                                       "correct the name (--url), or the name service"});
  }
  std::string why;
  bool refused = true;
  for (const auto& each : found.servers) {
    if (probe.connect_to(each, deadline)) return probe;
    why = probe.socket_->connecting() ? "Connection timed out" : probe.socket_->reason();
    refused = refused && why == zk::kRefused;
  }
  // A server may turn TLS down so soon that it is seen with the connection.
  if (tls != nullptr && !refused && probe.socket_->closed()) return tl::unexpected(probe.unanswered());
  return tl::unexpected(ProbeFailure{fmt::format("{} is not reached: {}", probe.name_, why), kStartIt, refused});
}

std::string ServerProbe::ask(std::string_view word, Clock::time_point deadline) {
  socket_->send_word(word);
  std::string answer;
  do {
    answer += socket_->take_bytes();
  } while (answer.size() < kLongestAnswer && !socket_->closed() && socket_->wait(deadline));
  return answer + socket_->take_bytes();
}

ProbeFailure ServerProbe::gibberish() const { return {name_ + " does not speak ZooKeeper's protocol", kStartIt}; }

ProbeFailure ServerProbe::login_refused() const {
  return {name_ + " does not accept the login", "correct the user:password (--auth FILE)"};
}

Probed<std::string> ServerProbe::exchange(std::string_view frame, Clock::time_point deadline) {
  socket_->send(frame);
  if (auto answer = socket_->wait_for_frame(deadline)) return *std::move(answer);
  return tl::unexpected(unanswered());
}

ProbeFailure ServerProbe::unanswered() const {
  if (!socket_->closed()) return {name_ + " accepts connections, but does not answer", kSilentFix};
  if (socket_->reason() == net::FrameSocket::kGibberish) return gibberish();
  if (tls_ == nullptr) {
    return {name_ + " has closed the connection without an answer",
            "its log says why: too many connections of one address, or TLS is expected there"};
  }
  // "its certificate has expired on ...; renew it on the server"
  zk::Trouble trouble;
  trouble.failed(address_, socket_->reason());
  const auto sentence = trouble.text({address_});
  const auto end = std::min(sentence.find("; "), sentence.size());
  return {fmt::format("{}: {}", name_, sentence.substr(0, end)),
          end < sentence.size() ? sentence.substr(end + 2) : "its log says why"};
}

Probed<wire::Code> ServerProbe::request(std::int32_t xid, wire::Op op, std::string_view body,
                                        Clock::time_point deadline) {
  const auto answer = exchange(wire::request(xid, op, body), deadline);
  if (!answer) return tl::unexpected(answer.error());
  wire::Reader reader(*answer);
  (void)reader.i32();  // xid
  (void)reader.i64();  // zxid
  const auto code = static_cast<wire::Code>(reader.i32());
  if (!reader.ok()) return tl::unexpected(gibberish());
  return code;
}

Probed<std::chrono::milliseconds> ServerProbe::begin_session(std::chrono::milliseconds asked,
                                                             Clock::time_point deadline) {
  wire::Writer hello;
  encode(hello,
         wire::ConnectRequest{.timeout = static_cast<std::int32_t>(std::min<std::int64_t>(asked.count(), INT_MAX)),
                              .password = std::string(16, '\0'),
                              .has_read_only = true});
  const auto answer = exchange(hello.bytes(), deadline);
  if (!answer) return tl::unexpected(answer.error());
  wire::Reader reader(*answer);
  wire::ConnectResponse response;
  if (!decode(reader, response)) return tl::unexpected(gibberish());
  if (response.timeout <= 0) return tl::unexpected(ProbeFailure{name_ + " grants no session", "its log says why"});
  return std::chrono::milliseconds(response.timeout);
}

Probed<void> ServerProbe::log_in(const SaslOptions& sasl, Clock::time_point deadline) {
  const auto done = zk::log_in_by_sasl(*socket_, sasl, address_.name_or_host(), 1, deadline);
  if (done) {
    logged_in_ = true;
    return {};
  }
  const auto& why = done.error().why;
  if (why.empty()) return tl::unexpected(unanswered());
  const auto end = std::min(why.find("; "), why.size());
  return tl::unexpected(
      ProbeFailure{fmt::format("{} gives no login: {}", name_, why.substr(0, end)),
                   end < why.size() ? why.substr(end + 2) : "correct sasl in the configuration file"});
}

Probed<void> ServerProbe::log_in(const Auth& auth, Clock::time_point deadline) {
  wire::Writer body;
  encode(body, wire::AuthRequest{auth.scheme, auth.credentials});
  const auto code = request(wire::kAuthXid, wire::Op::auth, body.bytes(), deadline);
  if (!code) return tl::unexpected(code.error());
  if (*code != wire::Code::ok) return tl::unexpected(login_refused());
  logged_in_ = true;
  return {};
}

Probed<void> ServerProbe::read_root(Clock::time_point deadline) {
  wire::Writer body;
  body.text("/");
  body.boolean(false);  // no watch
  const auto code = request(1, wire::Op::exists, body.bytes(), deadline);
  if (!code) return tl::unexpected(code.error());
  // That it is not there, or not for us, is an answer too.
  if (*code != wire::Code::session_closed_require_auth) return {};
  // ZooKeeper's protocol takes every password, and refuses what is asked afterwards.
  if (logged_in_) return tl::unexpected(login_refused());
  return tl::unexpected(
      ProbeFailure{name_ + " serves no client without a login", "give a user:password (--auth FILE)"});
}

Probed<Clock::duration> ServerProbe::ping(Clock::time_point deadline) {
  const auto start = Clock::now();
  const auto code = request(wire::kPingXid, wire::Op::ping, {}, deadline);
  if (!code) return tl::unexpected(code.error());
  return Clock::now() - start;
}

void ServerProbe::end_session(Clock::time_point deadline) {
  // Of a server that does not answer, the session ends by its timeout.
  [[maybe_unused]] const auto answer = request(2, wire::Op::close_session, {}, deadline);
}

}  // namespace holdfast::cli::doctor
