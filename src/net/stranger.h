// stranger.h -- what it is that listens where no session could be had, for messages.
//
// Asked over a connection of its own, with ZooKeeper's word `srvr`, which servers of other kinds answer in their way. One that hangs up
// without a word is greeted by TLS, over another connection: ZooKeeper's secure port answers only that. Nothing is decided by it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/reactor.h"
#include "net/server_address.h"

namespace holdfast::net {

// A clause about a server that answers a `srvr` with these bytes: "a Redis listens there". Empty: a ZooKeeper, or not known. `by_tls`: that is
// how the caller wanted to talk to it.
std::string describe_stranger(std::string_view answer, bool by_tls = false);

// One question. To be made and destroyed inside the Executor.
class StrangerQuestion {
 public:
  // Told inside, at most once, and not before the constructor has returned.
  using Done = std::function<void(std::string clause)>;

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
