#include "free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <mutex>
#include <random>
#include <stdexcept>

namespace holdfast::testing {
namespace {

// Above the ports that well-known services use.
constexpr std::uint16_t kLowest = 10'000;
// Linux's default, for a kernel that does not say.
constexpr int kUsualEphemeralStart = 32'768;
// Far more than needed unless the machine is out of ports.
constexpr int kAttempts = 1'000;

std::uint16_t first_ephemeral() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int low = 0;
  if (!(file >> low) || low > 65'535) low = kUsualEphemeralStart;
  // A machine with everything declared ephemeral: then there is nothing to stay out of.
  return low > kLowest + 1'000 ? static_cast<std::uint16_t>(low) : std::uint16_t{65'535};
}

// Where nobody serves. Bound here, a port is ours among all the tests of this machine, and still free for our server.
constexpr in_addr_t kClaims = INADDR_LOOPBACK + 0x4d0000;  // 127.77.0.1

class BoundSocket {
 public:
  BoundSocket() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (fd_ < 0) throw std::runtime_error("free_port: no socket");
  }
  ~BoundSocket() { ::close(fd_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

  bool bind(in_addr_t host, std::uint16_t port) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(host);
    address.sin_port = htons(port);
    return ::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  // Of a server on all addresses, which would otherwise find its port taken. Two claims still exclude each other.
  void make_way() const {
    const int yes = 1;
    (void)::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }

 private:
  int fd_;
};

}  // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
  // Random, because tests run side by side and would all find the same "first" one.
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> pick(kLowest, static_cast<std::uint16_t>(first_ephemeral() - 1));

  static std::mutex mutex;
  static std::deque<BoundSocket> claims;
  const std::lock_guard lock(mutex);
  std::vector<std::uint16_t> ports;
  for (int attempt = 0; ports.size() < count; ++attempt) {
    if (attempt == kAttempts) throw std::runtime_error("free_port: no free loopback port found");
    const std::uint16_t port = pick(random);
    if (!claims.emplace_back().bind(kClaims, port) || !BoundSocket().bind(INADDR_LOOPBACK, port)) {
      claims.pop_back();
      continue;
    }
    claims.back().make_way();
    ports.push_back(port);
  }
  return ports;
}

std::uint16_t free_port() { return free_ports(1).front(); }

}  // namespace holdfast::testing
