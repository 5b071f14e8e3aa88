// Waiting for a cell: who listens to what, and when acquire is sent again.
#include <algorithm>
#include <utility>

#include "backend/redis/cell_backend.h"
#include "base/random.h"
#include "redis/refusal.h"

namespace holdfast::redis {
namespace {

using resp::Value;
using spi::Reply;
using spi::Status;

// Between two looks at a cell that is another's. Grows from the first to the second, each with jitter, so that those who wait do not
// come together.
constexpr Clock::duration kShortestPause = std::chrono::milliseconds(2);
constexpr Clock::duration kLongestPause = std::chrono::milliseconds(100);
// Where the end of a hold is told, it is looked for anyway as often as a client beats: a key that is deleted says nothing.
constexpr int kLooksPerTime = 6;
// A key that has a millisecond left is there until that is over.
constexpr Clock::duration kPastTheEnd = std::chrono::milliseconds(1);
}  // namespace

// ----------------------------------------------------------------------------------------------------------------- listeners

CellBackend::ListenerId CellBackend::listen(const std::string& queue, const std::string& ticket,
                                            spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  const ListenerId id = ++last_listener_;
  auto* const cell = cell_of(queue);
  CellTicketPtr mine = ticket_of(queue, ticket);
  bool to_the_world = false;
  if (cell != nullptr && !mine) {
    const auto found = std::find_if(cell->tickets.begin(), cell->tickets.end(),
                                    [&](const auto& each) { return each->world() == ticket; });
    if (found != cell->tickets.end()) mine = *found;
    to_the_world = mine != nullptr;
  }
  if (!mine) {
    look(queue, [this, ticket, armed = std::move(armed)](const Reply<std::optional<Stored>>& stored) {
      if (!stored) return armed({stored.status, stored.detail, {}});
      if (!stored.value || stored.value->id != ticket) return armed({Status::absent, "it is gone", {}});
      unsupported(armed, "nothing tells when another client's lock ends");
    });
    return id;
  }
  listening_[id] = mine;
  // Listened from then on: nothing is told before `armed`, and what happens until then is found there.
  reactor_.post([this, id, to_the_world, mine, armed = std::move(armed), told = std::move(told)] {
    if (closed_) return armed({Status::closed, "the client was closed", {}});
    if (!listening_.contains(id)) return;
    auto* const there = cell_of(mine->queue);
    if (mine->state == CellTicket::State::gone || there == nullptr) {
      listening_.erase(id);
      return armed({to_the_world ? Status::unknown : Status::absent, "it is gone", {}});
    }
    armed({Status::ok, {}, {.card = to_the_world ? there->stored.card : mine->card}});
    if (!listening_.contains(id)) return;
    if (!to_the_world) {
      mine->listeners[id] = told;
    } else if (mine->holds()) {
      listening_.erase(id);
      told({Status::absent, "the cell is ours", {}});
    } else {
      mine->waiters[id] = told;
      if (auto* const waiting = cell_of(mine->queue)) settle(*waiting);
    }
  });
  return id;
}

void CellBackend::tell(std::map<ListenerId, spi::TicketListener>& listeners, Status status, const std::string& detail) {
  for (const auto& [id, listener] : std::exchange(listeners, {})) {
    // One may have been ignored by another's doing.
    if (listening_.erase(id) > 0 && listener) listener({status, detail, {}});
  }
}

void CellBackend::ignore(ListenerId listener) {
  if (closed_) return;
  const auto node = listening_.extract(listener);
  const auto ticket = node ? node.mapped().lock() : nullptr;
  if (!ticket) return;
  ticket->listeners.erase(listener);
  if (ticket->waiters.erase(listener) == 0) return;
  if (auto* const cell = cell_of(ticket->queue)) settle(*cell);
}

// ------------------------------------------------------------------------------------------------------------------- waiting

void CellBackend::settle(Cell& cell) {
  const bool wants = !cell.tickets.empty() && !cell.first().holds() && !cell.first().waiters.empty();
  if (wants == cell.waiting) {
    if (wants && !cell.attempt && cell.timer == net::Reactor::kNoTimer) wait_a_while(cell);
    return;
  }
  cell.waiting = wants;
  if (!wants) {
    reactor_.cancel(std::exchange(cell.timer, net::Reactor::kNoTimer));
    if (cell.channel.empty()) return;
    queue_of_channel_.erase(cell.channel);
    if (connected_) client_.call({"UNSUBSCRIBE", cell.channel}, [](const auto&) {});
    return;
  }
  cell.pause = kShortestPause;
  if (cell.channel.empty()) {
    if (!cell.attempt) wait_a_while(cell);
    return;
  }
  queue_of_channel_[cell.channel] = cell.queue;
  if (!connected_) return;
  // It may have been given back before the channel was heard.
  client_.call({"SUBSCRIBE", cell.channel}, [this](const std::optional<Value>& subscribed) {
    if (!subscribed || !subscribed->is_error() || closed_) return;
    client_.leave(refusal_of(*subscribed, "SUBSCRIBE").why);
  });
  if (cell.attempt) {
    cell.attempt->again = true;
  } else {
    acquire(cell);
  }
}

// Until the next attempt: no longer than the rival's key has left.
void CellBackend::wait_a_while(Cell& cell) {
  Clock::duration pause = time_ / kLooksPerTime;
  if (cell.channel.empty()) {
    pause = cell.pause / 2 + cell.pause / 2 * static_cast<Clock::rep>(base::random_number() % 1'000) / 1'000;
    cell.pause = std::min(2 * cell.pause, kLongestPause);
  }
  if (cell.stored.left >= std::chrono::milliseconds(0))
    pause = std::min<Clock::duration>(pause, cell.stored.left + kPastTheEnd);
  cell.timer = reactor_.at(reactor_.now() + pause, [this, queue = cell.queue] {
    auto* const found = cell_of(queue);
    if (found == nullptr) return;
    found->timer = net::Reactor::kNoTimer;
    if (found->waiting && connected_ && !found->first().holds()) acquire(*found);
  });
}

void CellBackend::told(const std::string& channel) {
  const auto found = queue_of_channel_.find(channel);
  auto* const cell = closed_ || found == queue_of_channel_.end() ? nullptr : cell_of(found->second);
  if (cell == nullptr || !cell->waiting || !connected_) return;
  if (cell->attempt) {
    cell->attempt->again = true;
  } else {
    acquire(*cell);
  }
}

}  // namespace holdfast::redis
