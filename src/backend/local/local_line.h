// local_line.h -- a line to the local engine, whichever process that is by now.
//
// Engines end: killed, or unused. If the one that was known has, the next one is found first, or started: nodes and sessions are in files,
// so the session goes on there, and so do locks.
//
// Its socket is in a directory of this user alone, and the kernel says whose process is at the other end.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "local/start.h"
#include "zk/socket_line.h"

namespace holdfast::local {

class LocalLine final : public zk::Line, public std::enable_shared_from_this<LocalLine> {
 public:
  // `known` is the engine to begin with, and what was found since. `to_start` is for the start of another.
  static std::shared_ptr<LocalLine> make(std::shared_ptr<FoundPtr> known, std::chrono::milliseconds to_start,
                                         net::Reactor& reactor, Clock::duration timeout, Events events);
  ~LocalLine() override { stop_search(); }

  void send(std::string frame) override;
  void hold(bool held) override {
    if (socket_) socket_->hold(held);
  }
  void attend() override;
  void let_go() override;
  void close(std::string goodbye) override;

 private:
  struct Search;

  LocalLine(std::shared_ptr<FoundPtr> known, net::Reactor& reactor, Clock::duration timeout, Events events)
      : known_(std::move(known)), reactor_(reactor), timeout_(timeout), events_(std::move(events)) {}

  void search(std::chrono::milliseconds to_start);
  void stop_search();
  void found(const tl::expected<FoundPtr, StartFailure>& result);
  void dial();
  void lose(const std::string& why);
  const FoundEngine& engine() const { return **known_; }

  const std::shared_ptr<FoundPtr> known_;  // used inside the Executor only
  net::Reactor& reactor_;
  const Clock::duration timeout_;
  const Events events_;
  std::shared_ptr<Search> search_;
  std::shared_ptr<zk::SocketLine> socket_;
  std::vector<std::string> unsent_;  // until there is a socket
  bool over_ = false;
};

}  // namespace holdfast::local
