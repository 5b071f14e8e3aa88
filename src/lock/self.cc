#include "lock/self.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace holdfast::lock {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// The first IPv4 address that is not loopback, which is usually what Java's getLocalHost() returns. No name is looked up: a slow DNS
// server must not delay a lock.
std::string local_address() {
  std::string address = "127.0.0.1";
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return address;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* in = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    if (::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size()) != nullptr) {
      address = text.data();
      break;
    }
  }
  ::freeifaddrs(all);
  return address;
}

}  // namespace

std::int64_t this_thread_id() { return ::syscall(SYS_gettid); }

Card this_process() {
  static const std::string host = host_name();
  static const std::string address = local_address();
  Card card;
  card.address = address;
  card.host = host;
  card.pid = ::getpid();
  card.thread = this_thread_id();
  card.program = program_invocation_short_name;
  return card;
}

}  // namespace holdfast::lock
