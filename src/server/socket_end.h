// socket_end.h -- whether a client has gone, without reading what it has sent.
#pragma once

#include <poll.h>

namespace holdfast::server {

// The other side has closed, or has been reset. Also behind bytes that are not to be read yet, where reading would not find it.
inline bool has_ended(int socket) {
  pollfd asked{};
  asked.fd = socket;
  asked.events = POLLRDHUP;
  return ::poll(&asked, 1, 0) > 0;
}

}  // namespace holdfast::server
