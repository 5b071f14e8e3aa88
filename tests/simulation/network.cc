#include "network.h"

#include <algorithm>

#include "connection.h"

namespace holdfast::simulation {
namespace {

constexpr std::size_t kLength = 4;  // of a frame's length

// The client's end.
class ClientEnd final : public zk::Line {
 public:
  explicit ClientEnd(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~ClientEnd() override { connection_->hang_up(); }

  void send(std::string frame) override { connection_->say(std::move(frame)); }
  void let_go() override { connection_->let_go(); }
  void close(std::string goodbye) override { connection_->say(std::move(goodbye)); }

 private:
  const std::shared_ptr<Connection> connection_;
};

// The engine's end.
class EngineEnd final : public server::Peer {
 public:
  explicit EngineEnd(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  void send(std::string frame) override { connection_->tell(frame.substr(kLength)); }
  void close() override { connection_->end(); }
  void hold_back(bool held) override { connection_->hold_back(held); }
  std::size_t unsent() const override { return 0; }
  bool has_unread() const override { return connection_->has_unread(); }

 private:
  const std::shared_ptr<Connection> connection_;
};

}  // namespace

// ---------------------------------------------------------------------------------------------------------- connection

void Connection::begin(Clock::duration patience) {
  put(up_, {Item::Kind::connect, {}});
  executor_->at(executor_->now() + patience, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->executor_ != nullptr && !self->heard_ && !std::exchange(self->lost_, true)) {
      self->events_.lost("it does not answer");
    }
  });
}

void Connection::put(Pipe& pipe, Item item) {
  if (cut_) {
    // The other end has forgotten it, and says so as soon as that passes.
    if (!pipe.up || executor_ == nullptr) return;
    const auto answered = std::max(way_->silent_up_until, way_->silent_down_until);
    network_.timeline_.at(std::max(network_.timeline_.now() + way_->latency, answered),
                          [self = shared_from_this()] { self->reset_client("it was reset"); });
    return;
  }
  ++network_.frames_;
  const auto& timeline = network_.timeline_;
  item.when = timeline.now() + network_.chance_.between(std::chrono::microseconds(20), way_->latency);
  if (!pipe.items.empty()) item.when = std::max(item.when, pipe.items.back().when);
  pipe.items.push_back(std::move(item));
  pump(pipe);
}

void Connection::pump(Pipe& pipe) {
  if (pipe.pumping || pipe.items.empty() || cut_) return;
  pipe.pumping = true;
  network_.timeline_.at(std::max(pipe.items.front().when, silent_until(pipe)), [self = shared_from_this(), &pipe] {
    pipe.pumping = false;
    if (self->cut_ || pipe.items.empty() || (pipe.up && self->held_)) return;
    if (self->network_.timeline_.now() < self->silent_until(pipe)) return self->pump(pipe);
    const auto item = std::move(pipe.items.front());
    pipe.items.pop_front();
    pipe.up ? self->arrive_at_engine(item) : self->arrive_at_client(item);
    self->pump(pipe);
  });
}

bool Connection::has_unread() const {
  return !cut_ && !up_.items.empty() &&
         std::max(up_.items.front().when, way_->silent_up_until) <= network_.timeline_.now();
}

void Connection::arrive_at_engine(const Item& item) {
  auto* host = network_.host_;
  if (item.kind == Item::Kind::connect) {
    if (host == nullptr) return cut(true, false);
    life_ = network_.life_;
    service_end_ = true;
    id_ = host->connected(std::make_shared<EngineEnd>(shared_from_this()), {.address = "client", .ip = "10.0.0.1"});
    if (id_ == 0) cut(true, false);
    return;
  }
  if (host == nullptr || life_ != network_.life_) return cut(true, false);
  if (!service_end_) return;
  if (item.kind == Item::Kind::frame) return host->received(id_, item.frame);
  service_end_ = false;
  host->disconnected(id_);
}

void Connection::arrive_at_client(const Item& item) {
  if (executor_ == nullptr) return;
  if (item.kind == Item::Kind::end) return reset_client("the engine has closed it");
  heard_ = true;
  executor_->post([self = shared_from_this(), frame = item.frame] {
    if (self->executor_ != nullptr && !self->lost_) self->events_.received(frame);
  });
}

void Connection::reset_client(const std::string& why) {
  if (executor_ == nullptr) return;
  executor_->post([self = shared_from_this(), why] {
    if (self->executor_ != nullptr && !std::exchange(self->lost_, true)) self->events_.lost(why);
  });
}

void Connection::cut(bool client_hears, bool engine_hears) {
  if (std::exchange(cut_, true)) return;
  auto& timeline = network_.timeline_;
  const auto pause = network_.chance_.between(std::chrono::microseconds(20), way_->latency);
  if (client_hears) {
    timeline.at(std::max(timeline.now() + pause, way_->silent_down_until),
                [self = shared_from_this()] { self->reset_client("it was cut"); });
  }
  if (engine_hears) {
    timeline.at(std::max(timeline.now() + pause, way_->silent_up_until), [self = shared_from_this()] {
      if (!self->service_end_ || self->network_.host_ == nullptr || self->life_ != self->network_.life_) return;
      self->service_end_ = false;
      self->network_.host_->disconnected(self->id_);
    });
  }
}

// ------------------------------------------------------------------------------------------------------------- network

void Network::set_host(server::Host* host) {
  const auto before = life_;
  host_ = host;
  host_paused_until_ = Moment{-1};
  ++life_;
  for (const auto& weak : std::exchange(connections_, {})) {
    const auto connection = weak.lock();
    if (!connection) continue;
    if (connection->is_of(before)) {
      connection->cut(chance_.percent(50), false);
    } else {
      connections_.push_back(connection);
    }
  }
}

std::shared_ptr<zk::Line> Network::dial(spi::Executor& executor, std::shared_ptr<Way> way, Clock::duration patience,
                                        zk::Line::Events events) {
  ++last_;
  std::erase_if(connections_, [](const auto& each) { return each.expired(); });
  const auto connection = std::make_shared<Connection>(*this, executor, std::move(way), std::move(events));
  connections_.push_back(connection);
  connection->begin(patience);
  return std::make_shared<ClientEnd>(connection);
}

void Network::cut(const Way& way, bool told) {
  for (const auto& weak : std::exchange(connections_, {})) {
    const auto connection = weak.lock();
    if (!connection) continue;
    if (&connection->way() == &way) {
      connection->cut(told || chance_.percent(50), told || chance_.percent(50));
    } else {
      connections_.push_back(connection);
    }
  }
}

}  // namespace holdfast::simulation
