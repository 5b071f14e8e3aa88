#include "backend/zookeeper/zookeeper_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/zookeeper/dialect.h"
#include "base/log.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;

namespace {

constexpr auto kEphemeralSequential = 3;
constexpr auto kContainer = 4;
// A container may be reaped between the creation of the parents and that of the ticket. It takes the reaper a minute to
// come round, so more than a few such coincidences are something else.
constexpr int kMaxParentRounds = 5;
// Queues with strange children that are remembered, so that each is reported once.
constexpr std::size_t kMaxReported = 1'000;

Status status_of(int rc) {
  switch (rc) {
    case ZOK: return Status::ok;
    case ZNONODE: return Status::absent;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONMOVED: return Status::unknown;
    case ZINVALIDSTATE:
    case ZTHROTTLEDOP: return Status::unreachable;
    case ZSESSIONEXPIRED: return Status::expired;
    case ZCLOSING: return Status::closed;
    case ZNOAUTH:
    case ZAUTHFAILED:
    case ZINVALIDACL:
    case ZBADARGUMENTS:
    case ZMARSHALLINGERROR:
    case ZUNIMPLEMENTED:
    case ZNOCHILDRENFOREPHEMERALS:
    case ZNOTEMPTY:
    case ZNOTREADONLY: return Status::denied;
    default: return Status::unknown;  // what we do not know may have happened
  }
}

template <class T>
Reply<T> failure(int rc, const std::string& what) {
  return {status_of(rc), fmt::format("{}: {}", what, zerror(rc)), {}};
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ZooKeeperBackend::ZooKeeperBackend(spi::Executor& executor, Address address, const ClientOptions& options)
    : executor_(executor), acl_entries_(options.acl), connection_(executor, std::move(address), options, *this) {
  for (const auto& entry : acl_entries_) {
    // The library only reads these.
    acl_storage_.push_back({static_cast<int>(entry.permissions),
                            {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
  }
  acl_ = acl_storage_.empty() ? ZOO_OPEN_ACL_UNSAFE
                              : ACL_vector{static_cast<int>(acl_storage_.size()), acl_storage_.data()};
}

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
  observer_->connected(session);
  // The library sets its watches again by itself, but not one that was being set anew when the connection broke.
  std::vector<ListenerId> unarmed;
  for (const auto& [id, listener] : listeners_) {
    if (!listener.armed) unarmed.push_back(id);
  }
  for (const auto id : unarmed) watch_again(id);
}

void ZooKeeperBackend::session_disconnected() { observer_->disconnected(); }

void ZooKeeperBackend::session_expired(spi::SessionId session) {
  listeners_.clear();
  observer_->expired(session);
}

void ZooKeeperBackend::session_refused(const std::string& why) { observer_->refused(why); }

// ------------------------------------------------------------------------------------------------------------ requests

Handle::Done ZooKeeperBackend::acknowledged(Handle::Done done, bool through_leader) {
  const bool by_keeper = through_leader || !connection_.ensemble();
  return [this, sent = executor_.now(), session = connection_.session().id, by_keeper,
          done = std::move(done)](Answer answer) {
    if (came_from_the_server(answer.rc)) observer_->acknowledged(session, sent, by_keeper);
    done(std::move(answer));
  };
}

template <class T>
bool ZooKeeperBackend::reachable(const spi::Callback<T>& done) {
  if (connection_.connected()) return true;
  executor_.post([done, status = connection_.closed() ? Status::closed : Status::unreachable, where = where()] {
    done({status, "no connection to " + where, {}});
  });
  return false;
}

spi::Listing ZooKeeperBackend::in_order(const std::string& queue, const std::vector<std::string>& nodes) {
  auto children = sort_children(nodes);
  if ((!children.foreign.empty() || !children.stray.empty()) && reported_.insert(queue).second) {
    if (reported_.size() > kMaxReported) reported_.clear();
    if (!children.foreign.empty()) {
      base::log().warn(
          "{} holds {}, made by a recipe that does not wait for us as we wait for it; use one recipe for one lock",
          path(queue), children.foreign);
    } else {
      base::log().warn("{} holds {}, which is no ticket and is ignored", path(queue), children.stray);
    }
  }
  return std::move(children.tickets);
}

// One enqueue: what was asked, and what has come back so far.
struct ZooKeeperBackend::Placing {
  std::string queue;
  std::string uid;
  std::string prefix;
  std::string card;
  spi::Callback<spi::Enqueued> done;
  int rounds = 0;
  Answer created{};
};

void ZooKeeperBackend::enqueue(const std::string& queue, const spi::Request& request,
                               spi::Callback<spi::Enqueued> done) {
  if (!reachable(done)) return;
  place(std::make_shared<Placing>(Placing{.queue = queue,
                                          .uid = request.uid,
                                          .prefix = path(queue) + "/" + node_prefix(request.uid, request.shared),
                                          .card = request.card,
                                          .done = std::move(done)}));
}

// Both requests leave together. ZooKeeper serves one session in order, and a read behind a write of the same session waits
// for its commit, so the list shows our ticket.
void ZooKeeperBackend::place(std::shared_ptr<Placing> placing) {
  connection_.handle().create(placing->prefix, placing->card, acl_, kEphemeralSequential,
                              acknowledged([placing](Answer answer) { placing->created = std::move(answer); }));
  connection_.handle().get_children(
      path(placing->queue), acknowledged([this, placing](const Answer& listed) {
        const Answer& created = placing->created;
        if (created.rc == ZNONODE) {
          if (!connection_.connected()) return placing->done({Status::unreachable, "no connection to " + where(), {}});
          if (++placing->rounds > kMaxParentRounds) {
            return placing->done(
                {Status::unreachable, path(placing->queue) + " vanishes as soon as it is created", {}});
          }
          create_parents(placing->queue);
          return place(placing);
        }
        if (created.rc != ZOK) return placing->done(failure<spi::Enqueued>(created.rc, "create " + placing->prefix));
        const auto ticket = parse_node(last_part(created.text));
        Reply<spi::Enqueued> reply;
        if (listed.rc != ZOK) reply = failure<spi::Enqueued>(listed.rc, "list " + path(placing->queue));
        if (reply.status == Status::absent) reply.status = Status::unknown;  // the queue went between the two
        reply.value = {{.ticket = ticket.value_or(spi::Ticket{}),
                        .token = static_cast<Token>(created.stat.czxid),
                        .session = created.stat.ephemeralOwner},
                       in_order(placing->queue, listed.children)};
        placing->done(std::move(reply));
      }));
}

// Containers, as Curator makes them: the server removes them once they have been used and are empty. Those that exist
// answer "node exists"; asking first would cost a round trip. What else goes wrong shows when the ticket is created.
void ZooKeeperBackend::create_parents(const std::string& queue) {
  const auto full = path(queue);
  for (auto slash = full.find('/', 1);; slash = full.find('/', slash + 1)) {
    const auto parent = full.substr(0, slash);
    connection_.handle().create(parent, {}, acl_, kContainer, acknowledged([parent](const Answer& answer) {
                                  if (answer.rc == ZNOAUTH) base::log().warn("not allowed to create {}", parent);
                                }));
    if (slash == std::string::npos) return;
  }
}

void ZooKeeperBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  if (!reachable(done)) return;
  const auto synced = std::make_shared<int>(ZOK);
  connection_.handle().sync(path(queue), acknowledged([synced](const Answer& answer) { *synced = answer.rc; }));
  connection_.handle().get_children(
      path(queue), acknowledged([this, queue, uid, synced, done = std::move(done)](Answer listed) {
        if (*synced != ZOK) return done(failure<spi::Enqueued>(*synced, "sync " + path(queue)));
        if (listed.rc != ZOK) return done(failure<spi::Enqueued>(listed.rc, "list " + path(queue)));
        const auto mine = std::find_if(listed.children.begin(), listed.children.end(),
                                       [&](const std::string& node) { return has_uid(node, uid); });
        if (mine == listed.children.end()) return done({Status::absent, "no ticket " + uid, {}});
        if (!connection_.connected()) return done({Status::unreachable, "no connection to " + where(), {}});
        const auto ticket = parse_node(*mine);
        connection_.handle().exists(path(queue) + "/" + *mine,
                                    acknowledged([=, this, children = listed.children](const Answer& answer) {
                                      if (answer.rc != ZOK)
                                        return done(failure<spi::Enqueued>(answer.rc, "stat of " + path(queue)));
                                      done({Status::ok,
                                            {},
                                            {{.ticket = ticket.value_or(spi::Ticket{}),
                                              .token = static_cast<Token>(answer.stat.czxid),
                                              .session = answer.stat.ephemeralOwner},
                                             in_order(queue, children)}});
                                    }));
      }));
}

void ZooKeeperBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  if (!reachable(done)) return;
  connection_.handle().get_children(path(queue),
                                    acknowledged([this, queue, done = std::move(done)](const Answer& answer) {
                                      if (answer.rc == ZNONODE) return done({});
                                      if (answer.rc != ZOK)
                                        return done(failure<spi::Listing>(answer.rc, "list " + path(queue)));
                                      done({Status::ok, {}, in_order(queue, answer.children)});
                                    }));
}

void ZooKeeperBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue) + "/" + ticket;
  connection_.handle().remove(
      node, acknowledged([node, done = std::move(done)](const Answer& answer) {
        done(answer.rc == ZOK ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.rc, "delete " + node));
      }));
}

void ZooKeeperBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<std::string> done) {
  if (!reachable(done)) return;
  const auto node = path(queue) + "/" + ticket;
  connection_.handle().get(node, acknowledged([node, done = std::move(done)](Answer answer) {
                             if (answer.rc != ZOK) return done(failure<std::string>(answer.rc, "read " + node));
                             done({Status::ok, {}, std::move(answer.text)});
                           }));
}

void ZooKeeperBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue) + "/" + ticket;
  connection_.handle().exists(
      node, acknowledged([node, done = std::move(done)](const Answer& answer) {
        done(answer.rc == ZOK ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.rc, "stat of " + node));
      }));
}

// A follower hands a sync on to its leader, and answers it when it has heard back: any path will do.
void ZooKeeperBackend::beat(spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto answered = [done = std::move(done)](const Answer& answer) {
    done(answer.rc == ZOK ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.rc, "heartbeat"));
  };
  if (connection_.ensemble()) {
    connection_.handle().sync("/", acknowledged(answered, /*through_leader=*/true));
  } else {
    connection_.handle().exists("/", acknowledged(answered));
  }
}

// ----------------------------------------------------------------------------------------------------------- listeners

ZooKeeperBackend::ListenerId ZooKeeperBackend::listen(const std::string& queue, const std::string& ticket,
                                                      spi::Callback<std::string> armed, spi::Told told) {
  const ListenerId id = ++last_listener_;
  if (!reachable(armed)) return id;
  const auto node = path(queue) + "/" + ticket;
  listeners_[id] = {.path = node, .told = std::move(told)};
  watch(id, [this, id, node, armed = std::move(armed)](Answer answer) {
    if (answer.rc == ZOK) return armed({Status::ok, {}, std::move(answer.text)});
    listeners_.erase(id);
    armed(failure<std::string>(answer.rc, "watch " + node));
  });
  return id;
}

