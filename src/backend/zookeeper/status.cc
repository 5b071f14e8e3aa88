#include "backend/zookeeper/status.h"

#include <fmt/format.h>

namespace holdfast::zookeeper {

using spi::Status;

Status status_of(Code code) {
  switch (code) {
    case Code::ok: return Status::ok;
    case Code::no_node: return Status::absent;
    case Code::connection_loss:
    case Code::session_moved: return Status::unknown;
    case Code::throttled: return Status::unreachable;
    case Code::session_expired: return Status::expired;
    case Code::closing: return Status::closed;
    case Code::no_auth:
    case Code::auth_failed:
    case Code::invalid_acl:
    case Code::bad_arguments:
    case Code::marshalling_error:
    case Code::unimplemented:
    case Code::no_children_for_ephemerals:
    case Code::not_empty:
    case Code::not_read_only: return Status::denied;
    default: return Status::unknown;  // what we do not know may have happened
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
    case Code::throttled: return "the server has too much to do";
    default: return fmt::format("error {} of the server", static_cast<int>(code));
  }
}

std::string describe(Code code, const std::string& what) { return fmt::format("{}: {}", what, to_text(code)); }

}  // namespace holdfast::zookeeper
