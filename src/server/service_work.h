// service_work.h -- what the service has to do, as Work: one class for each kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/client_connection.h"
#include "server/now.h"
#include "server/work.h"
#include "wire/records.h"
#include "wire/request.h"

namespace holdfast::server {

class Service;

// What it asks for takes memory that stays: nodes, or watches.
bool takes_memory(const wire::Request& request);
// What a client did that is turned away for it.
inline constexpr std::string_view kTooMuch = "asked for more than there is memory for";

// Work that came over a connection.
class ConnectionWork : public Work {
 protected:
  ConnectionWork(Service& service, std::shared_ptr<ClientConnection> connection, std::size_t size)
      : service_(service), connection_(std::move(connection)), size_(size), received_(monotonic_time()) {}

  // No longer kept by the connection for us.
  void served();

  Service& service_;
  std::shared_ptr<ClientConnection> connection_;
  std::size_t size_;  // of the frame
  engine::Moment received_;
};

// The first frame of a connection: a new session, or one that is resumed.
class Handshake final : public ConnectionWork {
 public:
  Handshake(Service& service, std::shared_ptr<ClientConnection> connection, wire::ConnectRequest request,
            std::size_t size)
      : ConnectionWork(service, std::move(connection), size), request_(std::move(request)) {}

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

  wire::ConnectRequest request_;
  std::string password_;
  bool turned_away_ = false;  // without an answer
  bool no_memory_ = false;    // for it
};

// Read when its turn comes, so that reading it counts as its client's time. Two kinds are done in pieces: the end of a session with many
// ephemerals, and setWatches with many paths. A multiRead is not: as in ZooKeeper, no write comes between its reads.
class ClientRequest final : public ConnectionWork {
 public:
  // `frame`: with the header, of which `xid` and `op` are.
  ClientRequest(Service& service, std::shared_ptr<ClientConnection> connection, std::int32_t xid, wire::Op op,
                std::string frame)
      : ConnectionWork(service, std::move(connection), frame.size()), xid_(xid), op_(op), frame_(std::move(frame)) {}

  engine::Moment likely_cost() const override;
  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return is_write(request()); }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  bool unfinished() const override { return more_; }
  void fail(bool unknown) override;

 private:
  // What is asked for, or the piece of it that is next. Nothing that is known, if there is no memory to read it.
  const wire::Request& request() const;
  static std::vector<wire::Request> read(wire::Op op, std::string_view frame);
  engine::Outcome execute_piece(engine::Engine& engine, const Turn& turn);
  engine::Outcome refuse_for_memory(const Turn& turn);
  // What the answer takes until it is sent.
  void keep(std::size_t bytes);
  void answer(const engine::Outcome& outcome);

  std::int32_t xid_;
  wire::Op op_;
  mutable std::string frame_;                    // until it is read
  mutable std::vector<wire::Request> pieces_{};  // the last one first; most requests are one
  mutable bool unreadable_ = false;              // there was no memory to read it
  bool closing_ = false;                         // the session is over, and only its ephemerals are left
  bool more_ = false;                            // to be done
  bool postponed_ = false;                       // until there is room for it
  std::size_t kept_ = 0;                         // of the answer, until it is sent
};

// Sent before the handshake was answered, and so not to be answered before it either.
class EarlyPing final : public ConnectionWork {
 public:
  EarlyPing(Service& service, std::shared_ptr<ClientConnection> connection, std::size_t size)
      : ConnectionWork(service, std::move(connection), size) {}

  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;
};

class Authentication final : public ConnectionWork {
 public:
  Authentication(Service& service, std::shared_ptr<ClientConnection> connection, std::int32_t xid, std::string scheme,
                 wire::Buffer credentials, std::size_t size)
      : ConnectionWork(service, std::move(connection), size),
        xid_(xid),
        scheme_(std::move(scheme)),
        credentials_(std::move(credentials)) {}

  ~Authentication() override { tried(); }

  // Counted among those of its address that are under way, until it was tried.
  void begin();

  engine::Moment likely_cost() const override;
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  void fail(bool unknown) override;

 private:
  void tried();

  bool under_way_ = false;
  std::int32_t xid_;
  std::string scheme_;
  wire::Buffer credentials_;
  bool proven_ = false;
};

// A session of which nothing was heard for too long, or that of a stranger who has left.
class SessionEnd final : public Work {
 public:
  enum class Why { silent, stranger };
  SessionEnd(Service& service, wire::SessionId session, Why why = Why::silent)
      : service_(service), session_(session), why_(why) {}

  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  bool unfinished() const override { return more_; }
  // The session is there again, and is to expire again.
  void fail(bool unknown) override;

 private:
  Service& service_;
  wire::SessionId session_;
  Why why_;
  bool closing_ = false;  // it is over, and only its ephemerals are left
  bool more_ = false;     // of them
};

// What the end of a session has not removed yet: a piece was refused by the disk, or a crash came in between.
class EphemeralsEnd final : public Work {
 public:
  EphemeralsEnd(Service& service, wire::SessionId session) : service_(service), session_(session) {}

  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  bool unfinished() const override { return more_; }
  void fail(bool unknown) override;

 private:
  Service& service_;
  wire::SessionId session_;
  bool more_ = false;
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
