#include "base/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::base {

std::optional<UnixAddress> UnixAddress::of(const std::string& path) {
  UnixAddress made;
  auto text = path;
  if (text.size() >= sizeof made.address_.sun_path) {
    const auto slash = path.rfind('/');
    const auto directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    made.directory_ = Descriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!made.directory_) return std::nullopt;
    text = fmt::format("/proc/self/fd/{}/{}", made.directory_.get(), path.substr(slash + 1));
  }
  if (text.size() >= sizeof made.address_.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  std::copy(text.begin(), text.end(), made.address_.sun_path);
  return made;
}

std::optional<uid_t> user_at_other_end(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  // A socket that has no such peer answers with the user -1.
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid == static_cast<uid_t>(-1)) {
    return std::nullopt;
  }
  return peer.uid;
}

}  // namespace holdfast::base
