// client.h -- sends commands to a Redis, over one connection after another.
//
//               logged in      line lost        login refused      close()
//   dialling    -> connected   next server      -> refused         -> closed
//   connected   -              -> dialling      -                  -> closed
//
// The login is one flight: HELLO 3 with the user and the password, SELECT, and SCRIPT LOAD of every script. RESP3, because published messages
// then come over the same connection as the answers, and in order with them. A server that says it is not a master is left for the next one.
//
// With the name of a master, the servers are its Sentinels: they are asked for it before every connection.
//
// A command is sent once. If the line is lost before its answer, the server may have executed it, or may still do so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "net/client_tls.h"
#include "net/reactor.h"
#include "net/resolver.h"
#include "redis/line.h"
#include "redis/refusal.h"
#include "redis/sentinels.h"
#include "resp/command.h"
#include "resp/value.h"

namespace holdfast::redis {

class Client {
 public:
  struct Options {
    net::ServerAddresses servers{};
    std::string master{};  // not empty: the servers are Sentinels, which know it by that name
    std::string sentinel_user{};
    std::string sentinel_password{};
    std::string user{};  // empty: the default user
    std::string password{};
    int database = 0;
    std::string name{};  // as CLIENT LIST shows it; empty: none
    // Upper bound for one round over all servers.
    Clock::duration connection_timeout = std::chrono::seconds(5);
    // A server that owes an answer and was silent this long is given up.
    Clock::duration silence = std::chrono::seconds(10);
    std::vector<std::string> scripts{};  // for call_script()
  };
  // Called inside the Executor, never while a method runs.
  struct Events {
    std::function<void()> connected;
    // The connection is lost. Requests under way have been answered with nothing before.
    std::function<void()> disconnected;
    std::function<void(const std::string& why)> refused;  // there will never be a connection
    std::function<void(const std::string& channel, std::string text)> told;
  };
  // Nothing: the line was lost, or the client was closed.
  using Done = std::function<void(std::optional<resp::Value> answer)>;

  Client(net::Reactor& reactor, Options options, Events events, std::shared_ptr<net::ClientTls> tls = nullptr);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void open();
  bool connected() const { return state_ == State::connected; }
  // `done` is called inside the Executor, exactly once, never before the call has returned. While connected only.
  void call(const resp::Command& command, Done done);
  // The script of that number in Options::scripts. `words`: how many keys, the keys, the arguments.
  void call_script(std::size_t script, resp::Command words, Done done);
  // The same call as a command, for close(). While connected only.
  resp::Command command_of(std::size_t script, resp::Command words) const;
  // Gives this connection up for the next one, because of something the server said. Soon, not inside this call.
  void leave(std::string why);

  // Why there is no connection, server by server; empty if there is one.
  std::string trouble() const;

  // Calls no event any more; requests under way get nothing. The function that it returns sends `goodbye`, if it can, and waits a moment
  // for the answer; run it outside the Executor.
  [[nodiscard]] std::function<void()> close(const resp::Command& goodbye);

 private:
  enum class State { made, dialling, connected, refused, closed };
  struct Pending {
    Done done;
    std::string what;  // its first word
  };

  void look_up();
  void look_up(const net::ServerAddresses& servers, const std::string& trouble);
  void dial();
  void log_in();
  void logged_in(const std::string& what, const std::optional<resp::Value>& answer);
  void give_up(const Refusal& refusal);
  void received(resp::Value value);
  void lost(const std::string& why);
  void refuse(const std::string& why);
  void answer_all_with_nothing();
  void watch_silence();
  void send(const resp::Command& command, Done done);

  net::Reactor& reactor_;
  const Options options_;
  const Events events_;
  const std::shared_ptr<net::ClientTls> tls_;
  std::unique_ptr<Sentinels> sentinels_;  // none: the servers are known
  net::Resolver resolver_;
  State state_ = State::made;
  net::ServerAddresses servers_;  // by number
  std::size_t next_server_ = 0;
  std::size_t left_in_round_ = 0;
  Clock::duration pause_{};
  Clock::time_point connected_since_{};
  std::string unresolved_;
  std::map<std::string, std::string> why_;  // by server: what was wrong the last time
  std::shared_ptr<Line> line_;
  std::uint64_t line_number_ = 0;
  std::deque<Pending> pending_;
  std::size_t logging_in_ = 0;  // answers that are missing
  std::vector<std::string> digests_;
  Clock::time_point heard_{};
  net::Reactor::TimerId silence_timer_ = net::Reactor::kNoTimer;
  net::Reactor::TimerId dial_timer_ = net::Reactor::kNoTimer;
};

}  // namespace holdfast::redis
