#include "measure/session.h"

#include "measure/lean_session.h"
#include "measure/library_session.h"

namespace holdfast::bench {

const char* to_string(ClientKind kind) noexcept { return kind == ClientKind::library ? "libzookeeper" : "lean"; }

std::unique_ptr<Session> connect(ClientKind kind, std::uint16_t port) {
  return kind == ClientKind::library ? connect_library(port) : connect_lean(port);
}

}  // namespace holdfast::bench
