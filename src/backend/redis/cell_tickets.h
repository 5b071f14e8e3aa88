// cell_tickets.h -- the queue of one client for one cell: what the store itself does not keep.
//
//     [ mine 1, holds ]  [ the world ]  [ mine 2 ]  [ mine 3 ]
//                          foreign        waits       wait for mine 2
//
// Redis knows who holds a cell, and nothing of those who wait. So a ticket that waits is here only, and the first of them has one foreign
// ticket right before it, "the world": all other clients, those that hold the cell and those that will. That ticket goes when the cell is ours. So the
// lock waits as it waits in any queue: for the end of the ticket before its own.
//
//   ticket    means                                            ends by
//   waiting   it is not its turn, or the cell is another's     acquire is sent -> sent
//   sent      acquire was sent: the cell may be its            OK -> holds; BUSY -> waiting; no answer -> sent, and found out later
//   holds     the cell is its, as far as is known              dequeue(); or a beat finds another owner, or none: gone
//   gone      in no queue any more                             -
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/redis/cell_layout.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::redis {

struct CellTicket {
  enum class State { waiting, sent, holds, gone };

  std::string queue{};
  std::string uid{};
  std::string id{};
  std::string owner{};  // what is written into the cell
  std::string card{};
  std::int64_t sequence = 0;
  State state = State::waiting;
  // The connection was lost while acquire was under way: it may still be executed.
  bool stray = false;
  Token token = 0;  // of the hold
  // Those who listen to it, and to the world before it.
  std::map<spi::QueueBackend::ListenerId, spi::TicketListener> listeners{};
  std::map<spi::QueueBackend::ListenerId, spi::TicketListener> waiters{};

  bool holds() const { return state == State::holds; }
  bool may_have_the_cell() const { return state == State::sent || state == State::holds; }
  std::string world() const { return "before " + id; }
};
using CellTicketPtr = std::shared_ptr<CellTicket>;

// An acquire under way.
struct CellAttempt {
  CellTicketPtr ticket;
  std::vector<std::function<void(const spi::Reply<spi::Nothing>&)>> done{};
  bool again = false;  // a message came meanwhile: what it finds may be older than that
};

struct Cell {
  std::string queue{};
  std::string key{};
  std::string channel{};
  std::deque<CellTicketPtr> tickets{};  // in order; at least one
  Stored stored{};                      // the rival, as it was seen last
  std::shared_ptr<CellAttempt> attempt{};
  // While its first ticket waits and is listened for.
  bool waiting = false;
  Clock::duration pause{};
  spi::Executor::TimerId timer = spi::Executor::kNoTimer;

  CellTicket& first() const { return *tickets.front(); }
  spi::Listing listing() const;
};

inline spi::Listing Cell::listing() const {
  spi::Listing all;
  bool after_the_world = false;
  for (const auto& ticket : tickets) {
    if (!ticket->holds() && !std::exchange(after_the_world, true)) {
      all.push_back({.id = ticket->world(), .sequence = 0});
    }
    all.push_back({.id = ticket->id, .sequence = ticket->sequence});
  }
  return all;
}

}  // namespace holdfast::redis
