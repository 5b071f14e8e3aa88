// recorded_peer.h -- a connection as the service sees it, which writes down what it is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/peer.h"

namespace holdfast::testing {

struct RecordedPeer final : server::Peer {
  void send(std::string frame) override { frames.push_back(std::move(frame)); }
  void close() override { ++closed; }
  void hold_back(bool on) override { held = on; }
  std::size_t unsent() const override { return not_sent; }
  bool has_unread() const override { return unread; }

  std::vector<std::string> frames;
  int closed = 0;
  bool held = false;
  bool unread = false;
  std::size_t not_sent = 0;
};

}  // namespace holdfast::testing
