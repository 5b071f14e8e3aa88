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
constexpr auto kConfigNode = "/zookeeper/config";
// When the host names cannot be resolved at the moment.
constexpr auto kReopenPause = std::chrono::seconds(1);

Status status_of(int rc) {
  switch (rc) {
    case ZOK: return Status::ok;
    case ZNONODE: return Status::absent;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONMOVED: return Status::unknown;
    case ZINVALIDSTATE: return Status::unreachable;
    case ZSESSIONEXPIRED: return Status::expired;
    case ZCLOSING: return Status::closed;
    default: return Status::denied;
  }
}

template <class T>
Reply<T> failure(int rc, const std::string& what) {
  return {status_of(rc), fmt::format("{}: {}", what, zerror(rc)), {}};
}

bool came_from_the_server(int rc) { return rc == ZOK || rc == ZNONODE || rc == ZNODEEXISTS || rc == ZNOAUTH; }

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ZooKeeperBackend::ZooKeeperBackend(spi::Executor& executor, Address address, const ClientOptions& options)
    : executor_(executor),
      address_(std::move(address)),
      session_timeout_(options.session_timeout),
      tick_time_(options.ensemble_tick_time),
      auth_(options.auth),
      acl_entries_(options.acl) {
  for (const auto& entry : acl_entries_) {
    // The library only reads these.
    acl_storage_.push_back({static_cast<int>(entry.permissions),
                            {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
  }
  acl_ = acl_storage_.empty() ? ZOO_OPEN_ACL_UNSAFE
                              : ACL_vector{static_cast<int>(acl_storage_.size()), acl_storage_.data()};
}

// ------------------------------------------------------------------------------------------------------------- session

void ZooKeeperBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  start_session();
}

void ZooKeeperBackend::start_session() {
  announced_ = false;
  handle_ =
      std::make_shared<Handle>(executor_, Handle::Events{[this](int state) { on_session(state); },
                                                         [this](auto watch, int type) { on_watch(watch, type); }});
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(session_timeout_).count();
  const auto trouble = handle_->open(address_.hosts, static_cast<int>(ms), auth_);
  if (trouble.empty()) return;
  base::log().warn("cannot connect to {}: {}", where(), trouble);
  handle_.reset();
  executor_.at(executor_.now() + kReopenPause, [this] {
    if (!closed_) start_session();
  });
}

void ZooKeeperBackend::on_session(int state) {
  if (state == ZOO_CONNECTED_STATE) return on_connected();
  if (state == ZOO_EXPIRED_SESSION_STATE) return replace_session();
  if (state == ZOO_AUTH_FAILED_STATE) return observer_->refused(where() + " has refused the credentials");
  if (std::exchange(connected_, false)) observer_->disconnected();
}

void ZooKeeperBackend::on_connected() {
  session_.id = handle_->session();
  session_.timeout = handle_->timeout();
  if (announced_) return announce();
  session_.report_lag = tick_time_ / 2;
  if (address_.several) return announce();
  // One address may still be one member, or the front, of an ensemble; the servers know. What cannot be read, or is not
  // empty, is taken for one: the price is a shorter lease, the other way round it would be a broken promise.
  handle_->get(kConfigNode, [this, sent = executor_.now()](const Answer& answer) {
    if (answer.rc == ZCONNECTIONLOSS || answer.rc == ZSESSIONEXPIRED || answer.rc == ZCLOSING) return;  // comes again
    if (answer.rc == ZNONODE || (answer.rc == ZOK && answer.text.find("server.") == std::string::npos)) {
      session_.report_lag = {};
    }
    announce();
    if (came_from_the_server(answer.rc)) observer_->acknowledged(session_.id, sent);
  });
}

void ZooKeeperBackend::announce() {
  announced_ = true;
  connected_ = true;
  observer_->connected(session_);
  // The library sets its watches again by itself, but not one that was being set anew when the connection broke.
  std::vector<ListenerId> unarmed;
  for (const auto& [id, listener] : listeners_) {
    if (listener.told && !listener.armed) unarmed.push_back(id);
  }
  for (const auto id : unarmed) watch_again(id);
}

// The service has given our session up. Everything of it is gone: tickets, watches, requests under way.
void ZooKeeperBackend::replace_session() {
  connected_ = false;
  listeners_.clear();
  const auto old = std::exchange(handle_, nullptr);
  old->abandon(ZSESSIONEXPIRED);
  observer_->expired(session_.id);
  old->close();  // there is nobody to talk to: returns at once
  start_session();
}

std::function<void()> ZooKeeperBackend::close() {
  closed_ = true;
  connected_ = false;
  listeners_.clear();
  if (!handle_) return {};
  handle_->abandon(ZCLOSING);
  return [handle = std::exchange(handle_, nullptr)] { handle->close(); };
}

// ------------------------------------------------------------------------------------------------------------ requests

Handle::Done ZooKeeperBackend::acknowledged(Handle::Done done) {
  return [this, sent = executor_.now(), session = session_.id, done = std::move(done)](Answer answer) {
    if (came_from_the_server(answer.rc)) observer_->acknowledged(session, sent);
    done(std::move(answer));
  };
}

template <class T>
bool ZooKeeperBackend::reachable(const spi::Callback<T>& done) {
  if (connected_) return true;
  executor_.post([done, status = closed_ ? Status::closed : Status::unreachable, where = where()] {
    done({status, "no connection to " + where, {}});
  });
  return false;
}

spi::Listing ZooKeeperBackend::in_order(const std::string& queue, const std::vector<std::string>& nodes) {
  auto children = sort_children(nodes);
  if ((!children.foreign.empty() || !children.stray.empty()) && reported_.insert(queue).second) {
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
  handle_->create(placing->prefix, placing->card, acl_, kEphemeralSequential,
                  acknowledged([placing](Answer answer) { placing->created = std::move(answer); }));
  handle_->get_children(
      path(placing->queue), acknowledged([this, placing](const Answer& listed) {
        const Answer& created = placing->created;
        if (created.rc == ZNONODE) {
          if (!connected_) return placing->done({Status::unreachable, "no connection to " + where(), {}});
          if (++placing->rounds > kMaxParentRounds) {
            return placing->done(
                {Status::unreachable, path(placing->queue) + " vanishes as soon as it is created", {}});
          }
          create_parents(placing->queue);
          return place(placing);
        }
        if (created.rc != ZOK) return placing->done(failure<spi::Enqueued>(created.rc, "create " + placing->prefix));
        if (listed.rc != ZOK) {
          // The ticket is there, but we do not know its place: as unknown as if the reply had been lost.
          auto reply = failure<spi::Enqueued>(listed.rc, "list " + path(placing->queue));
          if (reply.status == Status::absent || reply.status == Status::unreachable) reply.status = Status::unknown;
          return placing->done(std::move(reply));
        }
        const auto ticket = parse_node(last_part(created.text));
        placing->done({Status::ok,
                       {},
                       {{.ticket = ticket.value_or(spi::Ticket{}),
                         .token = static_cast<Token>(created.stat.czxid),
                         .session = created.stat.ephemeralOwner},
                        in_order(placing->queue, listed.children)}});
      }));
}

// Containers, as Curator makes them: the server removes them once they have been used and are empty. Those that exist
// answer "node exists"; asking first would cost a round trip. What else goes wrong shows when the ticket is created.
void ZooKeeperBackend::create_parents(const std::string& queue) {
  const auto full = path(queue);
  for (auto slash = full.find('/', 1);; slash = full.find('/', slash + 1)) {
    const auto parent = full.substr(0, slash);
    handle_->create(parent, {}, acl_, kContainer, acknowledged([parent](const Answer& answer) {
                      if (answer.rc == ZNOAUTH) base::log().warn("not allowed to create {}", parent);
                    }));
    if (slash == std::string::npos) return;
  }
}

void ZooKeeperBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  if (!reachable(done)) return;
  const auto synced = std::make_shared<int>(ZOK);
  handle_->sync(path(queue), acknowledged([synced](const Answer& answer) { *synced = answer.rc; }));
  handle_->get_children(path(queue), acknowledged([this, queue, uid, synced, done = std::move(done)](Answer listed) {
                          if (*synced != ZOK) return done(failure<spi::Enqueued>(*synced, "sync " + path(queue)));
                          if (listed.rc != ZOK) return done(failure<spi::Enqueued>(listed.rc, "list " + path(queue)));
                          const auto mine = std::find_if(listed.children.begin(), listed.children.end(),
                                                         [&](const std::string& node) { return has_uid(node, uid); });
                          if (mine == listed.children.end()) return done({Status::absent, "no ticket " + uid, {}});
                          if (!connected_) return done({Status::unreachable, "no connection to " + where(), {}});
                          const auto ticket = parse_node(*mine);
                          handle_->exists(path(queue) + "/" + *mine,
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
  handle_->get_children(path(queue), acknowledged([this, queue, done = std::move(done)](const Answer& answer) {
                          if (answer.rc == ZNONODE) return done({});
                          if (answer.rc != ZOK) return done(failure<spi::Listing>(answer.rc, "list " + path(queue)));
                          done({Status::ok, {}, in_order(queue, answer.children)});
                        }));
}

void ZooKeeperBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(queue) + "/" + ticket;
  handle_->remove(node, acknowledged([node, done = std::move(done)](const Answer& answer) {
                    done(answer.rc == ZOK ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.rc, "delete " + node));
                  }));
}

void ZooKeeperBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<std::string> done) {
  if (!reachable(done)) return;
  const auto node = path(queue) + "/" + ticket;
  handle_->get(node, acknowledged([node, done = std::move(done)](Answer answer) {
                 if (answer.rc != ZOK) return done(failure<std::string>(answer.rc, "read " + node));
                 done({Status::ok, {}, std::move(answer.text)});
               }));
}

void ZooKeeperBackend::beat(spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  handle_->exists("/", acknowledged([done = std::move(done)](const Answer& answer) {
                    done(answer.rc == ZOK ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.rc, "stat of /"));
                  }));
}

// ----------------------------------------------------------------------------------------------------------- listeners

ZooKeeperBackend::ListenerId ZooKeeperBackend::listen(const std::string& queue, const std::string& ticket,
                                                      spi::Callback<std::string> armed, std::function<void()> gone) {
  const ListenerId id = ++last_listener_;
  if (!reachable(armed)) return id;
  const auto node = path(queue) + "/" + ticket;
  listeners_[id] = {.path = node, .gone = std::move(gone)};
  // getData, not exists: on a node that is gone already, exists would leave a watch behind.
  handle_->get_and_watch(node, id, acknowledged([this, id, node, armed = std::move(armed)](Answer answer) {
                           const auto listener = listeners_.find(id);
                           if (listener == listeners_.end()) {
                             // Ignored while it was under way. The watch is there now.
                             if (answer.rc == ZOK && connected_) handle_->remove_watch(node, [](const Answer&) {});
                             if (status_of(answer.rc) == Status::expired)
                               armed(failure<std::string>(answer.rc, "watch " + node));
                             return;
                           }
                           if (answer.rc != ZOK) {
                             listeners_.erase(listener);
                             return armed(failure<std::string>(answer.rc, "watch " + node));
                           }
                           listener->second.armed = listener->second.told = true;
                           armed({Status::ok, {}, std::move(answer.text)});
                         }));
  return id;
}

void ZooKeeperBackend::ignore(ListenerId id) {
  const auto node = listeners_.extract(id);
  if (node && node.mapped().armed && connected_) handle_->remove_watch(node.mapped().path, [](const Answer&) {});
}

void ZooKeeperBackend::on_watch(ListenerId id, int type) {
  const auto listener = listeners_.find(id);
  if (listener == listeners_.end()) return;
  if (type == ZOO_DELETED_EVENT) {
    const auto gone = std::move(listener->second.gone);
    listeners_.erase(listener);
    return gone();
  }
  // The data changed (somebody asks the holder to go), and that used the watch up.
  if (type == ZOO_CHANGED_EVENT) watch_again(id);
}

void ZooKeeperBackend::watch_again(ListenerId id) {
  const auto listener = listeners_.find(id);
  if (listener == listeners_.end()) return;
  listener->second.armed = false;
  if (!connected_) return;  // announce() comes back to it
  handle_->get_and_watch(listener->second.path, id, acknowledged([this, id](const Answer& answer) {
                           if (answer.rc == ZNONODE) return on_watch(id, ZOO_DELETED_EVENT);
                           const auto still = listeners_.find(id);
                           if (still != listeners_.end() && answer.rc == ZOK) still->second.armed = true;
                         }));
}

}  // namespace holdfast::zookeeper
