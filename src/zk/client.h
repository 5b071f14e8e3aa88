// client.h -- one session with a service that has ZooKeeper's nodes, as asynchronous calls over a Line.
//
//              welcomed       logged in     line lost     session over   login refused   abandon()
//   dialling   -> logging in  -             dials again   -> expired     -               -> abandoned
//   logging in -              -> connected  dials again   -              -> refused      -> abandoned
//   connected  -              -             -> dialling   -              -> dialling     -> abandoned
//
// If a login of the options is refused, that is final. If a later one (log_in) is refused, the line is lost, and the next is dialled without it.
//
// It uses one line after another. When a line is lost, requests under way end with `connection_loss`; the next line resumes the session and its
// watches. When the session has expired, this Client has ended, and its owner makes another one.
//
// A line is kept alive, and found dead, as by every client of ZooKeeper: the client sends something in every third of the timeout (or every
// ten seconds), and gives up a server that was silent for two of them, and for one since it was asked. What an answer proves is decided elsewhere (lock/validity.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/spi/executor.h"
#include "wire/records.h"
#include "zk/line.h"
#include "zk/sasl_login.h"
#include "zk/trouble.h"

namespace holdfast::zk {

using wire::Code;

// The answer to a request; fields that its operation does not have are empty.
struct Answer {
  Code code = Code::ok;
  std::string text{};  // the created path, or the data
  bool null = false;   // there is no data, which is not the same as empty data
  wire::Stat stat{};
  std::vector<std::string> children{};
  std::vector<std::string> created{};  // by a multi: the path of every step that was a create
  std::size_t failed = 0;              // for a multi: the first step that failed
  wire::AclList acl{};
  std::vector<wire::Id> ids{};
  std::int32_t count = 0;
};

// Whether the server has executed or refused the request. False for the codes that mean "no answer", or leave it open.
constexpr bool came_from_the_server(Code code) {
  return code == Code::ok || code == Code::no_node || code == Code::node_exists || code == Code::no_auth ||
         code == Code::bad_version || code == Code::not_empty || code == Code::no_children_for_ephemerals;
}

inline constexpr std::int32_t kAnyVersion = -1;

struct NewNode {
  std::string path;
  wire::Buffer data{};
  wire::CreateMode mode = wire::CreateMode::persistent;
  wire::AclList acl{};    // none: the one in the client's options
  std::int64_t ttl = -1;  // milliseconds
};

// One step of a multi.
struct Step {
  enum class What { create, set, remove, check } what = What::check;
  std::string path;
  std::string data{};
  wire::CreateMode mode = wire::CreateMode::persistent;  // of what is created
  std::int32_t version = kAnyVersion;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  struct Options {
    std::chrono::milliseconds session_timeout{};  // to ask for; no server grants more than 2^31 - 1
    // Upper bound for one round over all servers.
    Clock::duration connection_timeout = std::chrono::seconds(5);
    std::vector<Auth> auth{};
    SaslOptions sasl{};
    // A login of an earlier session has succeeded, so a login that fails for now is tried again.
    bool logged_in_before = false;
    std::vector<AclEntry> acl{};  // of every node that is created; none: open to all
  };
  using Done = std::function<void(Answer)>;
  // Chosen by the caller. Several watches may have one number; an event then tells once.
  using WatchId = std::uint64_t;
  static constexpr WatchId kNoWatch = 0;

  enum class State { connected, disconnected, expired, refused };

  // Called inside the Executor.
  struct Events {
    std::function<void(State state, wire::SessionId session, Clock::duration timeout)> session;
    std::function<void(WatchId watch, wire::EventType type, const std::string& path)> watch;
    // Called when no_service() becomes true, and with every further line that is lost. May be empty.
    std::function<void()> no_service{};
  };

  Client(spi::Executor& executor, Dial dial, Options options, Events events);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins with any of them. Empty: the dialler knows where to go.
  void open(const net::ServerAddresses& servers);
  // From the next line on.
  void set_servers(const net::ServerAddresses& servers);

  // Requests. `done` is called inside the Executor, exactly once, never before the call has returned.
  void create(const NewNode& node, Done done);
  void remove(const std::string& path, Done done, std::int32_t version = kAnyVersion);
  void exists(const std::string& path, Done done, WatchId watch = kNoWatch);
  void get(const std::string& path, Done done, WatchId watch = kNoWatch);
  void set(const std::string& path, const std::string& data, Done done, std::int32_t version = kAnyVersion);
  void get_children(const std::string& path, Done done, WatchId watch = kNoWatch);
  void get_children_and_stat(const std::string& path, Done done, WatchId watch = kNoWatch);
  // The number of all nodes below it.
  void count_below(const std::string& path, Done done);
  void get_acl(const std::string& path, Done done);
  void set_acl(const std::string& path, const wire::AclList& acl, Done done, std::int32_t version = kAnyVersion);
  // A watch that stays when it has fired.
  void add_watch(const std::string& path, wire::AddWatchMode mode, WatchId watch, Done done);
  // Removes all watches of that kind that this session has on that node; those of add_watch have the kind `any`.
  void remove_watches(const std::string& path, wire::WatchKind kind, Done done);
  // All steps or none.
  void multi(const std::vector<Step>& steps, Done done);
  void sync(const std::string& path, Done done);
  void who_am_i(Done done);
  // The ephemerals of this session whose paths begin with `prefix`.
  void get_ephemerals(const std::string& prefix, Done done);
  // Proves one more identity, on this line and all later ones.
  void log_in(const Auth& auth, Done done);

