#include "cli/shell/trouble.h"

#include <fmt/format.h>
#include <signal.h>

#include "cli/exit_code.h"
#include "cli/shell/path.h"
#include "cli/shell/show.h"

namespace holdfast::cli::shell {
namespace {

// The first words of each are zkCli.sh's, where it has any.
std::string refusal(wire::Code code, const std::string& path) {
  switch (code) {
    case wire::Code::no_node: return "Node does not exist: " + path;
    case wire::Code::node_exists: return "Node already exists: " + path;
    case wire::Code::not_empty: return fmt::format("Node not empty: {}; deleteall deletes its children too", path);
    case wire::Code::bad_version: return fmt::format("Version is not the current one: {}; stat shows it", path);
    case wire::Code::no_auth:
      return fmt::format("Insufficient permission: {}; getAcl shows who may, addauth proves who you are", path);
    case wire::Code::no_children_for_ephemerals: return "Ephemerals cannot have children: " + path;
    case wire::Code::invalid_acl:
      return fmt::format("Acl is not valid: {}; auth: needs an addauth before it, and the scheme must be known", path);
    case wire::Code::bad_arguments: return fmt::format("The server does not take that as a path or value: {}", path);
    case wire::Code::unimplemented: return "The server does not offer that; it may be too old, or have it switched off";
    case wire::Code::auth_failed:
      return "The server refused that identity: it knows no such scheme, or the credentials are wrong";
    case wire::Code::no_watcher: return "No watch of this shell is on " + path;
    case wire::Code::session_closed_require_auth:
      return "The server lets no client in without credentials; use --auth, or addauth";
    case wire::Code::system_error: return "The server could not do that: " + path;
    case wire::Code::session_expired: return "The session has expired; try again";
    default: return fmt::format("The server refused with code {}: {}", static_cast<int>(code), path);
  }
}

}  // namespace

Trouble misuse(std::string text) { return {.text = std::move(text), .exit_code = kExitUsage}; }

Trouble trouble_of(const Failure& failure, std::string_view path, bool changes) {
  switch (failure.kind) {
    case Failure::Kind::refused:
      return {.text = refusal(failure.code, show_path(path)) + (failure.detail.empty() ? "" : "; " + failure.detail),
              .code = failure.code};
    case Failure::Kind::not_connected:
      return {.text = "Not connected to " + failure.detail, .exit_code = kExitUnavailable};
    case Failure::Kind::unanswered:
      return {.text = changes ? fmt::format("The connection was lost before the answer; look whether it was done: {}",
                                            show_path(path))
                              : "The connection was lost before the answer; try again",
              .exit_code = kExitUnavailable};
    case Failure::Kind::interrupted: return {.text = "Interrupted", .exit_code = kExitSignal + SIGINT};
  }
  return {.text = "Failed"};
}

}  // namespace holdfast::cli::shell
