#include "lock/sweeper.h"

#include <vector>

#include "base/assert.h"
#include "base/log.h"

namespace holdfast::lock {
namespace {

// Between two tries on one connection. After a lost connection the next try comes with the new one.
constexpr auto kPause = std::chrono::milliseconds(200);

}  // namespace

void Sweeper::remove(const std::string& queue, const spi::Place& place, Done done) {
  add({.queue = queue, .uid = {}, .ticket = place.ticket.id, .session = place.session, .done = std::move(done)});
}

void Sweeper::remove_if_made(const std::string& queue, const std::string& uid, spi::SessionId session) {
  add({.queue = queue, .uid = uid, .ticket = {}, .session = session, .done = {}});
}

void Sweeper::session_connected() {
  std::vector<Id> ids;
  for (const auto& [id, chore] : chores_) ids.push_back(id);
  for (const Id id : ids) attempt(id);
}

void Sweeper::close() {
  // The session ends now, and every ticket with it.
  while (!chores_.empty()) finish(chores_.begin()->first);
}

void Sweeper::add(Chore chore) {
  const Id id = ++last_id_;
  HOLDFAST_ASSERT(!chore.in_flight && !chore.queue.empty(), id);
  chores_.emplace(id, std::move(chore));
  attempt(id);
}

void Sweeper::attempt(Id id) {
  const auto found = chores_.find(id);
  if (found == chores_.end()) return;
  Chore& chore = found->second;
  if (chore.session != session_.id()) return finish(id);
  if (chore.in_flight || !session_.connected()) return;
  chore.in_flight = true;
  if (!chore.ticket.empty()) {
    backend_.dequeue(chore.queue, chore.ticket,
                     [this, id](const auto& reply) { answered(id, reply.status, reply.detail); });
    return;
  }
  backend_.find(chore.queue, chore.uid, [this, id](const auto& reply) {
    const auto waiting = chores_.find(id);
    if (waiting == chores_.end()) return;
    if (!reply) return answered(id, reply.status, reply.detail);
    HOLDFAST_ASSERT(waiting->second.in_flight && waiting->second.ticket.empty(), id);
    waiting->second.in_flight = false;
    waiting->second.ticket = reply.value.place.ticket.id;
    attempt(id);
  });
}

void Sweeper::answered(Id id, spi::Status status, const std::string& detail) {
  const auto found = chores_.find(id);
  if (found == chores_.end()) return;
  Chore& chore = found->second;
  HOLDFAST_ASSERT(chore.in_flight, id, chore.queue);
  chore.in_flight = false;
  switch (status) {
    case spi::Status::ok:
    case spi::Status::absent:
    case spi::Status::expired:
    case spi::Status::closed: return finish(id);
    case spi::Status::denied:
    case spi::Status::unsupported:
      base::log().error("the ticket {} stays in {} until the session ends: {}",
                        chore.ticket.empty() ? chore.uid : chore.ticket, chore.queue, detail);
      return finish(id);
    case spi::Status::unknown:
    case spi::Status::unreachable: executor_.at(executor_.now() + kPause, [this, id] { attempt(id); }); return;
  }
}

void Sweeper::finish(Id id) {
  auto node = chores_.extract(id);
  if (node && node.mapped().done) node.mapped().done();
}

}  // namespace holdfast::lock
