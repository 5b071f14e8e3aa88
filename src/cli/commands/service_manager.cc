#include "cli/commands/service_manager.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "base/descriptor.h"

namespace holdfast::cli {

Parsed<void> ServiceManager::ready(std::string_view status) const {
  return tell(fmt::format("READY=1\nSTATUS={}\n", status));
}

Parsed<void> ServiceManager::stopping(std::string_view status) const {
  return tell(fmt::format("STOPPING=1\nSTATUS={}\n", status));
}

Parsed<void> ServiceManager::tell(const std::string& message) const {
  if (socket_.empty()) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool known = socket_.starts_with('/') || socket_.starts_with('@');
  if (!known || socket_.size() >= sizeof address.sun_path) {
    return tl::unexpected(
        fmt::format("NOTIFY_SOCKET is {}: neither a path nor @name, or too long", in_quotes(socket_)));
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.starts_with('@')) address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());

  // Not waiting for a full queue: a service manager that hangs must not hang us.
  const base::Descriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (fd && ::sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL, to, length) >= 0) return {};
  return tl::unexpected(
      fmt::format("cannot notify {}: {}", in_quotes(socket_), std::generic_category().message(errno)));
}

}  // namespace holdfast::cli