  // As long as it lives, requests are gathered; then they leave together. Inside the Executor.
  class Together {
   public:
    explicit Together(const Client& client) : line_(client.line_) { hold(true); }
    ~Together() { hold(false); }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    void hold(bool held) {
      if (line_) line_->hold(held);
    }
    const std::shared_ptr<Line> line_;
  };

  // The password of the session; empty before the first session.
  const std::string& password() const { return password_; }

  // The server of the present or last line; the list may have changed since.
  const net::ServerAddress& server() const { return dialled_to_ ? *dialled_to_ : servers_[server_ % servers_.size()]; }
  // Why there is no connection, server by server; empty if there is one.
  std::string trouble() const { return ready_ ? std::string() : trouble_.text(servers_); }
  // A server has begun or resumed the session, and has not answered the logins yet.
  bool waits_for_login() const { return welcome_ && !ready_; }
  // For State::refused, if more is known: a clause with the server as its subject.
  const std::string& refusal() const { return refusal_; }
  // Which server the last line was to, and why it was lost.
  const net::ServerAddress& lost_server() const { return lost_server_; }
  const std::string& why_lost() const { return why_lost_; }
  // Every server has refused the connection at least that often in a row.
  bool every_server_refuses(std::size_t times) const { return trouble_.all_refuse(servers_, times); }
  // There was no session yet, and every server is known to be of another kind; trouble() says of which.
  bool no_service() const { return session_ == 0 && trouble_.all_are_strangers(servers_); }

  // Calls no events any more; every request under way ends with `code`. Inside the Executor.
  void abandon(Code code);
  // Ends the session, if the server can be reached. Blocks. After abandon().
  void close();

 private:
  // In the order of SetWatches.
  enum class WatchMode { data, exist, children, persistent, recursive };
  static constexpr std::size_t kWatchModes = 5;
  using Watches = std::multimap<std::string, WatchId>;

  // Reads an answer whose code is ok.
  using Parse = void (*)(wire::Reader& body, Answer& answer);
  struct Call {
    std::int32_t xid = 0;
    Parse parse = nullptr;
    Done done{};
    // The watch that the server has once this succeeds.
    std::string path{};
    WatchId watch = kNoWatch;
    WatchMode mode = WatchMode::data;
  };

  void dial();
  void dial_later();
  void ask_what_listens();
  void tell_if_no_service();
  void lost(const std::string& why);
  void drop_line();
  void refuse();
  void received(std::string_view frame);
  void welcomed(std::string_view frame);
  void answered(std::int32_t xid, Code code, wire::Reader& body);
  void event(wire::Reader& body);
  void fire_all();
  Clock::duration third() const;
  Clock::duration line_timeout() const;
  Clock::duration first_timeout() const;
  Clock::time_point silence_due() const;
  void keep_alive();
  void ask(wire::Op op, const wire::Writer& body, Call call);
  void look(wire::Op op, const std::string& path, Call call);
  void ask_about(wire::Op op, const std::string& path, Parse parse, Done done);
  void send(std::int32_t xid, wire::Op op, std::string_view body);
  std::int32_t next_xid();
  void log_in_by_sasl();
  void login_failed(const std::string& why, bool for_good);
  void forget_session();
  void prove_identities();
  void send_login(const Auth& auth, Done done);
  void login_answered(Code code);
  void logged_in();
  Clock::time_point logins_due() const;
  Watches& watches(WatchMode mode) { return watches_[static_cast<std::size_t>(mode)]; }
  void fail_all(Code code);
  void watch_again();
  wire::AclList acl() const;

  spi::Executor& executor_;
  const Dial dial_;
  const Options options_;
  const Events events_;

  net::ServerAddresses servers_;
  std::size_t server_ = 0;  // the one to dial next
  std::size_t failed_ = 0;  // lines in a row that failed
  Trouble trouble_;
  net::ServerAddress lost_server_;
  std::string why_lost_;
  std::map<net::ServerAddress, std::shared_ptr<void>> questions_;  // about what listens there; each asked once

  std::shared_ptr<Line> line_;
  std::shared_ptr<Line> leaving_;  // for close() to say goodbye on
  bool welcome_ = false;           // the server has answered the handshake on this line
  bool ready_ = false;             // and the logins
  std::vector<Auth> identities_;
  std::deque<Done> logins_;           // under way; not those that were proven on another line
  Clock::time_point logins_since_{};  // since when the first of them is under way
  std::unique_ptr<SaslLogin> login_;  // under way on this line, before the others
  std::int32_t login_xid_ = 0;
  bool begun_before_ = options_.logged_in_before;  // a login has succeeded
  std::set<net::ServerAddress> login_failed_at_;   // by SASL, since the last one that succeeded
  std::string refusal_;
  bool abandoned_ = false;
  Clock::time_point dialled_{};
  std::optional<net::ServerAddress> dialled_to_;
  Clock::time_point sent_{};
  Clock::time_point heard_{};
  Clock::time_point asked_{};      // if later than heard_: the first request since then
  spi::Executor::TimerId next_{};  // attempt, or look at the line

  wire::SessionId session_ = 0;
  std::string password_;
  Clock::duration timeout_{};
  wire::Zxid last_zxid_ = 0;
  std::int32_t last_xid_ = 0;
  std::deque<Call> calls_;  // a ZooKeeper answers in this order
  std::size_t unset_ = 0;   // frames of watches whose setting is not confirmed
  std::array<Watches, kWatchModes> watches_;
};

}  // namespace holdfast::zk
