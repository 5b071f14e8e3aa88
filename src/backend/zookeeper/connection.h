// connection.h -- one session after another with the servers of one address.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/zookeeper/address.h"
#include "holdfast/client.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "net/resolver.h"
#include "zk/client.h"

namespace holdfast::zookeeper {

using wire::Code;

class Connection {
 public:
  // Told inside the Executor.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void session_connected(const spi::Session& session) = 0;
    virtual void session_disconnected() = 0;
    // Its requests have ended with Code::session_expired before; the next session is under way.
    virtual void session_expired(spi::SessionId session) = 0;
    virtual void session_refused(const std::string& why) = 0;
    // As spi::Observer's.
    virtual void no_service() = 0;
    virtual void watch_fired(zk::Client::WatchId watch, wire::EventType type) = 0;
  };

  Connection(spi::Executor& executor, Address address, const ClientOptions& options, zk::Dial dial, Watcher& watcher);

  void open() { start_session(); }
  // Requests under way end with Code::closing. What is returned tells the server, and may block.
  [[nodiscard]] std::function<void()> close();

  bool connected() const { return connected_; }
  bool closed() const { return closed_; }
  // While connected only.
  zk::Client& client() { return *client_; }
  const spi::Session& session() const { return session_; }
  // Another server than the one we talk to keeps the sessions.
  bool ensemble() const { return session_.report_lag > Clock::duration::zero(); }
  const Address& address() const { return address_; }
  std::string where() const { return address_.called; }
  // Why there is no connection; empty if there is one.
  std::string trouble() const;

 private:
  void start_session();
  void start_session_with(const net::ServerAddresses& servers, const std::string& trouble);
  void replace_session();
  void look_up_servers_again();
  void on_state(zk::Client::State state, spi::SessionId id, Clock::duration timeout);
  void on_connected(spi::SessionId id, Clock::duration timeout);
  void announce();

  spi::Executor& executor_;
  const Address address_;
  const Clock::duration tick_time_;
  zk::Client::Options client_options_;
  const zk::Dial dial_;
  Watcher& watcher_;
  net::Resolver resolver_;
  std::string unresolved_;  // names, and why
  std::shared_ptr<zk::Client> client_;
  spi::Session session_;
  bool announced_ = false;  // this session was
  bool connected_ = false;
  bool closed_ = false;
};

}  // namespace holdfast::zookeeper
