// line.h -- one connection to one server, for frames in both directions, each without its length.
//
// There are three kinds: over a socket, to an engine inside this process, and to the local engine, which has to be found first.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/clock.h"
#include "net/server_address.h"
#include "net/stranger.h"

namespace holdfast::zk {

class Line {
 public:
  // Called inside the Executor, never while the line is being made or sent to.
  struct Events {
    std::function<void(std::string_view frame)> received;
    std::function<void(const std::string& why)> lost;  // once, and nothing after it
  };

  virtual ~Line() = default;

  // Keeps the frame until there is a connection.
  virtual void send(std::string frame) = 0;
  // As long as it is true, frames are kept, so that they leave together.
  virtual void hold(bool) {}
  // Delivers now what has arrived: for a caller that is about to take silence for an answer.
  virtual void attend() {}
  // False: the line always tells when the other end is gone.
  virtual bool may_fall_silent() const { return true; }
  // For a line without an answer: finds out what listens there, until the result is destroyed. Inside the Executor. Returns nothing if there is
  // nothing to ask.
  virtual std::shared_ptr<void> ask_what_listens(std::function<void(const net::Stranger& stranger)> /*done*/) {
    return nullptr;
  }

  // Calls no event any more. Inside the Executor.
  virtual void let_go() = 0;
  // Sends the last frame, if it still can, and waits a moment for the server to hang up. Outside the Executor, after let_go().
  virtual void close(std::string goodbye) = 0;
};

// Begins a line to `server`, which is lost if nothing is heard from there within `timeout`. Called inside the Executor.
using Dial = std::function<std::shared_ptr<Line>(const net::ServerAddress& server, Clock::duration timeout,
                                                 Line::Events events)>;

}  // namespace holdfast::zk
