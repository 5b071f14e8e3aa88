// logins.h -- who a client has proven to be, and when its password may be tried.
//
// Guessing must be slow, whatever the number of connections it comes by, and honest clients of the same address must not suffer for
// it. So only wrong passwords count, only attempts wait, and none of a client that knows its session's password. A client that goes
// leaves the line, so that only those that are there wait for each other.
//
// Everything happens in the loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "holdfast/engine.h"
#include "server/alive.h"
#include "server/authentication.h"
#include "server/client_connection.h"
#include "server/connection_table.h"
#include "server/credentials.h"
#include "server/flow_control.h"
#include "server/loop.h"
#include "server/pipeline.h"
#include "server/session_registry.h"
#include "server/statistics.h"

namespace holdfast::server {

class Logins {
 public:
  Logins(Loop& loop, engine::Engine& engine, Pipeline& pipeline, FlowControl& flow, ConnectionTable& connections,
         SessionRegistry& sessions, Refusals& refusals, const EngineOptions& options);

  // A client may do something only once it has logged in.
  bool required() const { return credentials_.any_required(); }
  // Tries it now, or when it is the turn of its address, which has failed often.
  void enter(const std::shared_ptr<ClientConnection>& connection, std::unique_ptr<Authentication> attempt);
  // False: no client can be known by that.
  bool authenticate(ClientConnection& connection, const std::string& scheme, const wire::Buffer& credentials);
  // The connection is gone.
  void left(ClientConnection& connection);

  LoginStatistics& statistics() noexcept { return statistics_; }
  const LoginStatistics& statistics() const noexcept { return statistics_; }

 private:
  void attempt(const std::shared_ptr<ClientConnection>& connection, std::unique_ptr<Work> attempt);
  // Tries those whose turn has come, and looks again for the others. Whose login there is no memory for is dropped: it would wait for ever.
  void look(const std::shared_ptr<Address>& source);
  // False: it has to wait.
  bool try_first(const std::shared_ptr<Address>& source);
  void look_later(const std::shared_ptr<Address>& source, engine::Moment when);
  void failed(ClientConnection& connection, std::string_view user_and_password);
  void succeeded(ClientConnection& connection);

  Loop& loop_;
  engine::Engine& engine_;
  Pipeline& pipeline_;
  FlowControl& flow_;
  ConnectionTable& connections_;
  SessionRegistry& sessions_;
  Refusals& refusals_;
  const Credentials credentials_;
  LoginStatistics statistics_;
  Alive alive_;
};

}  // namespace holdfast::server
