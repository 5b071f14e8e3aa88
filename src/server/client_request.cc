#include "server/client_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/memory_reserve.h"
#include "engine/cost.h"
#include "server/operation_name.h"
#include "server/takes_memory.h"
#include "wire/protocol.h"

namespace holdfast::server {

using engine::Outcome;
using wire::Code;

namespace {

// Of one setWatches: about a millisecond's worth. As many as fit into a frame would take a fifth of a second.
constexpr std::size_t kPathsAtOnce = 1'000;
constexpr engine::Moment kPerByteOfData = std::chrono::nanoseconds(2);
// A longer request is read again when its turn has come, rather than kept as what was read, which takes several times the memory.
constexpr std::size_t kKeptRead = 1'024;
// For others to be disconnected that use too much memory.
constexpr engine::Moment kWaitForRoom = std::chrono::seconds(1);
// What a client did that is turned away for it.
constexpr std::string_view kTooMuch = "asked for more than there is memory for";

using Part = base::SpareReserve::Part;

// The last piece first.
std::vector<wire::Request> in_pieces(wire::Request request) {
  std::vector<wire::Request> pieces;
  if (auto* all = std::get_if<wire::SetWatches>(&request)) {
    wire::SetWatches piece{.relative_zxid = all->relative_zxid};
    std::size_t count = 0;
    for (const auto list : {&wire::SetWatches::data, &wire::SetWatches::exist, &wire::SetWatches::children,
                            &wire::SetWatches::persistent, &wire::SetWatches::recursive}) {
      for (auto& path : all->*list) {
        if (count++ == kPathsAtOnce) {
          count = 1;
          pieces.emplace_back(std::exchange(piece, {.relative_zxid = all->relative_zxid}));
        }
        (piece.*list).push_back(std::move(path));
      }
    }
    pieces.emplace_back(std::move(piece));
    std::reverse(pieces.begin(), pieces.end());
  } else {
    pieces.push_back(std::move(request));
  }
  return pieces;
}

}  // namespace

std::vector<wire::Request> ClientRequest::read(wire::Op op, std::string_view frame) {
  wire::Reader reader(frame);
  (void)reader.i32();  // xid and op
  (void)reader.i32();
  return in_pieces(wire::decode_request(op, reader));
}

const wire::Request& ClientRequest::request() const {
  if (pieces_.empty()) {
    try {
      const base::SpareReserve spare(Part::half);
      pieces_ = read(op_, frame_);
    } catch (const std::bad_alloc&) {
      unreadable_ = true;
      pieces_.emplace_back(wire::Malformed{});
    }
    frame_ = {};
  }
  return pieces_.back();
}

engine::Moment ClientRequest::likely_cost() const {
  return by_length(size_, op_ == wire::Op::set_data ? kPerByteOfData : kPerByte);
}

engine::Moment ClientRequest::weigh(const engine::Engine& engine) {
  if (closing_) return likely_cost_of_end(engine, connection_->session);
  const engine::Client client{connection_->session, connection_->id};
  try {
    const base::SpareReserve spare(Part::half);
    if (!pieces_.empty() || frame_.size() <= kKeptRead) return engine::likely_cost(engine, client, request());
    return engine::likely_cost(engine, client, read(op_, frame_).back());
  } catch (const std::bad_alloc&) {  // it will see for itself
    return likely_cost();
  }
}

Outcome ClientRequest::execute(engine::Engine& engine, const Turn& turn) {
  postponed_ = false;
  auto outcome = execute_piece(engine, turn);
  const bool closes = op_ == wire::Op::close_session;
  more_ = outcome.code == Code::ok && (closes ? engine.has_ephemerals(connection_->session) : pieces_.size() > 1);
  if (postponed_) more_ = true;
  return outcome;
}

Outcome ClientRequest::execute_piece(engine::Engine& engine, const Turn& turn) {
  if (closing_) return context_.cleanup.remove_ephemerals(turn, connection_->session);
  // No client waits for what it would find.
  if (!connection_->peer && !writes()) return {.zxid = turn.zxid, .code = Code::connection_loss};
  if (connection_->session == 0) return {.zxid = turn.zxid, .code = Code::session_expired};
  if (connection_->account->was_over_budget()) return {.zxid = turn.zxid, .code = Code::connection_loss};
  // The session has moved: the connection that speaks for it now was told so, and counts on nothing being done behind its back.
  if (context_.sessions.has_moved(*connection_)) return {.zxid = turn.zxid, .code = Code::session_moved};
  // Once more: when it came, the session's end may have been under way, which was taken back since. Who is answered counts on its
  // whole timeout from now on.
  engine.sessions().heard_of(connection_->session, received_);
  if (!connection_->authorized && op_ != wire::Op::close_session) {
    return {.zxid = turn.zxid, .code = Code::session_closed_require_auth};
  }
  if (unreadable_) {
    refuse(Refusal::memory, kTooMuch);
    return {.zxid = turn.zxid, .code = Code::connection_loss};
  }
  const bool grows = takes_memory(request());
  if (grows && context_.memory.left() != base::MemoryLeft::enough) {
    // Greedy clients have it, and have just been disconnected: an honest one need not hear of it.
    postponed_ = turn.now - received_ < kWaitForRoom && context_.memory.wait_for_room(*connection_);
    return postponed_ ? Outcome{.zxid = turn.zxid} : refuse_for_memory(turn);
  }
  Outcome outcome;
  try {
    const base::SpareReserve spare(grows ? Part::all : Part::half);
    outcome = engine.execute({connection_->session, connection_->id}, turn.zxid, turn.time, request());
  } catch (const std::bad_alloc&) {
    return refuse_for_memory(turn);
  }
  keep(outcome.body.size());
  return outcome;
}

// A write has changed nothing, and its client is told so. Watches that are to be set again it would miss without noticing, and what is
// read may be too long to be ever had: these clients have to come again.
Outcome ClientRequest::refuse_for_memory(const Turn& turn) {
  if (!writes() && !takes_memory(request())) {
    refuse(Refusal::memory, kTooMuch);
  } else if (std::holds_alternative<wire::SetWatches>(request())) {
    refuse(Refusal::memory, "wants to watch, and there is no memory for it");
  } else {
    context_.refusals.note(
        Refusal::memory,
        fmt::format("a request of {} was refused: memory is used up (delete nodes, or raise the limit)",
                    connection_->origin.address));
    return {.zxid = turn.zxid, .code = Code::system_error};
  }
  return {.zxid = turn.zxid, .code = Code::connection_loss};
}

void ClientRequest::keep(std::size_t bytes) {
  connection_->account->release(std::exchange(kept_, 0));
  connection_->account->charge(bytes);
  kept_ = bytes;
}

void ClientRequest::settle(engine::Engine& engine, Outcome& outcome) {
  if (postponed_) return;
  try {
    const base::SpareReserve spare(Part::all);
    engine.settle({connection_->session, connection_->id}, request(), outcome, context_.events.teller());
  } catch (const std::bad_alloc&) {  // for the watches that it asked for; those that it has got go with it
    more_ = false;
    refuse(Refusal::memory, kTooMuch);
  }
  if (op_ == wire::Op::close_session && outcome.code == Code::ok) context_.sessions.ended(connection_->session);
  if (more_) {
    closing_ = op_ == wire::Op::close_session;
    if (!closing_) pieces_.pop_back();
    return;
  }
  served();
  // The session is over, but not all of it is gone: it is told by the end of its connection.
  if (closing_ && outcome.code != Code::ok) return drop();
  answer(outcome);
  if (outcome.code == Code::session_closed_require_auth) {
    context_.refusals.note(Refusal::login,
                           fmt::format("{} was turned away: it has not logged in", connection_->origin.address));
  }
  // An unknown operation ends the connection, as in ZooKeeper: what follows cannot be understood either.
  const bool over = op_ == wire::Op::close_session || outcome.code == Code::session_closed_require_auth ||
                    std::holds_alternative<wire::Unknown>(request());
  if (over) drop();
}

void ClientRequest::answer(const Outcome& outcome) {
  const auto latency = (context_.loop.now() - received_) / std::chrono::milliseconds(1);
  auto& report = connection_->report;
  report.last_operation = name_of(op_);
  report.last_cxid = xid_;
  report.last_zxid = outcome.zxid;
  report.last_response_time = context_.loop.wall_time();
  report.last_latency = latency;
  report.latency.add(latency);
  context_.connections.traffic().answered(latency, writes(), outcome.body.size());
  keep(0);
  // Who does not know the operation has not looked at any state for it.
  const auto zxid = std::holds_alternative<wire::Unknown>(request()) ? -1 : outcome.zxid;
  try {
    connection_->send(wire::reply_frame(xid_, zxid, outcome.code, outcome.body));
  } catch (const std::bad_alloc&) {
    return refuse(Refusal::memory, kTooMuch);
  }
  context_.flow.wait_for_reader(*connection_);
}

void ClientRequest::fail(bool unknown) {
  more_ = postponed_ = false;
  served();
  keep(0);
  if (closing_) {
    context_.cleanup.end_ephemerals_later(connection_->session);
    return drop();
  }
  if (unknown) return drop();
  answer({.zxid = context_.pipeline.zxid(), .code = Code::system_error});
}

}  // namespace holdfast::server