// Sets the watch. `done` is not called if the listener is ignored meanwhile.
void ZooKeeperBackend::watch(ListenerId id, Handle::Done done) {
  const auto node = listeners_.at(id).path;
  // getData, not exists: on a node that is gone already, exists would leave a watch behind; and on one that we may not read, it
  // would leave us waiting, because the server does not tell us of it (CVE-2024-23944).
  connection_.handle().get_and_watch(node, id, acknowledged([this, id, node, done = std::move(done)](Answer answer) {
                                       const auto listener = listeners_.find(id);
                                       if (listener == listeners_.end()) {
                                         if (answer.rc == ZOK && connection_.connected())
                                           connection_.handle().remove_watch(node, [](const Answer&) {});
                                         return;
                                       }
                                       listener->second.armed = answer.rc == ZOK;
                                       done(std::move(answer));
                                     }));
}

void ZooKeeperBackend::ignore(ListenerId id) {
  const auto node = listeners_.extract(id);
  if (node && node.mapped().armed && connection_.connected())
    connection_.handle().remove_watch(node.mapped().path, [](const Answer&) {});
}

void ZooKeeperBackend::watch_fired(ListenerId id, int type) {
  if (type == ZOO_DELETED_EVENT) return tell(id, Status::absent);
  // The data changed (somebody asks the holder to go), and that used the watch up.
  if (type == ZOO_CHANGED_EVENT && listeners_.contains(id)) watch_again(id);
}

void ZooKeeperBackend::watch_again(ListenerId id) {
  listeners_.at(id).armed = false;
  if (!connection_.connected()) return;  // session_connected() comes back to it
  watch(id, [this, id](const Answer& answer) {
    const auto status = status_of(answer.rc);
    if (status != Status::ok && status != Status::unknown && status != Status::unreachable) tell(id, status);
  });
}

void ZooKeeperBackend::tell(ListenerId id, Status status) {
  const auto listener = listeners_.extract(id);
  if (listener) listener.mapped().told(status);
}

}  // namespace holdfast::zookeeper
