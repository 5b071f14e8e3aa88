#include "server/acceptor.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/local/stream_protocol.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/memory_reserve.h"
#include "base/unix_socket.h"
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

tcp::endpoint tcp_endpoint(const asio::generic::stream_protocol::endpoint& endpoint) {
  tcp::endpoint made;
  std::memcpy(made.data(), endpoint.data(), endpoint.size());
  made.resize(endpoint.size());
  return made;
}

// The address that limits are counted for: of IPv6 the network, as one machine has all addresses of it to choose from.
std::string source_of(const asio::ip::address& address) {
  if (!address.is_v6() || address.to_v6().is_v4_mapped() || address.is_loopback()) return ip_of(address);
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

// Left behind by a server that has ended: there is a socket, and nothing listens to it.
bool is_left_behind(const std::string& path, const base::UnixAddress& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const base::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(socket.get(), address.get(), base::UnixAddress::size()) != 0 && errno == ECONNREFUSED;
}

}  // namespace

Acceptor::Acceptor(std::shared_ptr<ConnectionContext> shared, std::shared_ptr<const net::ServerTls> tls)
    : shared_(std::move(shared)), tls_(std::move(tls)), acceptor_(shared_->context), pause_(shared_->context) {}

tl::expected<std::shared_ptr<Acceptor>, std::string> Acceptor::open(std::shared_ptr<ConnectionContext> shared,
                                                                    const Listen& listen,
                                                                    std::shared_ptr<const net::ServerTls> tls) {
  auto acceptor = std::make_shared<Acceptor>(std::move(shared), std::move(tls));
  if (const auto error =
          listen.path.empty() ? acceptor->listen_on_host(listen) : acceptor->listen_on_path(listen.path)) {
    std::string why = error.message();
    if (!why.empty()) why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
    const auto where = listen.path.empty() ? with_port(listen.host, listen.port) : listen.path;
    return tl::unexpected(fmt::format("cannot listen on {}: {}", where, why));
  }
  acceptor->accept();
  return acceptor;
}

std::error_code Acceptor::listen_on_host(const Listen& listen) {
  std::error_code error;
  tcp::resolver resolver(shared_->context);
  const auto found = resolver.resolve(listen.host, std::to_string(listen.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) return error;
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  // "::" takes clients of IPv4 as well, whatever the machine's default is.
  if (!error && endpoint.protocol() == tcp::v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) return error;
  const auto bound = tcp_endpoint(acceptor_.local_endpoint(error));
  port_ = bound.port();
  address_ = with_port(bound.address().to_string(), bound.port());
  return error;
}

// Not by Asio: its addresses are as short as the kernel's.
std::error_code Acceptor::listen_on_path(const std::string& path) {
  const auto failed = [] { return std::error_code(errno, std::system_category()); };
  const auto address = base::UnixAddress::of(path);
  if (!address) return failed();
  std::error_code error;
  acceptor_.open(asio::local::stream_protocol(), error);
  if (error) return error;
  const auto bind = [&] { return ::bind(acceptor_.native_handle(), address->get(), base::UnixAddress::size()); };
  if (bind() != 0) {
    if (errno != EADDRINUSE) return failed();
    if (!is_left_behind(path, *address)) return std::error_code(EADDRINUSE, std::system_category());
    if (::unlink(path.c_str()) != 0 || bind() != 0) return failed();
  }
  // Before it listens: no other user gets as far as our queue.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return failed();
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  is_unix_ = true;
  address_ = path;
  return error;
}

void Acceptor::close() {
  std::error_code ignored;
  // A child of this process that was forked has a copy, and clients would go on being accepted by that.
  (void)::shutdown(acceptor_.native_handle(), SHUT_RDWR);
  acceptor_.close(ignored);
  pause_.cancel();
}

void Acceptor::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(client_, [self = shared_from_this()](const std::error_code& error, Socket socket) {
    self->accepted(error, std::move(socket));
  });
}

void Acceptor::accepted(const std::error_code& error, Socket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    try {
      const base::SpareReserve spare(base::SpareReserve::Part::half);
      admit(std::move(socket));
    } catch (const std::bad_alloc&) {
      shared_->quotas->refusals.note(Refusal::memory,
                                     fmt::format("a client of {} was turned away: there is no memory for another "
                                                 "connection",
                                                 address_));
    }
    return accept();
  }
  if (error == asio::error::connection_aborted) return accept();  // a client that went before we came
  shared_->quotas->refusals.note(
      Refusal::descriptors,
      fmt::format("clients wait to be accepted on {}: {} (raise the limit of open files, ulimit -n)", address_,
                  error.message()));
  pause_.expires_after(kAcceptAgainAfter);
  pause_.async_wait([self = shared_from_this()](const std::error_code&) { self->accept(); });
}

void Acceptor::admit(Socket socket) {
  if (is_unix_) {
    // Before anything is spent on it.
    if (base::user_at_other_end(socket.native_handle()) != ::geteuid()) return;
    // For the ip scheme it is one of this machine.
    return admit(std::move(socket), {.address = "unix", .ip = "127.0.0.1"}, address_);
  }
  const auto client = tcp_endpoint(client_);
  const std::string ip = ip_of(client.address());
  admit(std::move(socket), {with_port(ip, client.port()), ip, client.port(), tls_ != nullptr},
        source_of(client.address()));
}

void Acceptor::admit(Socket socket, Origin origin, const std::string& source) {
  auto& addresses = shared_->quotas->addresses;
  origin.source = addresses.find(source, std::chrono::steady_clock::now().time_since_epoch());
  auto stream = tls_ ? tls_->accept() : nullptr;
  if (!addresses.enter(*origin.source)) {
    shared_->quotas->refusals.note(
        Refusal::connections,
        fmt::format("{} was turned away: there are {} connections, {} of them from {} "
                    "(limits.connections, limits.connections_per_address)",
                    origin.address, addresses.connections(), origin.source->connections, origin.source->name));
    return;
  }
  std::shared_ptr<TcpConnection> connection;
  try {
    connection = std::make_shared<TcpConnection>(shared_, std::move(socket), origin.source, std::move(stream));
  } catch (const std::bad_alloc&) {
    addresses.leave(*origin.source);
    throw;
  }
  connection->start(std::move(origin));
}

}  // namespace holdfast::server
