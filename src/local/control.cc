#include "local/control.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string>

namespace holdfast::local {
namespace {

constexpr int kOutOfDescriptorsPauseMs = 100;
constexpr auto kName = "engine.control";
constexpr int kBacklog = 16;
// A live engine answers immediately, unless the machine is starved.
constexpr timeval kTimeout{.tv_sec = 5, .tv_usec = 0};

// Through the open directory, because the path of a socket may only have 107 characters.
sockaddr_un address_in(const StateDirectory& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory.fd.get(), kName);
  return address;
}

}  // namespace

Result<Control> Control::open(const StateDirectory& directory) {
  const auto address = address_in(directory);
  base::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::unlinkat(directory.fd.get(), kName, 0);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return tl::unexpected(fmt::format("cannot listen on {}: {}", directory.file(kName), error_text(errno)));
  }
  return Control(std::move(socket));
}

void Control::answer(std::size_t sessions) const {
  const base::Descriptor asker(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!asker) {
    // No descriptor is free. The connection keeps waiting, so the socket would be readable again immediately.
    if (errno == EMFILE || errno == ENFILE) ::poll(nullptr, 0, kOutOfDescriptorsPauseMs);
    return;
  }
  const auto line = std::to_string(sessions) + "\n";
  // The first bytes of a socket always fit. A client that does not read them does not want them.
  [[maybe_unused]] const auto sent = ::send(asker.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

Result<std::size_t> ask_for_sessions(const StateDirectory& directory) {
  const auto address = address_in(directory);
  const base::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::array<char, 32> line{};
  std::size_t size = 0;
  ssize_t got = -1;
  if (socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout) == 0 &&
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof kTimeout) == 0 &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    do {
      got = ::recv(socket.get(), line.data() + size, line.size() - size, 0);
      if (got > 0) size += static_cast<std::size_t>(got);
    } while (got > 0 && size < line.size());
  }
  std::size_t sessions = 0;
  if (got != 0 || std::from_chars(line.data(), line.data() + size, sessions).ec != std::errc()) {
    return tl::unexpected(fmt::format("the local engine does not answer at {}: {}", directory.file(kName),
                                      got < 0 ? error_text(errno) : std::string("it says nothing")));
  }
  return sessions;
}

}  // namespace holdfast::local
