// acceptor.h -- accepts clients on one address.
#pragma once

#include <asio/basic_socket_acceptor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "net/server_tls.h"
#include "server/connection_context.h"

namespace holdfast::server {

// How long no connection is accepted after the process ran out of descriptors or memory: trying again at once would spin.
inline constexpr std::chrono::milliseconds kAcceptAgainAfter{100};

// Kept by its pending accept until close().
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  // `tls` is empty where clients come without. Fails with one sentence.
  static tl::expected<std::shared_ptr<Acceptor>, std::string> open(std::shared_ptr<ConnectionContext> shared,
                                                                   const Listen& listen,
                                                                   std::shared_ptr<const net::ServerTls> tls);

  // "127.0.0.1:2181", or a path
  const std::string& address() const noexcept { return address_; }
  std::uint16_t port() const noexcept { return port_; }
  void close();

  Acceptor(std::shared_ptr<ConnectionContext> shared, std::shared_ptr<const net::ServerTls> tls);

 private:
  using Endpoint = asio::generic::stream_protocol::endpoint;

  std::error_code listen_on_path(const std::string& path);
  std::error_code listen_on_host(const Listen& listen);
  void accept();
  void accepted(const std::error_code& error, Socket socket);
  void admit(Socket socket);
  void admit(Socket socket, Origin origin, const std::string& source);

  std::shared_ptr<ConnectionContext> shared_;
  std::shared_ptr<const net::ServerTls> tls_;
  asio::basic_socket_acceptor<asio::generic::stream_protocol, Executor> acceptor_;
  asio::steady_timer pause_;
  Endpoint client_;
  std::string address_;
  std::uint16_t port_ = 0;
  bool is_unix_ = false;
};

}  // namespace holdfast::server
