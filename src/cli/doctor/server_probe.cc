#include "cli/doctor/server_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "base/unix_socket.h"

namespace holdfast::cli::doctor {
namespace {

// Answers to srvr are a few hundred bytes, to a handshake 41; a server that sends more is none.
constexpr std::size_t kLongestAnswer = 64 * 1024;
constexpr const char* kStartIt = "start it, or correct the address (--url)";
constexpr const char* kSilentFix = "look at the server and at firewalls between here and there";

template <typename Number>
void put(std::string& bytes, Number number) {
  for (int shift = static_cast<int>(sizeof number) * CHAR_BIT - CHAR_BIT; shift >= 0; shift -= CHAR_BIT) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> shift);
  }
}

std::int32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = number << CHAR_BIT | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<std::int32_t>(number);
}

// ZooKeeper's protocol: numbers of requests that are not answered in order, of operations, of an error.
constexpr std::int32_t kPingXid = -2;
constexpr std::int32_t kAuthXid = -4;
constexpr std::int32_t kExists = 3;
constexpr std::int32_t kPing = 11;
constexpr std::int32_t kAuth = 100;
constexpr std::int32_t kCloseSession = -11;
constexpr std::int32_t kLoginRequired = -124;
constexpr std::size_t kPasswordSize = 16;
constexpr std::size_t kHeaderSize = 16;  // xid, zxid, error
constexpr std::size_t kErrorAt = 12;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

std::string ServerAddress::to_string() const {
  if (host.starts_with('/')) return host;
  return host.find(':') == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

std::vector<ServerAddress> parse_servers(std::string_view hosts) {
  constexpr const char* kPort = "2181";
  if (hosts.starts_with('/')) return {{std::string(hosts), ""}};
  std::vector<ServerAddress> servers;
  while (!hosts.empty()) {
    const auto one = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(hosts.size(), one.size() + 1));
    if (one.empty()) continue;
    const auto bracket = one.starts_with('[') ? one.find(']') : std::string_view::npos;
    const auto colon = bracket == std::string_view::npos ? one.rfind(':') : one.find(':', bracket);
    const auto host = bracket == std::string_view::npos ? one.substr(0, colon) : one.substr(1, bracket - 1);
    const auto port = colon == std::string_view::npos ? std::string_view(kPort) : one.substr(colon + 1);
    servers.push_back({std::string(host), std::string(port)});
  }
  return servers;
}

Probed<ServerProbe> ServerProbe::connect(const ServerAddress& address, Clock::time_point deadline) {
  if (address.host.starts_with('/')) return connect_to_path(address.host);
  const auto name = address.to_string();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); error != 0) {
    return tl::unexpected(ProbeFailure{fmt::format("{} has no address: {}", name, ::gai_strerror(error)),
                                       "correct the name (--url), or the name service"});
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::string why = "no address";
  bool refused = true;
  for (const auto* each = list.get(); each != nullptr; each = each->ai_next) {
    const auto start = Clock::now();
    const int socket = ::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    ServerProbe probe(name, socket, {});
    const int one = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    int error = ::connect(socket, each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!probe.wait(POLLOUT, deadline)) {
        error = ETIMEDOUT;
      } else if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
        error = errno;
      }
    }
    if (error == 0) {
      probe.connected_in_ = Clock::now() - start;
      return probe;
    }
    why = std::generic_category().message(error);
    refused = refused && error == ECONNREFUSED;
  }
  return tl::unexpected(ProbeFailure{fmt::format("{} is not reached: {}", name, why), kStartIt, refused});
}

Probed<ServerProbe> ServerProbe::connect_to_path(const std::string& path) {
  const auto start = Clock::now();
  const auto unix_address = base::UnixAddress::of(path);
  ServerProbe probe(path, ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), {});
  if (!unix_address || ::connect(probe.socket_, unix_address->get(), base::UnixAddress::size()) != 0) {
    return tl::unexpected(
        ProbeFailure{fmt::format("{} is not reached: {}", path, std::generic_category().message(errno)), kStartIt});
  }
  probe.connected_in_ = Clock::now() - start;
  return probe;
}

ServerProbe::~ServerProbe() {
  if (socket_ >= 0) ::close(socket_);
}

ServerProbe::ServerProbe(ServerProbe&& other) noexcept
    : name_(std::move(other.name_)),
      socket_(std::exchange(other.socket_, -1)),
      connected_in_(other.connected_in_),
      logged_in_(other.logged_in_) {}

bool ServerProbe::wait(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd fd{socket_, events, 0};
    const int ready = ::poll(&fd, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
}

bool ServerProbe::send(std::string_view bytes, Clock::time_point deadline) const {
  while (!bytes.empty()) {
    const auto size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno != EINTR && (errno != EAGAIN || !wait(POLLOUT, deadline))) {
      return false;
    }
  }
  return true;
}

