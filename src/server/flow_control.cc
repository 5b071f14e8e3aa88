#include "server/flow_control.h"

#include <algorithm>
#include <utility>

namespace holdfast::server {
namespace {

// A client that has not read so much gets no more answers for now. More than a socket takes at once, so that an honest one is never
// short of answers; few enough that what one small request brings about is not multiplied by all that it has sent.
constexpr std::size_t kUnreadAnswers = std::size_t{4} << 20;
// The requests of one client may have this share of the memory that is free, and always as much as a client with good manners needs.
constexpr std::size_t kUnservedShare = 4;
constexpr std::size_t kLeastUnserved = std::size_t{64} << 10;

}  // namespace

FlowControl::FlowControl(Loop& loop, Pipeline& pipeline, const MemoryBudget& memory, std::size_t unserved_bytes)
    : loop_(loop), pipeline_(pipeline), memory_(memory), unserved_bytes_(unserved_bytes) {}

// A client that sends faster than it is served is slowed down long before memory is so short that a client must go.
void FlowControl::look(ClientConnection& connection) {
  const auto room = std::max(kLeastUnserved, memory_.free() / kUnservedShare);
  const auto most = std::min(unserved_bytes_, room);
  const bool over = connection.unserved > (connection.held ? most / 2 : most);
  const bool hold = connection.paused || over;
  if (std::exchange(connection.held, hold) != hold && connection.peer) connection.peer->hold_back(hold);
}

void FlowControl::served(ClientConnection& connection, std::size_t bytes) {
  connection.served(bytes);
  if (connection.held) look(connection);
}

void FlowControl::set_paused(ClientConnection& connection, bool paused) {
  connection.paused = paused;
  if (connection.peer) connection.peer->look_for_the_end(paused);
  look(connection);
}

void FlowControl::pause(const std::shared_ptr<ClientConnection>& connection, engine::Moment until,
                        std::function<void()> next) {
  set_paused(*connection, true);
  loop_.at(until, alive_.guard([this, connection, next = std::move(next)] {
    if (connection->leaving) return;
    next();
    set_paused(*connection, false);
  }));
}

void FlowControl::wait_for_reader(ClientConnection& connection) {
  if (stopping_ || !connection.peer || connection.peer->unsent() <= kUnreadAnswers) return;
  if (!std::exchange(connection.unread, true)) pipeline_.wait_for_reader(line_of(connection));
}

void FlowControl::has_read(ClientConnection& connection) {
  if (std::exchange(connection.unread, false)) pipeline_.has_read(line_of(connection));
}

void FlowControl::go_on(ClientConnection& connection) {
  has_read(connection);
  has_room(connection);
}

void FlowControl::sent(ClientConnection& connection) {
  if (connection.unread && connection.peer->unsent() <= kUnreadAnswers / 2) has_read(connection);
}

// But not one that does not read: it may be gone, and its locks with it.
bool FlowControl::is_speaking(const ClientConnection& connection) const {
  if (!connection.peer || connection.unread) return false;
  return connection.paused || connection.peer->has_unread() || pipeline_.keeps_waiting(line_of(connection));
}

}  // namespace holdfast::server
