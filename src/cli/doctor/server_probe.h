// server_probe.h -- one server of a list, looked at by itself: the handshake of ZooKeeper's protocol, pings.
//
// A client takes any server that answers; this tells which of them do not. All calls end at their deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "net/frame_socket.h"
#include "net/server_address.h"
#include "wire/records.h"

namespace holdfast::cli::doctor {

// Why it did not work: a fact and what to do.
struct ProbeFailure {
  std::string message;
  std::string fix;
  bool refused = false;  // by the machine, at once: nothing listens there
};
template <typename T>
using Probed = tl::expected<T, ProbeFailure>;

// A connection, closed with it.
class ServerProbe {
 public:
  // `tls`: none for plain text. Must outlive it.
  static Probed<ServerProbe> connect(const net::ServerAddress& address, net::ClientTls* tls,
                                     Clock::time_point deadline);

  Clock::duration connected_in() const noexcept { return connected_in_; }

  // The answer to a four-letter word, which ends the connection. Empty: not answered. Instead of a session.
  std::string ask(std::string_view word, Clock::time_point deadline);

  // Begins a session; the timeout that was granted. Once.
  Probed<std::chrono::milliseconds> begin_session(std::chrono::milliseconds asked, Clock::time_point deadline);
  // The rest is for a connection with a session.
  Probed<void> log_in(const SaslOptions& sasl, Clock::time_point deadline);
  Probed<void> log_in(const Auth& auth, Clock::time_point deadline);
  // Whether it serves us, as far as we have logged in: asks for the root.
  Probed<void> read_root(Clock::time_point deadline);
  Probed<Clock::duration> ping(Clock::time_point deadline);
  void end_session(Clock::time_point deadline);

 private:
  ServerProbe(net::ServerAddress address, net::ClientTls* tls)
      : address_(std::move(address)), name_(address_.text()), tls_(tls) {}

  bool connect_to(const net::ServerAddress& address, Clock::time_point deadline);
  // The frame that is answered to this one.
  Probed<std::string> exchange(std::string_view frame, Clock::time_point deadline);
  Probed<wire::Code> request(std::int32_t xid, wire::Op op, std::string_view body, Clock::time_point deadline);
  ProbeFailure login_refused() const;
  ProbeFailure gibberish() const;
  // No answer came.
  ProbeFailure unanswered() const;

  net::ServerAddress address_;
  std::string name_;
  net::ClientTls* tls_;
  std::unique_ptr<net::FrameSocket> socket_;
  Clock::duration connected_in_{};
  bool logged_in_ = false;
};

}  // namespace holdfast::cli::doctor
