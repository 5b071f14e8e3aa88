// authentication.h -- one attempt of a client to prove who it is.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/connection_table.h"
#include "server/connection_work.h"
#include "wire/records.h"

namespace holdfast::server {

class Logins;

class Authentication final : public ConnectionWork {
 public:
  // What it deals with.
  struct Context {
    FlowControl& flow;
    ConnectionTable& connections;
    Logins& logins;
  };

  Authentication(const Context& context, std::shared_ptr<ClientConnection> connection, std::int32_t xid,
                 std::string scheme, wire::Buffer credentials, std::size_t size, engine::Moment received)
      : ConnectionWork(context.flow, std::move(connection), size, received),
        context_(context),
        xid_(xid),
        scheme_(std::move(scheme)),
        credentials_(std::move(credentials)) {}

  ~Authentication() override { tried(); }

  // Counted among those of its address that are under way, until it was tried.
  void begin();

  engine::Moment likely_cost() const override { return by_length(size_, kPerByte); }
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool) override { context_.connections.drop(*connection_); }

 private:
  void tried();

  const Context& context_;
  bool under_way_ = false;
  std::int32_t xid_;
  std::string scheme_;
  wire::Buffer credentials_;
  bool proven_ = false;
};

}  // namespace holdfast::server
