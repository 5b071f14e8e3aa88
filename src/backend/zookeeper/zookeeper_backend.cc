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
using wire::CreateMode;

namespace {

// A container may be reaped between the creation of the parents and that of the ticket. It takes the reaper a minute to
// come round, so more than a few such coincidences are something else.
constexpr int kMaxParentRounds = 5;
// The service's own, in the root; no name of a lock begins with it (base/name.h).
constexpr auto kOwnNode = "zookeeper";
// Queues with strange children that are remembered, so that each is reported once.
constexpr std::size_t kMaxReported = 1'000;

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

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

// One enqueue: what was asked, and what has come back so far.
struct ZooKeeperBackend::Placing {
  std::vector<spi::Request> requests;
  spi::Callback<std::vector<spi::Enqueued>> done;
  int rounds = 0;
  std::shared_ptr<Denied> denied = std::make_shared<Denied>();
  zk::Answer created{};                        // `created` has the paths
  zk::Answer stat{};                           // of the first ticket, which was made with all others
  std::map<std::string, zk::Answer> listed{};  // by queue

  bool in_place() const { return !requests.front().in_place_of.empty(); }
};

void ZooKeeperBackend::enqueue(const std::vector<spi::Request>& requests,
                               spi::Callback<std::vector<spi::Enqueued>> done) {
  if (!reachable(done)) return;
  place(std::make_shared<Placing>(Placing{.requests = requests, .done = std::move(done)}));
}

// All requests leave together. ZooKeeper serves one session in order, and a read behind a write of the same session waits
// for its commit, so the lists show our tickets.
void ZooKeeperBackend::place(std::shared_ptr<Placing> placing) {
  zk::Client& client = connection_.client();
  const zk::Client::Together together(client);
  const auto& first = placing->requests.front();
  const auto keep_created = [placing](zk::Answer answer) { placing->created = std::move(answer); };
  if (placing->in_place()) {
    const auto node = path(first.queue, node_in_place_of(first.uid, first.in_place_of));
    client.multi({{.what = zk::Step::What::check, .path = path(first.queue, first.in_place_of)},
                  {.what = zk::Step::What::create, .path = node, .data = first.card, .mode = CreateMode::ephemeral}},
                 acknowledged(keep_created));
    client.exists(node, acknowledged([placing](zk::Answer answer) { placing->stat = std::move(answer); }));
  } else if (placing->requests.size() == 1) {
    client.create({.path = path(first.queue, node_prefix(first.uid, first.mode)),
                   .data = first.card,
                   .mode = CreateMode::ephemeral_sequential},
                  acknowledged([placing](zk::Answer answer) {
                    answer.created = {answer.text};
                    placing->stat = {.code = answer.code, .stat = answer.stat};
                    placing->created = std::move(answer);
                  }));
  } else {
    std::vector<zk::Step> ops;
    for (const auto& each : placing->requests) {
      ops.push_back({.what = zk::Step::What::create,
                     .path = path(each.queue, node_prefix(each.uid, each.mode)),
                     .data = each.card,
                     .mode = CreateMode::ephemeral_sequential});
    }
    client.multi(ops, acknowledged(keep_created));
  }
  list_after(placing);
}

void ZooKeeperBackend::list_after(const std::shared_ptr<Placing>& placing) {
  placing->listed.clear();
  for (const auto& each : placing->requests) placing->listed.try_emplace(each.queue);
  // A copy: the last answer may start the next round.
  std::vector<std::string> queues;
  for (const auto& [queue, answer] : placing->listed) queues.push_back(queue);
  for (const auto& queue : queues) {
    connection_.client().get_children(
        path(queue), acknowledged([this, placing, queue, is_last = queue == queues.back()](zk::Answer answer) {
          placing->listed[queue] = std::move(answer);
          if (is_last) placed(placing);
        }));
  }
}

void ZooKeeperBackend::placed(const std::shared_ptr<Placing>& placing) {
  const auto& created = placing->created;
  const auto& first = placing->requests.front();
  if (created.code == Code::no_node && !placing->in_place()) {
    if (!connection_.connected()) return placing->done({Status::unreachable, unreachable(), {}});
    if (placing->denied->code != Code::ok) {
      return placing->done(
          failure<std::vector<spi::Enqueued>>(placing->denied->code, "create " + placing->denied->path));
    }
    if (++placing->rounds > kMaxParentRounds) {
      return placing->done({Status::unreachable, path(first.queue) + " vanishes as soon as it is created", {}});
    }
    for (const auto& [queue, listed] : placing->listed) {
      if (listed.code != Code::no_node && placing->listed.size() != 1) continue;
      create_with_parents(path(queue), placing->denied);
    }
    return place(placing);
  }
  if (created.code != Code::ok) {
    return placing->done(failure<std::vector<spi::Enqueued>>(created.code, "create a ticket in " + path(first.queue)));
  }
  if (created.created.size() != placing->requests.size()) {
    return placing->done({Status::unknown, where() + " has not said what it created", {}});
  }
  if (placing->stat.code == Code::ok && placing->stat.stat.czxid == 0) {
    // A multi does not say when and for which session it was made, not even of create2.
    if (!connection_.connected()) return placing->done({Status::unknown, unreachable(), {}});
    return connection_.client().exists(created.created.front(), acknowledged([this, placing](zk::Answer answer) {
                                         placing->stat = std::move(answer);
                                         placed(placing);
                                       }));
  }
  // Whether it has gone meanwhile or cannot be asked: what was made is found again by its uid.
  if (placing->stat.code != Code::ok) {
    auto reply = failure<std::vector<spi::Enqueued>>(placing->stat.code, "stat of a ticket in " + path(first.queue));
    if (reply.status == Status::absent || reply.status == Status::unreachable) reply.status = Status::unknown;
    return placing->done(std::move(reply));
  }
  Reply<std::vector<spi::Enqueued>> reply;
  // Once for each queue: a thousand permits are a thousand requests for one.
  std::map<std::string, spi::Listing> listings;
  for (const auto& [queue, listed] : placing->listed) listings[queue] = in_order(queue, listed.children);
  for (std::size_t i = 0; i < placing->requests.size(); ++i) {
    const auto& queue = placing->requests[i].queue;
    const auto& listed = placing->listed[queue];
    if (listed.code != Code::ok && reply.status == Status::ok) {
      reply.status = status_of(listed.code);
      if (reply.status == Status::absent) reply.status = Status::unknown;  // the queue went between the two
      reply.detail = fmt::format("list {}: {}", path(queue), to_text(listed.code));
    }
    reply.value.push_back({{.ticket = parse_node(last_part(created.created[i])).value_or(spi::Ticket{}),
                            .token = static_cast<Token>(placing->stat.stat.czxid),
                            .session = placing->stat.stat.ephemeral_owner},
                           listings[queue]});
    const auto& ticket = reply.value.back().place.ticket;
    deny_if_near_the_end(reply, queue, ticket.sequence, ticket.mode);
  }
  placing->done(std::move(reply));
}

template <class T>
void ZooKeeperBackend::deny_if_near_the_end(Reply<T>& reply, const std::string& queue, std::int64_t sequence,
                                            spi::Mode mode) const {
  // Of permits the number counts, not the order.
  if (mode == spi::Mode::permit || !near_overflow(sequence)) return;
  reply.status = Status::denied;
  reply.detail = fmt::format(
      "the queue {} has handed out ticket {}, too close to the end of its 32-bit counter to stay in order; remove the "
      "empty node so that it starts anew",
      path(queue), sequence);
}

// Containers, as Curator makes them: the server removes them once they have been used and are empty. Those that exist
// answer "node exists"; asking first would cost a round trip.
void ZooKeeperBackend::create_with_parents(const std::string& full, const std::shared_ptr<Denied>& denied) {
  // Where we may not create it may exist all the same; then what is below it can be made.
  const auto last = std::make_shared<Denied>();
  for (auto slash = full.find('/', 1);; slash = full.find('/', slash + 1)) {
    const auto parent = full.substr(0, slash);
    const bool is_last = slash == std::string::npos;
    connection_.client().create({.path = parent, .data = "", .mode = CreateMode::container},
                                acknowledged([=](const zk::Answer& answer) {
                                  if (answer.code == Code::ok || answer.code == Code::node_exists) *last = {};
                                  // Below one that was denied nothing is found, which is no reason of its own.
                                  if (status_of(answer.code) == Status::denied) {
                                    base::log().warn("{}", describe(answer.code, "cannot create " + parent));
                                    *last = {parent, answer.code};
                                  }
                                  if (is_last && last->code != Code::ok) *denied = *last;
                                }));
    if (is_last) return;
  }
}

void ZooKeeperBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  if (!reachable(done)) return;
  const auto synced = std::make_shared<Code>(Code::ok);
  connection_.client().sync(path(queue), acknowledged([synced](const zk::Answer& answer) { *synced = answer.code; }));
  connection_.client().get_children(
      path(queue), acknowledged([this, queue, uid, synced, done = std::move(done)](zk::Answer listed) {
        if (*synced != Code::ok) return done(failure<spi::Enqueued>(*synced, "sync " + path(queue)));
        if (listed.code != Code::ok) return done(failure<spi::Enqueued>(listed.code, "list " + path(queue)));
        const auto mine = std::find_if(listed.children.begin(), listed.children.end(),
                                       [&](const std::string& node) { return has_uid(node, uid); });
        if (mine == listed.children.end()) return done({Status::absent, "no ticket " + uid, {}});
        if (!connection_.connected()) return done({Status::unreachable, unreachable(), {}});
        const auto ticket = parse_node(*mine);
        connection_.client().exists(path(queue) + "/" + *mine,
                                    acknowledged([=, this, children = listed.children](const zk::Answer& answer) {
                                      if (answer.code != Code::ok)
                                        return done(failure<spi::Enqueued>(answer.code, "stat of " + path(queue)));
                                      const auto found = ticket.value_or(spi::Ticket{});
                                      Reply<spi::Enqueued> reply{Status::ok,
                                                                 {},
                                                                 {{.ticket = found,
                                                                   .token = static_cast<Token>(answer.stat.czxid),
                                                                   .session = answer.stat.ephemeral_owner},
                                                                  in_order(queue, children)}};
                                      deny_if_near_the_end(reply, queue, found.sequence, found.mode);
                                      done(std::move(reply));
                                    }));
      }));
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

void ZooKeeperBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  if (!reachable(done)) return;
  const auto directory = queue.empty() && connection_.address().chroot.empty() ? "/"
                         : queue.empty()                                       ? connection_.address().chroot
                                                                               : path(queue);
  connection_.client().get_children_and_stat(
      directory, acknowledged([this, queue, directory, done = std::move(done)](const zk::Answer& listed) {
        if (listed.code == Code::no_node) return done({});
        if (listed.code != Code::ok) return done(failure<spi::Examination>(listed.code, "list " + directory));
        if (!connection_.connected()) return done({Status::unreachable, unreachable(), {}});
        // The counter counts what was ever created; the Stat's, creations and removals.
        const auto next = (std::int64_t{listed.stat.cversion} + listed.stat.num_children) / 2;
        const auto found = std::make_shared<spi::Examination>();
        found->next_sequence = next;
        found->near_overflow = near_overflow(next);
        const auto trouble = std::make_shared<Reply<spi::Examination>>();
        const auto finish = [found, trouble, done] {
          if (*trouble) trouble->value = std::move(*found);
          done(std::move(*trouble));
        };
        std::vector<spi::Ticket> tickets;
        for (auto& ticket : sort_children(listed.children).tickets) {
          if (ticket.mode == spi::Mode::none) {
            const bool of_the_service = queue.empty() && ticket.id == kOwnNode;
            if (!of_the_service) found->below.push_back(ticket.id);
          } else {
            found->near_overflow = found->near_overflow || near_overflow(ticket.sequence);
            tickets.push_back(std::move(ticket));
          }
        }
        if (tickets.empty()) {
          found->semaphore = std::find(found->below.begin(), found->below.end(), kPermits) != found->below.end();
          return finish();
        }
        for (const auto& ticket : tickets) {
          connection_.client().get(
              path(queue, ticket.id), acknowledged([found, trouble, finish, ticket,
                                                    is_last = ticket.id == tickets.back().id](zk::Answer answer) {
                // What has gone meanwhile is left out; what may not be read is shown without its text.
                if (answer.code == Code::ok || answer.code == Code::no_auth) {
                  using std::chrono::milliseconds;
                  found->tickets.push_back(
                      {.ticket = ticket,
                       .recipe = recipe_of(ticket.id, answer.text),
                       .text = text_of(answer.text),
                       .token = static_cast<Token>(answer.stat.czxid),
                       .session = answer.stat.ephemeral_owner,
                       .made = std::chrono::system_clock::time_point(milliseconds(answer.stat.ctime)),
                       .readable = answer.code == Code::ok,
                       .apart = waits_apart(ticket.id)});
                }
                if (!zk::came_from_the_server(answer.code))
                  *trouble = failure<spi::Examination>(answer.code, "read " + ticket.id);
                if (is_last) finish();
              }));
        }
      }));
}

