#include "backend/zookeeper/status.h"

#include <fmt/format.h>

namespace holdfast::zookeeper {

using spi::Status;

Status status_of(Code code) {
  switch (code) {
    case Code::ok: return Status::ok;
    case Code::no_node: return Status::absent;
    case Code::connection_loss:
    case Code::session_moved:
    case Code::node_exists:  // of a name that only we make: it may be our own
    // The server is in trouble, or gave up waiting for others: it may have happened.
    case Code::system_error:
    case Code::runtime_inconsistency:
    case Code::data_inconsistency:
    case Code::operation_timeout:
    case Code::request_timeout: return Status::unknown;
    case Code::throttled: return Status::unreachable;
    case Code::session_expired: return Status::expired;
    case Code::closing: return Status::closed;
    // A server that answers with any other error has changed nothing, and would say the same again.
    default: return Status::denied;
  }
}

std::string to_text(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::connection_loss: return "the connection was lost before the answer came";
    case Code::marshalling_error: return "the server could not read the request";
    case Code::unimplemented: return "the server does not offer that";
    case Code::bad_arguments: return "the server does not take that as a path or value";
    case Code::no_node: return "no such node";
    case Code::no_auth: return "no permission";
    case Code::bad_version: return "it has been changed meanwhile";
    case Code::no_children_for_ephemerals: return "an ephemeral node has no children";
    case Code::node_exists: return "the node is there already";
    case Code::not_empty: return "the node has children";
    case Code::session_expired: return "the session has expired";
    case Code::invalid_acl: return "the access list is not valid";
    case Code::auth_failed: return "the login was refused";
    case Code::closing: return "the client is closed";
    case Code::session_moved: return "the session has moved to another server";
    case Code::not_read_only: return "the server has lost its ensemble, and only reads";
    case Code::session_closed_require_auth: return "the server wants a login";
    case Code::quota_exceeded: return "a quota of the server is used up";
    case Code::throttled: return "the server has too much to do";
    default: return fmt::format("error {} of the server", static_cast<int>(code));
  }
}

std::string describe(Code code, const std::string& what) { return fmt::format("{}: {}", what, to_text(code)); }

}  // namespace holdfast::zookeeper
