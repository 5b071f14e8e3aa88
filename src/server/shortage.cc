// shortage.cc -- what the service does when memory is short.
//
//   memory_left()   nodes and watches      sessions and connections   clients
//   enough          are made               are made                   stay
//   little          are refused            are made                   go if they use more than a share of the reserve
//   least           are refused            are refused                go, the greediest first
//
// So a client can always come and delete, and what has begun ends: either it is done or it is as if it had never been asked for.
#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <new>
#include <utility>

#include "server/service.h"
#include "server/service_work.h"

namespace holdfast::server {

using engine::Outcome;
using wire::Code;

namespace {

// Of the reserve: if all clients together use less than this, it is nodes that have used the memory up.
constexpr std::size_t kClientsShare = 4;

struct Grows {
  bool operator()(const wire::Create&) const { return true; }
  bool operator()(const wire::SetData&) const { return true; }
  bool operator()(const wire::SetAcl&) const { return true; }
  bool operator()(const wire::Multi& multi) const {
    return std::any_of(multi.steps.begin(), multi.steps.end(), [](const auto& step) {
      return std::holds_alternative<wire::Create>(step) || std::holds_alternative<wire::SetData>(step);
    });
  }
  bool operator()(const wire::Exists& request) const { return request.watch; }
  bool operator()(const wire::GetData& request) const { return request.watch; }
  bool operator()(const wire::GetChildren& request) const { return request.watch; }
  bool operator()(const wire::AddWatch&) const { return true; }
  bool operator()(const wire::SetWatches&) const { return true; }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
};

}  // namespace

bool takes_memory(const wire::Request& request) { return std::visit(Grows{}, request); }

// Nodes may have used it up as well as clients: then disconnecting clients gains nothing, and writes are refused until nodes are removed.
// Clients go if they use more than their share, and whatever they use before the reserve ends.
base::MemoryLeft Service::memory_left() {
  const auto left = base::memory_left();
  if (left == base::MemoryLeft::enough || relieving_) return left;
  const auto missing = base::missing_memory();
  const auto share = base::memory_reserve_size() / kClientsShare;
  if (quotas_->memory->used() > share) {
    // A little more than is missing, so that the next frame does not bring it about again.
    quotas_->memory->relieve(quotas_->addresses, missing.to_enough + share);
  } else if (left == base::MemoryLeft::least) {
    quotas_->memory->relieve(quotas_->addresses, missing.to_little);
  } else {
    return left;
  }
  // What they used is freed in the turns that have come to the loop by now.
  relieving_ = true;
  asio::post(loop_.context(), [this, alive = alive_] {
    if (!*alive) return;
    relieving_ = false;
    for (const auto id : std::exchange(waiting_for_room_, {})) {
      if (const auto found = connections_.find(id); found != connections_.end()) go_on(*found->second);
    }
  });
  return base::memory_left();
}

bool Service::wait_for_room(ClientConnection& connection) {
  if (!relieving_ || !connection.peer) return false;
  waiting_for_room_.push_back(connection.id);
  if (!std::exchange(connection.unread, true)) pipeline_.wait_for_reader(line_of(connection));
  return true;
}

Outcome Service::remove_ephemerals(const Turn& turn, wire::SessionId session) {
  try {
    return engine_.remove_ephemerals(turn.zxid, turn.time, session);
  } catch (const std::bad_alloc&) {
    end_ephemerals_later(session);
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
}

void Service::tell(ConnectionId id, const wire::Event& event) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const auto connection = found->second;
  // Whatever the engine is about to do: it cannot be undone any more.
  const base::SpareReserve none(base::SpareReserve::Part::none);
  make_room();
  try {
    const base::SpareReserve spare(base::SpareReserve::Part::half);
    connection->send(wire::event_frame(event));
  } catch (const std::bad_alloc&) {
    // It sets its watches again with its next connection, and learns what it has missed.
    refuse(*connection, Refusal::memory, "was to be told of an event, and there is no memory for it");
  }
}

// A write has changed nothing, and its client is told so. Watches that are to be set again it would miss without noticing, and what is
// read may be too long to be ever had: these clients have to come again.
Outcome ClientRequest::refuse_for_memory(const Turn& turn) {
  if (!writes() && !takes_memory(request())) {
    service_.refuse(*connection_, Refusal::memory, kTooMuch);
  } else if (std::holds_alternative<wire::SetWatches>(request())) {
    service_.refuse(*connection_, Refusal::memory, "wants to watch, and there is no memory for it");
  } else {
    service_.quotas_->refusals.note(
        Refusal::memory,
        fmt::format("a request of {} was refused: memory is used up (delete nodes, or raise the limit)",
                    connection_->origin.address));
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
  return {.zxid = turn.zxid, .code = Code::connection_loss};
}

}  // namespace holdfast::server
