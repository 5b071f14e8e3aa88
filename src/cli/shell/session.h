// session.h -- this shell's session on the server: one zk::Client after the other, in a program that has one thread, and what must be told of
// them.
//
// It works while the shell waits in it, for an answer or for input, so that news arrive only where they can be shown.
//
//                  connected   connection lost       session expired        credentials refused
//   connecting     -> ready    the next server       a new session          -> closed
//   ready          -           -> connecting, same   -                      -> connecting, same session, without them
//                              session
//   closed         nothing, until open()
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/client.h"
#include "net/poll_reactor.h"
#include "net/server_address.h"
#include "zk/client.h"

namespace holdfast::cli::shell {

struct SessionOptions {
  net::ServerAddresses servers;
  std::string chroot{};  // "" or "/app"; only what is told of events is without it
  std::vector<Auth> auth{};
  SaslOptions sasl{};
  std::shared_ptr<net::ClientTls> tls{};  // none: plain text
  std::chrono::milliseconds session_timeout{15'000};
  std::chrono::milliseconds connect_timeout{5'000};
  // Asked before every attempt to connect, and in place of `servers` from then on; no signal is heard meanwhile, so it must not take
  // long. Or why it is nowhere, in one sentence. Empty: the service is where `servers` says.
  std::function<tl::expected<net::ServerAddresses, std::string>()> locate{};
  // Asked when there is no session, or the server could not do what it was asked for: a clause about what else is known, or nothing. May be empty.
  std::function<std::string()> explain{};
};

// Why there is no answer.
struct Failure {
  enum class Kind {
    refused,        // by the server: see code
    not_connected,  // nothing was sent
    unanswered,     // sent, and then the connection ended: it may have been done
    interrupted,    // by the person
  };
  Kind kind = Kind::refused;
  wire::Code code = wire::Code::ok;
  std::string detail{};  // which server, and why it is not reached; of a refusal, what else is known
};

template <typename T>
using Answer = tl::expected<T, Failure>;

// Ctrl-C and the like while we wait: a descriptor, and what to do when it is readable. True: the wait is over.
struct Interruption {
  int fd = -1;
  std::function<bool()> take{};
};

// Hears one printable line at a time. Called while the session is waited in, and must not call it.
struct SessionNews {
  std::function<void(const std::string&)> event;       // a watch has fired
  std::function<void(const std::string&)> connection;  // it came or went
  // The same as `event`, for a program. May be empty.
  std::function<void(wire::EventType, const std::string& path)> node{};
};

class PolledSession {
 public:
  using Request = std::function<void(zk::Client& client, zk::Client::Done done)>;
  // Of every watch that a request sets.
  static constexpr zk::Client::WatchId kWatch = 1;

  PolledSession(SessionOptions options, Interruption interruption, SessionNews news);
  // Closes it.
  ~PolledSession() { close(); }
  PolledSession(const PolledSession&) = delete;
  PolledSession& operator=(const PolledSession&) = delete;

  // A new session. Returns once it is there, or after the connect timeout; or when every server has refused the connection twice, or is one of
  // another kind.
  Answer<void> open();
  // For the next open(). What proved our identity to the servers before is not sent to these.
  void move_to(net::ServerAddresses servers);
  // Its ephemeral nodes are gone when this returns, if the server answers within half a second.
  void close();

  bool ready() const { return phase_ == Phase::ready; }
  wire::SessionId id() const { return session_; }
  std::chrono::milliseconds granted_timeout() const { return timeout_; }
  // The server we are at, or try.
  std::string server() const {
    return (client_ && !options_.locate ? client_->server() : options_.servers.front()).text();
  }
  const SessionOptions& options() const { return options_; }

  // Waits for a connection up to the connect timeout, then for the answer.
  Answer<zk::Answer> ask(const Request& request);
  // Proves an identity, on this connection and all later ones.
  Answer<void> add_auth(const Auth& auth);

  // Keeps the session until `fd` is readable; false if it was interrupted before.
  bool wait_readable(int fd);

 private:
  enum class Phase { closed, connecting, ready };
  enum class Woke { time, input, interrupted };

  // Waits for the network, `fd` (-1: none), an interruption or `until`.
  Woke step(int fd, Clock::time_point until);
  Answer<void> wait_until_ready();
  // While a session is opened: there is nothing to wait for.
  bool every_server_refuses() const;
  std::string why_not_connected() const;
  std::string explanation() const { return options_.explain ? options_.explain() : std::string(); }
  std::string lost_server() const;

  void start();
  void replace();
  std::shared_ptr<zk::Line> dial(const net::ServerAddress& server, Clock::duration timeout, zk::Line::Events events);
  void on_state(zk::Client::State state, wire::SessionId session, Clock::duration timeout);
  void on_connected();
  void on_disconnected(const std::string& lost, const std::string& why);
  void on_event(wire::EventType type, std::string_view path);

  SessionOptions options_;
  Interruption interruption_;
  const SessionNews news_;
  net::PollReactor reactor_;
  std::shared_ptr<zk::Client> client_;
  Phase phase_ = Phase::closed;
  std::string closed_why_;  // after "Not connected to "
  wire::SessionId session_ = 0;
  std::chrono::milliseconds timeout_{0};
  bool was_ready_ = false;  // in this session's life
  bool expired_ = false;    // and not told yet
};

}  // namespace holdfast::cli::shell
