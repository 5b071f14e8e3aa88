#include "backend/zookeeper/zookeeper_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/zookeeper/dialect.h"
#include "backend/zookeeper/status.h"
#include "backend/zookeeper/ticket_text.h"
#include "base/log.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;

namespace {

// Queues with strange children that are remembered, so that each is reported once.
constexpr std::size_t kMaxReported = 1'000;

}  // namespace

ZooKeeperBackend::ZooKeeperBackend(spi::Executor& executor, Address address, const ClientOptions& options,
                                   zk::Dial dial)
    : executor_(executor),
      connection_(executor, std::move(address), options, std::move(dial), *this),
      listeners_(connection_, [this](zk::Client::Done done) { return acknowledged(std::move(done)); }) {}

void ZooKeeperBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  connection_.open();
}

std::function<void()> ZooKeeperBackend::close() {
  auto outside = connection_.close();
  listeners_.clear();
  return outside;
}

void ZooKeeperBackend::session_connected(const spi::Session& session) {
  listeners_.session_connected();
  observer_->connected(session);
}

void ZooKeeperBackend::session_disconnected() { observer_->disconnected(); }

void ZooKeeperBackend::session_expired(spi::SessionId session) {
  listeners_.clear();
  observer_->expired(session);
}

void ZooKeeperBackend::session_refused(const std::string& why) { observer_->refused(why); }
void ZooKeeperBackend::no_service() { observer_->no_service(); }

// ------------------------------------------------------------------------------------------------------------ requests

zk::Client::Done ZooKeeperBackend::acknowledged(zk::Client::Done done, bool through_leader) {
  const bool by_keeper = through_leader || !connection_.ensemble();
  return [this, sent = executor_.now(), session = connection_.session().id, by_keeper,
          done = std::move(done)](zk::Answer answer) {
    if (zk::came_from_the_server(answer.code)) observer_->acknowledged(session, sent, by_keeper);
    done(std::move(answer));
  };
}

std::string ZooKeeperBackend::unreachable() const {
  const auto trouble = connection_.trouble();
  return fmt::format("no connection to {}{}{}", where(), trouble.empty() ? "" : ": ", trouble);
}

spi::Listing ZooKeeperBackend::in_order(const std::string& queue, const std::vector<std::string>& nodes) {
  auto children = sort_children(nodes);
  // A name below this one ("a/b" beside "a") is not a ticket, and nothing to wonder about.
  if (!children.stray.empty()) base::log().debug("{} is not a ticket, and is ignored", path(queue, children.stray));
  if (!children.foreign.empty() && reported_.insert(queue).second) {
    if (reported_.size() > kMaxReported) reported_.clear();
    base::log().warn(
        "{} holds {}, made by a recipe that does not wait for others as we wait for it; use one recipe for one lock",
        path(queue), children.foreign);
  }
  return std::move(children.tickets);
}

std::string ZooKeeperBackend::path(const std::string& queue, const std::string& ticket) const {
  return queue.empty() ? path(ticket) : path(queue) + "/" + node_of_name(ticket);
}

void ZooKeeperBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  if (!reachable(done)) return;
  connection_.client().get_children(path(queue),
                                    acknowledged([this, queue, done = std::move(done)](const zk::Answer& answer) {
                                      if (answer.code == Code::no_node) return done({});
                                      if (answer.code != Code::ok)
                                        return done(failure<spi::Listing>(answer.code, "list " + path(queue)));
                                      done({Status::ok, {}, in_order(queue, answer.children)});
                                    }));
}

void ZooKeeperBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue, ticket);
  connection_.client().remove(
      node, acknowledged([node, done = std::move(done)](const zk::Answer& answer) {
        done(answer.code == Code::ok ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.code, "delete " + node));
      }));
}

void ZooKeeperBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  if (!reachable(done)) return;
  const auto node = path(queue, ticket);
  connection_.client().get(node, acknowledged([node, done = std::move(done)](zk::Answer answer) {
                             if (answer.code != Code::ok)
                               return done(failure<spi::TicketText>(answer.code, "read " + node));
                             done({Status::ok, {}, text_of(answer.text)});
                           }));
}

void ZooKeeperBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue, ticket);
  connection_.client().exists(
      node, acknowledged([node, done = std::move(done)](const zk::Answer& answer) {
        done(answer.code == Code::ok ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.code, "stat of " + node));
      }));
}

// A follower hands a sync on to its leader, and answers it when it has heard back: any path will do.
void ZooKeeperBackend::beat(spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto answered = [done = std::move(done)](const zk::Answer& answer) {
    done(answer.code == Code::ok ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.code, "heartbeat"));
  };
  if (connection_.ensemble()) {
    connection_.client().sync("/", acknowledged(answered, /*through_leader=*/true));
  } else {
    connection_.client().exists("/", acknowledged(answered));
  }
}

void ZooKeeperBackend::write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
                             spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue, ticket);
  connection_.client().set(
      node, to_data(text), acknowledged([node, done = std::move(done)](const zk::Answer& answer) {
        done(answer.code == Code::ok ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.code, "write " + node));
      }));
}

// ----------------------------------------------------------------------------------------------------------- listeners

ZooKeeperBackend::ListenerId ZooKeeperBackend::listen(const std::string& queue, const std::string& ticket,
                                                      spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  if (!reachable(armed)) return Listeners::kNone;
  const auto node = path(queue, ticket);
  const auto tell = [told = std::move(told)](const Reply<std::string>& data) {
    told({data.status, data.detail, text_of(data.value)});
  };
  return listeners_.add({.path = node, .told = tell}, [node, armed = std::move(armed)](const zk::Answer& answer) {
    if (answer.code != Code::ok) return armed(failure<spi::TicketText>(answer.code, "watch " + node));
    armed({Status::ok, {}, text_of(answer.text)});
  });
}

ZooKeeperBackend::ListenerId ZooKeeperBackend::listen_to_queue(const std::string& queue,
                                                               spi::Callback<spi::Listing> armed,
                                                               spi::TicketListener told) {
  if (!reachable(armed)) return Listeners::kNone;
  const auto tell = [told = std::move(told)](const Reply<std::string>& changed) {
    told({changed.status, changed.detail, {}});
  };
  return listeners_.add({.path = path(queue), .told = tell, .of_children = true},
                        [this, queue, armed = std::move(armed)](const zk::Answer& answer) {
                          if (answer.code != Code::ok)
                            return armed(failure<spi::Listing>(answer.code, "watch " + path(queue)));
                          armed({Status::ok, {}, in_order(queue, answer.children)});
                        });
}

}  // namespace holdfast::zookeeper
