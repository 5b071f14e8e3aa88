#include "server/connection_table.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "base/assert.h"

namespace holdfast::server {

ConnectionTable::ConnectionTable(engine::Engine& engine, Refusals& refusals,
                                 std::function<void(ClientConnection&)> dropped)
    : engine_(engine), refusals_(refusals), dropped_(std::move(dropped)) {}

ConnectionTable::Pointer ConnectionTable::add(std::shared_ptr<Peer> peer, Origin origin, std::int64_t established) {
  auto connection = std::make_shared<ClientConnection>();
  const auto id = ++last_;
  HOLDFAST_ASSERT(id != 0 && peer != nullptr, id);
  connection->id = id;
  connection->peer = std::move(peer);
  connection->account = connection->peer->account();
  connection->sent_to_all = &traffic_.sent;
  connection->origin = std::move(origin);
  connection->report.established = established;
  engine_.connect(id, {{"ip", connection->origin.ip}});
  try {
    const auto added = connections_.emplace(id, connection);
    HOLDFAST_ASSERT(added.second, id);
  } catch (const std::bad_alloc&) {
    engine_.disconnect(id);
    throw;
  }
  return connection;
}

ConnectionTable::Pointer ConnectionTable::find(ConnectionId id) const {
  const auto found = connections_.find(id);
  HOLDFAST_ASSERT(found == connections_.end() || (found->second != nullptr && found->second->id == id), id);
  return found == connections_.end() ? nullptr : found->second;
}

void ConnectionTable::drop(ClientConnection& connection) {
  connection.leaving = true;
  if (const auto peer = std::exchange(connection.peer, nullptr)) peer->close();
  engine_.disconnect(connection.id);
  dropped_(connection);
  HOLDFAST_ASSERT(connection.peer == nullptr && connection.leaving, connection.id);
  HOLDFAST_ASSERT(connection.waiting_login == nullptr, connection.id);
  connections_.erase(connection.id);
}

void ConnectionTable::drop_all() {
  auto all = connections_;
  for (auto& [id, connection] : all) drop(*connection);
}

void ConnectionTable::refuse(ClientConnection& connection, Refusal why, std::string_view what) {
  refusals_.note(why, fmt::format("{} was turned away: it {}", connection.origin.address, what));
  drop(connection);
}

void ConnectionTable::reset_each() {
  for (auto& [id, connection] : connections_) {
    auto& report = connection->report;
    report.received = report.sent = 0;
    report.latency = {};
    report.last_operation = "NA";
  }
}

}  // namespace holdfast::server
