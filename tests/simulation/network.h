// network.h -- connections between simulated clients and the simulated engine, and what can go wrong with them.
//
//   each frame takes its time; none overtakes another, none is lost or doubled while the connection lasts (it is TCP)
//   a way is silent: frames of one or both directions are kept back until it ends
//   a connection is cut: what is under way is lost; each end hears of it, or has to find out
//
// A client's end is a Line, the engine's end a Peer: both are used as over a socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/spi/executor.h"
#include "server/peer.h"
#include "timeline.h"
#include "zk/line.h"

namespace holdfast::simulation {

// Between one client's machine and the engine's.
struct Way {
  Moment latency = std::chrono::milliseconds(1);  // at most
  Moment silent_up_until{-1};
  Moment silent_down_until{-1};
};

class Connection;

class Network {
 public:
  Network(Timeline& timeline, Chance& chance) : timeline_(timeline), chance_(chance) {}

  // What listens, or none: the engine is down. One that was there before is gone without a word; its clients hear of that, or have to
  // find out.
  void set_host(server::Host* host);
  // Nothing is read there until then.
  void pause_host_until(Moment when) { host_paused_until_ = std::max(host_paused_until_, when); }
  // A connection of the client whose machine is at the end of `way`.
  std::shared_ptr<zk::Line> dial(spi::Executor& executor, std::shared_ptr<Way> way, Clock::duration patience,
                                 zk::Line::Events events);
  // Cuts all connections of that way. `told`: both ends hear of it.
  void cut(const Way& way, bool told);

  std::uint64_t frames() const { return frames_; }
  std::uint64_t connections() const { return last_; }

 private:
  friend class Connection;

  Timeline& timeline_;
  Chance& chance_;
  server::Host* host_ = nullptr;
  std::uint64_t life_ = 0;  // of the host
  Moment host_paused_until_{-1};
  std::uint64_t last_ = 0;
  std::uint64_t frames_ = 0;
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace holdfast::simulation
