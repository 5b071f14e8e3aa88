// stranger.h -- what it is that listens where no session could be had, for messages.
//
// Asked over a connection of its own, with ZooKeeper's word `srvr`, which servers of other kinds answer in their way. Nothing is decided by it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/reactor.h"
#include "net/server_address.h"

namespace holdfast::net {

// A clause about who answers a `srvr` with these bytes: "a Redis listens there". Empty: a ZooKeeper, or not known.
std::string describe_stranger(std::string_view answer);

// One question. To be made and destroyed inside the Executor.
class StrangerQuestion {
 public:
  // Told inside, at most once, and not before the constructor has returned.
  using Done = std::function<void(std::string clause)>;

  // A number, not a name.
  StrangerQuestion(Reactor& reactor, const ServerAddress& server, Done done);
  ~StrangerQuestion();
  StrangerQuestion(const StrangerQuestion&) = delete;
  StrangerQuestion& operator=(const StrangerQuestion&) = delete;

 private:
  void on_ready();

  Reactor& reactor_;
  Done done_;
  int fd_ = -1;
  bool asked_ = false;
  std::unique_ptr<Reactor::Readiness> readiness_;
};

}  // namespace holdfast::net
