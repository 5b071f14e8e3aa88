// server_probe.h -- one server of a list, looked at by itself: a plain socket, the handshake of ZooKeeper's protocol, pings.
//
// A client takes any server that answers; this tells which of them do not. All calls end at their deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/clock.h"

namespace holdfast::cli::doctor {

struct ServerAddress {
  std::string host;
  std::string port;

  std::string to_string() const;  // "127.0.0.1:2181", "[::1]:2181", "/a/socket"
};

// "a:2181,b:2182" and "[::1]:2181"; 2181 where there is no port. Or the path of a Unix socket, which has none.
std::vector<ServerAddress> parse_servers(std::string_view hosts);

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
  static Probed<ServerProbe> connect(const ServerAddress& address, Clock::time_point deadline);
  static Probed<ServerProbe> connect_to_path(const std::string& path);
  ~ServerProbe();
  ServerProbe(ServerProbe&& other) noexcept;
  ServerProbe& operator=(ServerProbe&&) = delete;

  Clock::duration connected_in() const noexcept { return connected_in_; }

  // The answer to a four-letter word, which ends the connection. Empty: not answered.
  std::string ask(std::string_view word, Clock::time_point deadline);

  // Begins a session; the timeout that was granted. Once.
  Probed<std::chrono::milliseconds> begin_session(std::chrono::milliseconds asked, Clock::time_point deadline);
  // The rest is for a connection with a session.
  Probed<void> log_in(const Auth& auth, Clock::time_point deadline);
  // Whether it serves us, as far as we have logged in: asks for the root.
  Probed<void> read_root(Clock::time_point deadline);
  Probed<Clock::duration> ping(Clock::time_point deadline);
  void end_session(Clock::time_point deadline);

 private:
  ServerProbe(std::string name, int socket, Clock::duration connected_in)
      : name_(std::move(name)), socket_(socket), connected_in_(connected_in) {}

  bool wait(short events, Clock::time_point deadline) const;
  bool send(std::string_view bytes, Clock::time_point deadline) const;
  bool receive(std::string& bytes, std::size_t size, Clock::time_point deadline) const;
  Probed<std::string> exchange(std::string_view body, Clock::time_point deadline) const;

  std::string name_;
  int socket_;
  Clock::duration connected_in_;
  bool logged_in_ = false;
};

}  // namespace holdfast::cli::doctor
