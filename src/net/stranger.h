// stranger.h -- what it is that listens where no session could be had, for messages.
//
// Asked over a connection of its own, with ZooKeeper's word `srvr`, which servers of other kinds answer in their way. One that hangs up
// without a word is greeted by TLS, over another connection: ZooKeeper's secure port answers only that.
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
  bool another_kind = false;  // it is certain that no session will ever be had there
};

// About a server that answers a `srvr` with these bytes. `by_tls`: that is how the caller wanted to talk to it.
Stranger describe_stranger(std::string_view answer, bool by_tls = false);

// One question. To be made and destroyed inside the Executor.
class StrangerQuestion {
 public:
  // Told inside, at most once, and not before the constructor has returned.
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
