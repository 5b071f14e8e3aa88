// flow_control.h -- which connections are not read from, and whose requests wait: so no client makes the server keep too much.
//
//   a connection       until
//   is held back       less of it waits to be served; or its pause is over
//   is paused          it may open a session, or its password may be tried
//   waits for reader   it has read its answers
//   waits for room     there is memory for what it asks for
//
// Everything happens in the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "server/alive.h"
#include "server/client_connection.h"
#include "server/loop.h"
#include "server/pipeline.h"

namespace holdfast::server {

class FlowControl {
 public:
  // One client may have `unserved_bytes` of requests that wait.
  FlowControl(Loop& loop, Pipeline& pipeline, const MemoryBudget& memory, std::size_t unserved_bytes);

  // Something has come, or was served: holds the connection back, or goes on reading from it.
  void look(ClientConnection& connection);
  // A frame of that many bytes was served.
  void served(ClientConnection& connection, std::size_t bytes);

  // Nothing is taken from it, but its end is.
  void set_paused(ClientConnection& connection, bool paused);
  // Nothing is taken from it before `until`; then `next`, if it is still there.
  void pause(const std::shared_ptr<ClientConnection>& connection, engine::Moment until, std::function<void()> next);

  // Its requests wait if too many of its answers are not read yet.
  void wait_for_reader(ClientConnection& connection);
  // Its requests wait until has_room().
  void wait_for_room(ClientConnection& connection) { pipeline_.wait_for_room(line_of(connection)); }
  void has_room(ClientConnection& connection) { pipeline_.has_room(line_of(connection)); }
  // Whatever they wait for.
  void go_on(ClientConnection& connection);
  // Its peer has sent some of what it was given.
  void sent(ClientConnection& connection);
  // What has been taken is answered, whether it is read or not.
  void stop() { stopping_ = true; }

  // Something of its client is here and has not had its turn: the client is not silent, the server is slow.
  bool is_speaking(const ClientConnection& connection) const;

 private:
  void has_read(ClientConnection& connection);

  Loop& loop_;
  Pipeline& pipeline_;
  const MemoryBudget& memory_;
  const std::size_t unserved_bytes_;
  bool stopping_ = false;
  Alive alive_;
};

}  // namespace holdfast::server