struct ZooKeeperBackend::Committing {
  std::vector<zk::Step> ops;
  std::size_t guards = 0;  // the first of them
  spi::Callback<spi::Nothing> done;
  bool parents_made = false;
  std::shared_ptr<Denied> denied = std::make_shared<Denied>();
};

void ZooKeeperBackend::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                              spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  auto committing = std::make_shared<Committing>(Committing{{}, guards.size(), std::move(done)});
  for (const auto& guard : guards) {
    committing->ops.push_back({.what = zk::Step::What::check, .path = path(guard.queue, guard.ticket)});
  }
  for (const auto& change : changes) {
    const auto what = change.what == spi::Change::What::create   ? zk::Step::What::create
                      : change.what == spi::Change::What::set    ? zk::Step::What::set
                      : change.what == spi::Change::What::remove ? zk::Step::What::remove
                                                                 : zk::Step::What::check;
    committing->ops.push_back({what, change.path, change.text, CreateMode::persistent, change.version.value_or(-1)});
  }
  commit(std::move(committing));
}

void ZooKeeperBackend::commit(std::shared_ptr<Committing> committing) {
  connection_.client().multi(
      committing->ops, acknowledged([this, committing](const zk::Answer& answer) {
        if (answer.code == Code::ok) return committing->done({});
        const auto& op = committing->ops[std::min(answer.failed, committing->ops.size() - 1)];
        if (answer.failed < committing->guards && answer.code == Code::no_node) {
          return committing->done({Status::absent, "there is no ticket " + op.path, {}});
        }
        const auto slash = op.path.rfind('/');
        if (answer.code == Code::no_node && op.what == zk::Step::What::create && slash > 0 && connection_.connected() &&
            !std::exchange(committing->parents_made, true)) {
          create_with_parents(op.path.substr(0, slash), committing->denied);
          return commit(committing);
        }
        const auto step = fmt::format("step {}", answer.failed + 1 - committing->guards);
        if (answer.code == Code::no_node && committing->denied->code != Code::ok) {
          const auto& [parent, code] = *committing->denied;
          return committing->done(failure<spi::Nothing>(code, fmt::format("{}: create {}", step, parent)));
        }
        auto reply = failure<spi::Nothing>(answer.code, fmt::format("{} on {}", step, op.path));
        if (zk::came_from_the_server(answer.code)) reply.status = Status::denied;
        committing->done(std::move(reply));
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
