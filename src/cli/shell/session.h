// session.h -- this shell's session on the server: one connection after the other, and what must be told of them.
//
// The C client has neither addWatch nor whoAmI, getEphemerals or getAllChildrenNumber, and it has threads of its own
// that would print while a line is edited. This one has no thread: it works while somebody waits in it, for an answer
// or for input.
//
//                  connected              connection ends      the server says expired    credentials refused
//   connecting     -> ready               the next server      a new session, watches     -> closed
//                                                              forgotten
//   ready          -                      -> connecting, same  -                          -> connecting, same
//                                         session                                         session, without them
//   closed         nothing, until open()
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cli/shell/hosts.h"
#include "cli/shell/watch_list.h"
#include "holdfast/client.h"
#include "net/frame_socket.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::cli::shell {

struct SessionOptions {
  std::vector<Host> hosts;
  std::string chroot{};  // "" or "/app"; only what is told of events is without it
  std::vector<Auth> auth{};
  std::shared_ptr<net::ClientTls> tls{};  // none: plain text
  std::chrono::milliseconds session_timeout{15'000};
  std::chrono::milliseconds connect_timeout{5'000};
  // Asked before every attempt to connect, and in place of `hosts` from then on; nobody hears signals meanwhile, so it must not take
  // long. Or why it is nowhere, in one sentence. Empty: the service is where `hosts` says.
  std::function<tl::expected<std::vector<Host>, std::string>()> locate{};
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

struct Question {
  wire::Op op;
  std::string body;
  // Kept once the answer is there; a watch on what does not exist as Watch::exist.
  std::optional<Watch> watch{};
  std::string path{};
};

// Hears one printable line at a time. Called by whoever waits in the session, and must not call it.
struct SessionNews {
  std::function<void(const std::string&)> event;       // a watch has fired
  std::function<void(const std::string&)> connection;  // it came or went
  // The same as `event`, for a program. May be empty.
  std::function<void(wire::EventType, const std::string& path)> node{};
};

class Session {
 public:
  Session(SessionOptions options, Interruption interruption, SessionNews news);
  // Closes it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A new session. Returns once it is there, or after the connect timeout; or when every server has refused the connection twice.
  Answer<void> open();
  // For the next open(). What proved our identity to the servers before is not sent to these.
  void move_to(std::vector<Host> hosts);
  // Its ephemeral nodes are gone when this returns, if the server is reached within a second.
  void close();

  bool ready() const { return phase_ == Phase::ready; }
  wire::SessionId id() const { return session_; }
  std::chrono::milliseconds granted_timeout() const { return timeout_; }
  // The server we are at, or try.
  std::string server() const { return options_.hosts[host_].shown(); }
  const SessionOptions& options() const { return options_; }
  WatchList& watches() { return watches_; }

  // Waits for a connection up to the connect timeout, then for the answer.
  Answer<std::string> ask(const Question& question);
  // Proves an identity, on this connection and all later ones.
  Answer<void> add_auth(const Auth& auth);

  // Keeps the session until `fd` is readable; false if it was interrupted before.
  bool wait_readable(int fd);

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase { closed, resting, connecting, proving, ready };
  struct Pending {
    std::int32_t xid;
    const Question* question;  // nothing: auth
    std::optional<Answer<std::string>> answer{};
  };
  enum class Woke { time, input, interrupted };

  static Time now() { return std::chrono::steady_clock::now(); }
  // Does what is due, then waits for the network, `fd` (-1: none), an interruption or `until`.
  Woke step(int fd, Time until);
  Time due() const;
  void do_what_is_due();
  Answer<void> wait_until_ready();
  // While a session is opened: there is nothing to wait for.
  bool every_server_refuses() const;
  Answer<std::string> wait_for_answer();

  void start_attempt();
  bool find_place();  // false: there is none, and the attempt is over
  void greet();
  void attend_socket();
  void end_connection(const std::string& reason);
  void refuse(const std::string& reason);
  void on_frame(const std::string& frame);
  void on_welcome(wire::Reader& reader);
  void on_reply(std::int32_t xid, wire::Code code, std::string_view body);
  void on_event(wire::Reader& reader);
  void become_ready();
  void send(std::int32_t xid, wire::Op op, std::string_view body);
  void send_auth(const Auth& auth);
  std::string explanation() const { return options_.explain ? options_.explain() : std::string(); }

  SessionOptions options_;
  Interruption interruption_;
  const SessionNews news_;

  Phase phase_ = Phase::closed;
  std::unique_ptr<net::FrameSocket> socket_;
  std::size_t host_ = 0;
  std::size_t failures_ = 0;  // since the last connection
  std::size_t refusals_ = 0;  // of these, the last ones in a row: nothing listens there
  bool greeted_ = false;
  bool leaving_ = false;      // that the connection ends is no news
  std::size_t unproven_ = 0;  // identities the server has not answered yet
  std::string last_trouble_;  // behind "Not connected to "
  Time attempt_ends_{};
  Time rest_ends_{};
  Time last_sent_{};
  Time last_heard_{};

  wire::SessionId session_ = 0;
  std::string password_ = std::string(16, '\0');
  std::chrono::milliseconds timeout_{0};
  wire::Zxid last_zxid_ = 0;
  std::size_t unset_ = 0;   // requests for watches that are not known to be set again
  bool was_ready_ = false;  // in this session's life
  bool expired_ = false;    // and not told yet
  std::int32_t next_xid_ = 1;
  WatchList watches_;
  Pending* pending_ = nullptr;
};

}  // namespace holdfast::cli::shell