// Until there are `size` bytes, or no more will come.
bool ServerProbe::receive(std::string& bytes, std::size_t size, Clock::time_point deadline) const {
  std::array<char, 4'096> buffer{};
  while (bytes.size() < size) {
    const auto some = ::recv(socket_, buffer.data(), std::min(buffer.size(), size - bytes.size()), 0);
    if (some > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(some));
    } else if (some == 0 || (errno != EINTR && (errno != EAGAIN || !wait(POLLIN, deadline)))) {
      return false;
    }
  }
  return true;
}

std::string ServerProbe::ask(std::string_view word, Clock::time_point deadline) {
  std::string answer;
  if (send(word, deadline)) receive(answer, kLongestAnswer, deadline);
  return answer;
}

Probed<std::string> ServerProbe::exchange(std::string_view body, Clock::time_point deadline) const {
  std::string frame;
  put(frame, static_cast<std::int32_t>(body.size()));
  frame += body;
  std::string answer;
  if (send(frame, deadline) && receive(answer, sizeof(std::int32_t), deadline)) {
    const auto size = static_cast<std::size_t>(number_at(answer, 0));
    answer.clear();
    if (size <= kLongestAnswer && receive(answer, size, deadline)) return answer;
    if (size > kLongestAnswer) {
      return tl::unexpected(ProbeFailure{name_ + " does not speak ZooKeeper's protocol", kStartIt});
    }
  }
  if (Clock::now() >= deadline) {
    return tl::unexpected(ProbeFailure{name_ + " accepts connections, but does not answer", kSilentFix});
  }
  return tl::unexpected(
      ProbeFailure{name_ + " has closed the connection without an answer",
                   "its log says why: too many connections of one address, or TLS is expected there"});
}

Probed<std::chrono::milliseconds> ServerProbe::begin_session(std::chrono::milliseconds asked,
                                                             Clock::time_point deadline) {
  std::string body;
  put(body, std::int32_t{0});  // protocol version
  put(body, std::int64_t{0});  // last zxid seen
  put(body, static_cast<std::int32_t>(std::min<std::int64_t>(asked.count(), INT32_MAX)));
  put(body, std::int64_t{0});  // a new session
  put(body, static_cast<std::int32_t>(kPasswordSize));
  body.append(kPasswordSize, '\0');
  body += '\0';  // not content with a server that only reads
  const auto answer = exchange(body, deadline);
  if (!answer) return tl::unexpected(answer.error());
  constexpr std::size_t kTimeoutAt = 4;
  constexpr std::size_t kSmallest = 16;
  if (answer->size() < kSmallest) {
    return tl::unexpected(ProbeFailure{name_ + " does not speak ZooKeeper's protocol", kStartIt});
  }
  const std::chrono::milliseconds granted(number_at(*answer, kTimeoutAt));
  if (granted.count() <= 0) return tl::unexpected(ProbeFailure{name_ + " grants no session", "its log says why"});
  return granted;
}

Probed<void> ServerProbe::log_in(const Auth& auth, Clock::time_point deadline) {
  std::string body;
  put(body, kAuthXid);
  put(body, kAuth);
  put(body, std::int32_t{0});
  for (const auto& text : {auth.scheme, auth.credentials}) {
    put(body, static_cast<std::int32_t>(text.size()));
    body += text;
  }
  const auto answer = exchange(body, deadline);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->size() < kHeaderSize || number_at(*answer, kErrorAt) != 0) {
    return tl::unexpected(
        ProbeFailure{name_ + " does not accept the login", "correct the user:password (--auth FILE)"});
  }
  logged_in_ = true;
  return {};
}

Probed<void> ServerProbe::read_root(Clock::time_point deadline) {
  constexpr std::string_view kRoot = "/";
  std::string body;
  put(body, std::int32_t{1});
  put(body, kExists);
  put(body, static_cast<std::int32_t>(kRoot.size()));
  body += kRoot;
  body += '\0';  // no watch
  const auto answer = exchange(body, deadline);
  if (!answer) return tl::unexpected(answer.error());
  // That it is not there, or not for us, is an answer too.
  if (answer->size() >= kHeaderSize && number_at(*answer, kErrorAt) == kLoginRequired) {
    // ZooKeeper's protocol takes every password, and refuses what is asked afterwards.
    return tl::unexpected(
        logged_in_ ? ProbeFailure{name_ + " does not accept the login", "correct the user:password (--auth FILE)"}
                   : ProbeFailure{name_ + " serves nobody without a login", "give a user:password (--auth FILE)"});
  }
  return {};
}

Probed<Clock::duration> ServerProbe::ping(Clock::time_point deadline) {
  std::string body;
  put(body, kPingXid);
  put(body, kPing);
  const auto start = Clock::now();
  const auto answer = exchange(body, deadline);
  if (!answer) return tl::unexpected(answer.error());
  return Clock::now() - start;
}

void ServerProbe::end_session(Clock::time_point deadline) {
  std::string body;
  put(body, std::int32_t{2});
  put(body, kCloseSession);
  // Of a server that does not answer, the session ends by its timeout.
  [[maybe_unused]] const auto answer = exchange(body, deadline);
}

}  // namespace holdfast::cli::doctor
