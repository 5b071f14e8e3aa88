// client.h -- one session with a service that has ZooKeeper's nodes, as asynchronous calls over a Line.
//
//              welcomed             line lost          session over     refused      abandon()
//   dialling   -> connected         dials again        -> expired       -> refused   -> abandoned
//              with a login by SASL: once that is done
//   connected  -                    -> dialling        -                -> refused   -> abandoned
//
// Over one line after another: requests under way end with `connection_loss` when one is lost, the session and its watches are taken up
// again on the next. When the session has expired, another Client takes over.
//
// A line is kept alive, and found dead, as every client of ZooKeeper does it: we say something in every third of the timeout (or every
// ten seconds), and a server that was silent for two of them is left. What a server said only matters to whoever asked (lock/validity.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
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

// What a request came back with; what is not of its kind is empty.
struct Answer {
  Code code = Code::ok;
  std::string text{};  // the created path, or the data
  wire::Stat stat{};
  std::vector<std::string> children{};
  std::vector<std::string> created{};  // by a multi: the path of every step that was a create
  std::size_t failed = 0;              // of a multi: the first step that could not be made
};

// The server has done what was asked, or refused it: not our own word for having no answer, nor one that leaves that open.
constexpr bool came_from_the_server(Code code) {
  return code == Code::ok || code == Code::no_node || code == Code::node_exists || code == Code::no_auth ||
         code == Code::bad_version || code == Code::not_empty || code == Code::no_children_for_ephemerals;
}

// One step of a multi.
struct Step {
  enum class What { create, set, remove, check } what = What::check;
  std::string path;
  std::string data{};
  wire::CreateMode mode = wire::CreateMode::persistent;  // of what is created
  int version = -1;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  struct Options {
    int timeout_ms = 0;
    // Upper bound for one round over all servers.
    Clock::duration connection_timeout = std::chrono::seconds(5);
    std::vector<Auth> auth{};
    SaslOptions sasl{};
    std::vector<AclEntry> acl{};  // of every node that is created; none: open to all
  };
  using Done = std::function<void(Answer)>;
  using WatchId = std::uint64_t;

  enum class State { connected, disconnected, expired, refused };

  // Told inside the Executor.
  struct Events {
    std::function<void(State state, wire::SessionId session, Clock::duration timeout)> session;
    std::function<void(WatchId watch, wire::EventType type)> watch;
  };

  Client(spi::Executor& executor, Dial dial, Options options, Events events);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Begins with any of them, "10.0.0.1:2181,::1:2181". None: the line knows by itself where to go.
  void open(const std::string& hosts);
  // From the next line on.
  void set_servers(const std::string& hosts);

  // Requests. `done` is called inside the Executor, exactly once, never before the call has returned.
  void create(const std::string& path, const std::string& data, wire::CreateMode mode, Done done);
  void remove(const std::string& path, Done done);
  void exists(const std::string& path, Done done);
  void get(const std::string& path, Done done);
  void get_and_watch(const std::string& path, WatchId watch, Done done);
  void set(const std::string& path, const std::string& data, Done done);
  void get_children(const std::string& path, Done done);
  void get_children_and_stat(const std::string& path, Done done);
  void get_children_and_watch(const std::string& path, WatchId watch, Done done);
  // All watches of this session on the data of that node, or on its children.
  void remove_watch(const std::string& path, bool of_children, Done done);
  // All of it or nothing.
  void multi(const std::vector<Step>& steps, Done done);
  void sync(const std::string& path, Done done);

  // Requests that are made while it lives leave together. Inside the Executor.
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

  // Of the session; empty before the first.
  const std::string& password() const { return password_; }

  // Why there is no connection, server by server; empty if there is one.
  std::string trouble() const { return welcome_ && !login_ ? std::string() : trouble_.text(hosts_); }
  // Of State::refused, if more is known than that: a clause with the server as its subject.
  const std::string& refusal() const { return refusal_; }

  // No events any more, and every request under way ends with `code`. Inside the Executor.
  void abandon(Code code);
  // Ends the session, if it can be reached. Blocks. After abandon().
  void close();

 private:
  // Takes the answer apart, whose code is ok.
  using Parse = void (*)(wire::Reader& body, Answer& answer);
  struct Call {
    std::int32_t xid = 0;
    Parse parse = nullptr;
    Done done{};
    // A watch that is there once this succeeds.
    std::string path{};
    WatchId watch = 0;
    bool of_children = false;
  };
  using Watches = std::multimap<std::string, WatchId>;

  void dial();
  void dial_later();
  void ask_what_listens();
  void lost(const std::string& why);
  void drop_line();
  void refuse();
  void received(std::string_view frame);
  void welcomed(std::string_view frame);
  void answered(std::int32_t xid, Code code, wire::Reader& body);
  void event(wire::Reader& body);
  void fire(Watches& watches, const std::string& path, wire::EventType type);
  void fire_all();
  Clock::duration third() const;
  Clock::duration patience() const;
  void keep_alive();
  void ask(wire::Op op, const wire::Writer& body, Call call);
  void look(wire::Op op, const std::string& path, Call call);
  void send(std::int32_t xid, wire::Op op, std::string_view body);
  std::int32_t next_xid();
  void log_in(const Auth& auth);
  void log_in_by_sasl();
  void login_failed(const std::string& why, bool for_good);
  void begin();
  void fail_all(Code code);
  void watch_again();
  wire::AclList acl() const;

  spi::Executor& executor_;
  const Dial dial_;
  const Options options_;
  const Events events_;

  std::vector<std::string> hosts_;
  std::size_t host_ = 0;    // the one to dial next
  std::size_t failed_ = 0;  // lines in a row that came to nothing
  Trouble trouble_;
  std::map<std::string, std::shared_ptr<void>> questions_;  // what listens there, by host; asked once

  std::shared_ptr<Line> line_;
  std::shared_ptr<Line> leaving_;     // for close() to say goodbye on
  bool welcome_ = false;              // this line has been answered
  std::unique_ptr<SaslLogin> login_;  // under way on this line: nothing else is asked
  std::int32_t login_xid_ = 0;
  bool begun_before_ = false;  // a login has succeeded in this session
  std::string refusal_;
  bool abandoned_ = false;
  Clock::time_point dialled_{};
  Clock::time_point sent_{};
  Clock::time_point heard_{};
  spi::Executor::TimerId next_{};  // attempt, or look at the line

  wire::SessionId session_ = 0;
  std::string password_;
  Clock::duration timeout_{};
  wire::Zxid last_zxid_ = 0;
  std::int32_t last_xid_ = 0;
  std::deque<Call> calls_;  // answered in this order, or by no ZooKeeper
  std::size_t unset_ = 0;   // frames of watches that are not known to be set again
  Watches data_watches_;
  Watches child_watches_;
};

}  // namespace holdfast::zk
