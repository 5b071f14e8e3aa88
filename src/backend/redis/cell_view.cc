// What a lock of one key says to people, and what it does not have.
#include <algorithm>
#include <functional>
#include <utility>

#include "backend/redis/cell_backend.h"
#include "holdfast/card.h"

namespace holdfast::redis {
namespace {

using spi::Reply;
using spi::Status;

// So that two holders can be told apart by it. Not that of their client, which is not stored.
spi::SessionId session_like(const std::string& id) {
  return static_cast<spi::SessionId>(std::hash<std::string>()(id) >> 2) + 1;
}

spi::Examined rival(const Stored& stored) {
  spi::Examined examined;
  examined.ticket.id = stored.id;
  examined.recipe = stored.recipe.empty() ? stored.type : stored.recipe;
  examined.text.card = stored.card;
  examined.session = stored.left < std::chrono::milliseconds(0) ? 0 : session_like(stored.id);
  if (stored.recipe == "Holdfast") examined.made = Card::parse(stored.card).since;
  return examined;
}

spi::Examined mine(const CellTicket& ticket, spi::SessionId session) {
  spi::Examined examined;
  examined.ticket.id = ticket.id;
  examined.ticket.sequence = ticket.sequence;
  examined.recipe = "Holdfast";
  examined.text.card = ticket.card;
  examined.token = ticket.token;
  examined.session = session;
  examined.made = Card::parse(ticket.card).since;
  return examined;
}

}  // namespace

void CellBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  if (const auto mine = ticket_of(queue, ticket)) {
    return reply_later<spi::TicketText>(std::move(done), {.value = {.card = mine->card}});
  }
  look(queue, [ticket, done = std::move(done)](const Reply<std::optional<Stored>>& stored) {
    if (!stored) return done({stored.status, stored.detail, {}});
    if (!stored.value || stored.value->id != ticket) return done({Status::absent, "it is gone", {}});
    done({.value = {.card = stored.value->card}});
  });
}

void CellBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  read(queue, ticket, [done = std::move(done)](const Reply<spi::TicketText>& text) {
    done({text.status, text.detail, {}});
  });
}

void CellBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  if (queue.empty()) return unsupported(done, "nothing here lists the names of locks; ask for one by its name");
  look(queue, [this, queue, done = std::move(done)](const Reply<std::optional<Stored>>& stored) {
    Reply<spi::Examination> reply{stored.status, stored.detail, {}};
    if (!stored) return done(std::move(reply));
    auto& tickets = reply.value.tickets;
    if (stored.value && !ticket_of(queue, stored.value->id)) tickets.push_back(rival(*stored.value));
    if (const auto* const cell = cell_of(queue)) {
      for (const auto& each : cell->tickets) tickets.push_back(mine(*each, session_.id));
      // Who holds it comes first: a ticket that waits is behind all others.
      std::stable_partition(tickets.begin(), tickets.end(),
                            [&](const auto& each) { return stored.value && each.ticket.id == stored.value->id; });
    }
    done(std::move(reply));
  });
}

// ----------------------------------------------------------------------------------------------------------- what there is not

CellBackend::ListenerId CellBackend::listen_to_queue(const std::string&, spi::Callback<spi::Listing> armed,
                                                     spi::TicketListener) {
  unsupported(armed, "no semaphores");
  return ++last_listener_;
}

void CellBackend::write(const std::string&, const std::string&, const spi::TicketText&,
                        spi::Callback<spi::Nothing> done) {
  unsupported(done, "no lock can be asked back");
}

void CellBackend::leave_mark(const std::string&, const std::string&, spi::Callback<spi::Nothing> done) {
  unsupported(done, "no lock delay");
}

void CellBackend::abandoned_marks(const std::string&, spi::Callback<std::vector<std::string>> done) {
  unsupported(done, "no lock delay");
}

void CellBackend::make_count(const std::string&, std::int32_t, spi::Callback<spi::Nothing> done) {
  unsupported(done, "no shared counts");
}

void CellBackend::read_count(const std::string&, spi::Callback<std::int32_t> done) {
  unsupported(done, "no shared counts");
}

void CellBackend::set_count(const std::string&, std::int32_t, spi::Callback<spi::Nothing> done) {
  unsupported(done, "no shared counts");
}

CellBackend::ListenerId CellBackend::listen_to_count(const std::string&, spi::Callback<std::int32_t> armed,
                                                     spi::CountListener) {
  unsupported(armed, "no shared counts");
  return ++last_listener_;
}

void CellBackend::commit(const std::vector<spi::TicketName>&, const std::vector<spi::Change>&,
                         spi::Callback<spi::Nothing> done) {
  unsupported(done, "no guarded writes");
}

}  // namespace holdfast::redis
