// placing.cc -- ZooKeeperBackend: tickets are made, with their parents, and found again.
#include <fmt/format.h>

#include <algorithm>

#include "backend/zookeeper/dialect.h"
#include "backend/zookeeper/status.h"
#include "backend/zookeeper/zookeeper_backend.h"
#include "base/log.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;
using wire::CreateMode;

namespace {

// A container may be reaped between the creation of the parents and that of the ticket. It takes the reaper a minute to
// come round, so more than a few such coincidences are something else.
constexpr int kMaxParentRounds = 5;

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

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

}  // namespace holdfast::zookeeper
