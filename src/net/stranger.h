// stranger.h -- finds out what listens at an address where no session could be had, for messages.
//
// It sends ZooKeeper's word `srvr` over a connection of its own; servers of other kinds answer it in their way. If the server hangs up
// without an answer, it tries a TLS handshake over another connection: ZooKeeper's secure port answers only that.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/reactor.h"
#include "net/server_address.h"

namespace holdfast::net {

struct Stranger {
  std::string clause{};       // "a Redis listens there". Empty: a ZooKeeper, or not known
  bool another_kind = false;  // certain: no session is possible there
};

// Describes a server that answers `srvr` with these bytes. `by_tls`: whether the caller wanted to talk to it by TLS.
Stranger describe_stranger(std::string_view answer, bool by_tls = false);

// One question. Made and destroyed inside the Executor.
class StrangerQuestion {
 public:
  // Called inside the Executor, at most once, and not before the constructor has returned.
  using Done = std::function<void(const Stranger& stranger)>;

  StrangerQuestion(Reactor& reactor, ServerAddress server, bool by_tls, Done done);
  ~StrangerQuestion();
  StrangerQuestion(const StrangerQuestion&) = delete;
  StrangerQuestion& operator=(const StrangerQuestion&) = delete;

 private:
  void ask(std::string question);
  void hang_up();
  void on_ready();

  Reactor& reactor_;
  const ServerAddress server_;
  const bool by_tls_;
  Done done_;
  std::string question_;
  bool greeted_ = false;  // by TLS
  int fd_ = -1;
  bool asked_ = false;
  std::unique_ptr<Reactor::Readiness> readiness_;
};

}  // namespace holdfast::net
