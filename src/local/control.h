// control.h -- a socket of the local engine that says how many sessions there are, to processes that may open its state directory.
//
// A Unix socket, because four-letter words would answer every user of the machine.
#pragma once

#include <cstddef>

#include "local/state_directory.h"

namespace holdfast::local {

// The engine's side.
class Control {
 public:
  static Result<Control> open(const StateDirectory& directory);

  // Readable when a process asks.
  int fd() const { return socket_.get(); }
  void answer(std::size_t sessions) const;

 private:
  explicit Control(base::Descriptor socket) : socket_(std::move(socket)) {}
  base::Descriptor socket_;
};

Result<std::size_t> ask_for_sessions(const StateDirectory& directory);

}  // namespace holdfast::local
