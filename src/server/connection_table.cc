#include "server/connection_table.h"

#include <fmt/format.h>

#include <new>
#include <utility>

namespace holdfast::server {

ConnectionTable::ConnectionTable(engine::Engine& engine, Refusals& refusals,
                                 std::function<void(ClientConnection&)> dropped)
    : engine_(engine), refusals_(refusals), dropped_(std::move(dropped)) {}

ConnectionTable::Pointer ConnectionTable::add(std::shared_ptr<Peer> peer, Origin origin, std::int64_t established) {
  auto connection = std::make_shared<ClientConnection>();
  const auto id = ++last_;
  connection->id = id;
  connection->peer = std::move(peer);
  connection->account = connection->peer->account();
  connection->sent_to_all = &traffic_.sent;
  connection->origin = std::move(origin);
  connection->report.established = established;
  engine_.connect(id, {{"ip", connection->origin.ip}});
  try {
    connections_.emplace(id, connection);
  } catch (const std::bad_alloc&) {
    engine_.disconnect(id);
    throw;
  }
  return connection;
}

ConnectionTable::Pointer ConnectionTable::find(ConnectionId id) const {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

void ConnectionTable::drop(ClientConnection& connection) {
  connection.leaving = true;
  if (const auto peer = std::exchange(connection.peer, nullptr)) peer->close();
  engine_.disconnect(connection.id);
  dropped_(connection);
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
