#include "server/door.h"

#include <fmt/format.h>

#include <asio/error.hpp>
#include <asio/ip/v6_only.hpp>
#include <cctype>
#include <utility>

#include "server/tcp_connection.h"

namespace holdfast::server {
namespace {

using asio::ip::tcp;

// "127.0.0.1:2181", "[::1]:2181"
std::string with_port(const std::string& ip, std::uint16_t port) {
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, port) : fmt::format("[{}]:{}", ip, port);
}

// An IPv4 client of a socket for both is an IPv4 client: for the ip scheme, and when addresses are counted.
std::string ip_of(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

tl::unexpected<std::string> cannot_listen(const Listen& listen, const std::error_code& error) {
  std::string why = error.message();
  if (!why.empty()) why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
  return tl::unexpected(fmt::format("cannot listen on {}: {}", with_port(listen.host, listen.port), why));
}

}  // namespace

Door::Door(std::shared_ptr<Reception> reception, std::shared_ptr<const TlsContext> tls)
    : reception_(std::move(reception)),
      tls_(std::move(tls)),
      acceptor_(reception_->context),
      pause_(reception_->context) {}

tl::expected<std::shared_ptr<Door>, std::string> Door::open(std::shared_ptr<Reception> reception, const Listen& listen,
                                                            std::shared_ptr<const TlsContext> tls) {
  std::error_code error;
  tcp::resolver resolver(reception->context);
  const auto found = resolver.resolve(listen.host, std::to_string(listen.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) return cannot_listen(listen, error);
  const Endpoint endpoint = found.begin()->endpoint();

  auto door = std::make_shared<Door>(std::move(reception), std::move(tls));
  auto& acceptor = door->acceptor_;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  // "::" is everybody, IPv4 included, whatever the machine's default is.
  if (!error && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(listen, error);
  const Endpoint bound = acceptor.local_endpoint(error);
  if (error) return cannot_listen(listen, error);

  door->port_ = bound.port();
  door->address_ = with_port(bound.address().to_string(), bound.port());
  door->accept();
  return door;
}

void Door::close() {
  std::error_code ignored;
  // A child of this process that was forked has a copy, and clients would go on being accepted by that.
  (void)::shutdown(acceptor_.native_handle(), SHUT_RDWR);
  acceptor_.close(ignored);
  pause_.cancel();
}

void Door::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(client_, [self = shared_from_this()](const std::error_code& error, Socket socket) {
    self->accepted(error, std::move(socket));
  });
}

void Door::accepted(const std::error_code& error, Socket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    admit(std::move(socket));
    return accept();
  }
  if (error == asio::error::connection_aborted) return accept();  // a client that went before we came
  pause_.expires_after(kAcceptAgainAfter);
  pause_.async_wait([self = shared_from_this()](const std::error_code&) { self->accept(); });
}

void Door::admit(Socket socket) {
  const std::string ip = ip_of(client_.address());
  if (!reception_->headcount.enter(ip)) return;
  const auto connection =
      std::make_shared<TcpConnection>(reception_, std::move(socket), ip, tls_ ? tls_->accept() : nullptr);
  connection->start({with_port(ip, client_.port()), ip, client_.port(), tls_ != nullptr});
}

}  // namespace holdfast::server
