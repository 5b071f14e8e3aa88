// line.h -- one connection to one server: frames there and back, each without its length.
//
// There are three: over a socket, to the engine inside this process, and to the local engine, which has to be found first.
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
  // Told inside the Executor, never while the line is being made or sent to.
  struct Events {
    std::function<void(std::string_view frame)> received;
    std::function<void(const std::string& why)> lost;  // once, and nothing after it
  };

  virtual ~Line() = default;

  // Kept until the connection is there.
  virtual void send(std::string frame) = 0;
  // While true, frames are kept, so that they leave together.
  virtual void hold(bool) {}
  // Tells now what has arrived: for a caller that is about to conclude something from silence.
  virtual void attend() {}
  // False: whenever it is gone, that is told.
  virtual bool may_fall_silent() const { return true; }
  // Finds out what it is that listens there, for a line that is not answered; until the result is destroyed. Inside. Nothing if there is nothing
  // to ask.
  virtual std::shared_ptr<void> ask_what_listens(std::function<void(const net::Stranger& stranger)> /*done*/) {
    return nullptr;
  }

  // Nothing is told any more. Inside.
  virtual void let_go() = 0;
  // The last words, if they can still be said. Waits a moment for the server to hang up. Outside the Executor, after let_go().
  virtual void close(std::string goodbye) = 0;
};

// Begins a line to `server`, which is lost if nothing is heard from there within `patience`. Called inside the Executor.
using Dial = std::function<std::shared_ptr<Line>(const net::ServerAddress& server, Clock::duration patience,
                                                 Line::Events events)>;

}  // namespace holdfast::zk
