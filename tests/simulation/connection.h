// connection.h -- one connection: two pipes, and who is at their ends.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "network.h"

namespace holdfast::simulation {

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Network& network, spi::Executor& executor, std::shared_ptr<Way> way, zk::Line::Events events)
      : network_(network), executor_(&executor), way_(std::move(way)), events_(std::move(events)) {}

  // Of the client.
  void begin(Clock::duration patience);
  void say(std::string frame) { put(up_, {Item::Kind::frame, std::move(frame)}); }
  // The client does not listen any more. What it has said still goes out.
  void let_go() { executor_ = nullptr; }
  void hang_up() {
    let_go();
    put(up_, {Item::Kind::end, {}});
  }

  // Of the engine.
  void tell(std::string frame) { put(down_, {Item::Kind::frame, std::move(frame)}); }
  void end() {
    service_end_ = false;
    put(down_, {Item::Kind::end, {}});
  }
  void hold_back(bool held) {
    held_ = held;
    if (!held) pump(up_);
  }
  // Something has come that the engine has not read: it is held back, or late.
  bool has_unread() const;

  // Of the network.
  const Way& way() const { return *way_; }
  bool is_of(std::uint64_t life) const { return life_ == life; }
  void cut(bool client_hears, bool engine_hears);

 private:
  struct Item {
    enum class Kind { connect, frame, end } kind = Kind::frame;
    std::string frame{};
    Moment when{0};  // it arrives, unless the way is silent
  };
  struct Pipe {
    bool up = true;
    std::deque<Item> items{};
    bool pumping = false;
  };

  void put(Pipe& pipe, Item item);
  void pump(Pipe& pipe);
  void arrive_at_engine(const Item& item);
  void arrive_at_client(const Item& item);
  void reset_client(const std::string& why);
  Moment silent_until(const Pipe& pipe) const {
    return pipe.up ? std::max(way_->silent_up_until, network_.host_paused_until_) : way_->silent_down_until;
  }

  Network& network_;
  spi::Executor* executor_;  // none: the client has let go
  const std::shared_ptr<Way> way_;
  const zk::Line::Events events_;
  Pipe up_{.up = true};
  Pipe down_{.up = false};
  bool cut_ = false;
  bool held_ = false;
  bool heard_ = false;  // by the client
  bool lost_ = false;   // the client was told
  bool service_end_ = false;
  std::uint64_t life_ = 0;
  server::ConnectionId id_ = 0;
};

}  // namespace holdfast::simulation
