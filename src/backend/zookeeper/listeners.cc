#include "backend/zookeeper/listeners.h"

#include <utility>
#include <vector>

#include "backend/zookeeper/status.h"

namespace holdfast::zookeeper {

using spi::Status;

Listeners::Id Listeners::add(Listener listener, zk::Client::Done armed) {
  const auto id = ++last_;
  ++nodes_[{listener.path, listener.of_children}];
  listeners_[id] = std::move(listener);
  watch(id, [this, id, armed = std::move(armed)](zk::Answer answer) {
    if (answer.code != Code::ok) (void)take(id);
    armed(std::move(answer));
  });
  return id;
}

std::optional<Listeners::Listener> Listeners::take(Id id) {
  auto taken = listeners_.extract(id);
  if (!taken) return std::nullopt;
  const auto node = nodes_.find({taken.mapped().path, taken.mapped().of_children});
  if (--node->second == 0) nodes_.erase(node);
  return std::move(taken.mapped());
}

void Listeners::clear() {
  listeners_.clear();
  nodes_.clear();
}

void Listeners::session_connected() {
  std::vector<Id> unarmed;
  for (const auto& [id, listener] : listeners_) {
    if (!listener.armed) unarmed.push_back(id);
  }
  for (const auto id : unarmed) watch_again(id);
}

// Sets the watch. `done` is not called if the listener is ignored meanwhile.
void Listeners::watch(Id id, zk::Client::Done done) {
  const auto what = listeners_.at(id);
  auto armed = acknowledged_([this, id, what, done = std::move(done)](zk::Answer answer) {
    const auto listener = listeners_.find(id);
    if (listener == listeners_.end()) {
      if (answer.code == Code::ok) drop_watch(what);
      return;
    }
    listener->second.armed = answer.code == Code::ok;
    done(std::move(answer));
  });
  if (what.of_children) return connection_.client().get_children(what.path, std::move(armed), id);
  // getData, not exists: on a node that is gone already, exists would leave a watch behind; and on one that we may not read, it
  // would leave us waiting, because the server does not tell us of it (CVE-2024-23944).
  connection_.client().get(what.path, std::move(armed), id);
}

void Listeners::ignore(Id id) {
  if (const auto ignored = take(id); ignored && ignored->armed) drop_watch(*ignored);
}

void Listeners::drop_watch(const Listener& dropped) {
  const bool wanted = nodes_.contains({dropped.path, dropped.of_children});
  if (!wanted && connection_.connected()) {
    const auto kind = dropped.of_children ? wire::WatchKind::children : wire::WatchKind::data;
    connection_.client().remove_watches(dropped.path, kind, [](const zk::Answer&) {});
  }
}

void Listeners::fired(Id id, wire::EventType type) {
  const auto listener = listeners_.find(id);
  if (listener == listeners_.end()) return;
  if (type == wire::EventType::node_deleted || listener->second.of_children) return tell(id, Status::absent);
  // The text changed, and that used the watch up.
  if (type == wire::EventType::node_data_changed) watch_again(id);
}

void Listeners::watch_again(Id id) {
  listeners_.at(id).armed = false;
  if (!connection_.connected()) return;  // session_connected() comes back to it
  watch(id, [this, id](zk::Answer answer) {
    const auto status = status_of(answer.code);
    if (status == Status::unknown || status == Status::unreachable) return;
    if (status != Status::ok) return tell(id, status);
    const auto told = listeners_.at(id).told;  // a copy: it may ignore us
    told({Status::ok, {}, std::move(answer.text)});
  });
}

void Listeners::tell(Id id, Status status) {
  if (const auto listener = take(id)) listener->told({status, "", {}});
}

}  // namespace holdfast::zookeeper
