#include "proxy_trace.h"

#include <fmt/format.h>

namespace holdfast::testing {

std::string to_string(const Seen& seen) {
  std::string text = fmt::format("#{} {} {}{}", seen.connection, seen.is_request() ? "->" : "<-", to_string(seen.op),
                                 seen.path.empty() ? "" : " " + seen.path);
  if (seen.is_event()) {
    text += fmt::format(" type {}", seen.event_type);
  } else if (!seen.is_handshake() && !seen.is_ping()) {
    text += fmt::format(" xid {}", seen.xid);
  }
  if (seen.watch) text += " watch";
  if (seen.is_reply() && seen.err != 0) text += fmt::format(" err {}", seen.err);
  if (!seen.created.empty()) text += " made " + seen.created;
  if (!seen.delivered) text += " (dropped)";
  return text;
}

}  // namespace holdfast::testing
