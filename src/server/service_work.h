// service_work.h -- what the service has to do, as Work: one class for each kind.
#pragma once

#include <memory>
#include <string>

#include "server/client_connection.h"
#include "server/now.h"
#include "server/work.h"
#include "store/store.h"
#include "wire/records.h"
#include "wire/request.h"

namespace holdfast::server {

class Service;

// Epoch and counter: grows for ever, whatever happened to the log. Without a store it is good for one life.
wire::Zxid first_zxid(const store::Store* store);

// The first frame of a connection: a new session, or one that is resumed.
class Handshake final : public Work {
 public:
  Handshake(Service& service, std::shared_ptr<ClientConnection> connection, wire::ConnectRequest request,
            std::size_t size)
      : service_(service),
        connection_(std::move(connection)),
        request_(std::move(request)),
        size_(size),
        received_(monotonic_time()) {}

  // A new session, or another timeout of one that is there.
  bool writes() const override;
  // As for ZooKeeper, for which the other timeout is no write.
  bool silent() const override { return request_.session != 0; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  // None if there is none, or if somebody else's password is wanted.
  const engine::Session* resumed() const;

  Service& service_;
  std::shared_ptr<ClientConnection> connection_;
  wire::ConnectRequest request_;
  std::size_t size_;
  engine::Moment received_;
  std::string password_;
  bool turned_away_ = false;  // without an answer
};

class ClientRequest final : public Work {
 public:
  ClientRequest(Service& service, std::shared_ptr<ClientConnection> connection, std::int32_t xid, wire::Op op,
                wire::Request request, std::size_t size);

  bool writes() const override { return is_write(request_); }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  void answer(const engine::Outcome& outcome);

  Service& service_;
  std::shared_ptr<ClientConnection> connection_;
  std::int32_t xid_;
  wire::Op op_;
  wire::Request request_;
  std::size_t size_;
  engine::Moment received_;
};

// Sent before the handshake was answered, and so not to be answered before it either.
class EarlyPing final : public Work {
 public:
  EarlyPing(Service& service, std::shared_ptr<ClientConnection> connection, std::size_t size)
      : service_(service), connection_(std::move(connection)), size_(size), received_(monotonic_time()) {}

  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  Service& service_;
  std::shared_ptr<ClientConnection> connection_;
  std::size_t size_;
  engine::Moment received_;
};

class Authentication final : public Work {
 public:
  Authentication(Service& service, std::shared_ptr<ClientConnection> connection, std::int32_t xid, std::string scheme,
                 wire::Buffer credentials, std::size_t size)
      : service_(service),
        connection_(std::move(connection)),
        xid_(xid),
        scheme_(std::move(scheme)),
        credentials_(std::move(credentials)),
        size_(size) {}

  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  Service& service_;
  std::shared_ptr<ClientConnection> connection_;
  std::int32_t xid_;
  std::string scheme_;
  wire::Buffer credentials_;
  std::size_t size_;
  bool proven_ = false;
};

// A session of which nothing was heard for too long.
class SessionEnd final : public Work {
 public:
  SessionEnd(Service& service, wire::SessionId session) : service_(service), session_(session) {}

  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  // The session is there again, and is to expire again.
  void fail(bool unknown) override;

 private:
  Service& service_;
  wire::SessionId session_;
};

// A container that is empty, or a node whose time is over.
class ContainerEnd final : public Work {
 public:
  ContainerEnd(Service& service, std::string path)
      : service_(service), request_(wire::RemoveContainer{std::move(path)}) {}

  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  // It is looked for again.
  void fail(bool) override {}

 private:
  Service& service_;
  wire::Request request_;
};

}  // namespace holdfast::server
