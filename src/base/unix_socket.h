// unix_socket.h -- addresses of sockets that are files, and the user at the other end.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>

#include "base/descriptor.h"

namespace holdfast::base {

// An address may have 107 characters. For a longer path the directory is opened, and stays open as long as this object lives.
class UnixAddress {
 public:
  // Nothing, with errno set, if the directory cannot be opened or the name alone is too long.
  static std::optional<UnixAddress> of(const std::string& path);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  static constexpr socklen_t size() { return sizeof(sockaddr_un); }

 private:
  UnixAddress() { address_.sun_family = AF_UNIX; }

  Descriptor directory_;
  sockaddr_un address_{};
};

// The user of the process at the other end: a client's when it connected, a server's when it began to listen. The kernel says so, not the
// process. Nothing: this is not such a socket.
std::optional<uid_t> user_at_other_end(int socket);

}  // namespace holdfast::base
