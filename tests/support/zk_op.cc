#include "zk_op.h"

namespace holdfast::testing {

std::string_view to_string(Op op) noexcept {
  switch (op) {
    case Op::notification: return "notification";
    case Op::create: return "create";
    case Op::delete_node: return "delete";
    case Op::exists: return "exists";
    case Op::get_data: return "getData";
    case Op::set_data: return "setData";
    case Op::get_acl: return "getACL";
    case Op::set_acl: return "setACL";
    case Op::get_children: return "getChildren";
    case Op::sync: return "sync";
    case Op::ping: return "ping";
    case Op::get_children2: return "getChildren2";
    case Op::check: return "check";
    case Op::multi: return "multi";
    case Op::create2: return "create2";
    case Op::reconfig: return "reconfig";
    case Op::check_watches: return "checkWatches";
    case Op::remove_watches: return "removeWatches";
    case Op::create_container: return "createContainer";
    case Op::delete_container: return "deleteContainer";
    case Op::create_ttl: return "createTTL";
    case Op::multi_read: return "multiRead";
    case Op::auth: return "auth";
    case Op::set_watches: return "setWatches";
    case Op::sasl: return "sasl";
    case Op::get_ephemerals: return "getEphemerals";
    case Op::get_all_children_number: return "getAllChildrenNumber";
    case Op::set_watches2: return "setWatches2";
    case Op::add_watch: return "addWatch";
    case Op::who_am_i: return "whoAmI";
    case Op::create_session: return "createSession";
    case Op::close_session: return "closeSession";
    case Op::error: return "error";
    case Op::connect: return "connect";
  }
  return "unknown";
}

bool creates_a_node(Op op) noexcept {
  return op == Op::create || op == Op::create2 || op == Op::create_container || op == Op::create_ttl;
}

bool may_watch(Op op) noexcept {
  return op == Op::exists || op == Op::get_data || op == Op::get_children || op == Op::get_children2;
}

bool names_a_path(Op op) noexcept {
  switch (op) {
    case Op::delete_node:
    case Op::set_data:
    case Op::get_acl:
    case Op::set_acl:
    case Op::sync:
    case Op::check:
    case Op::check_watches:
    case Op::remove_watches:
    case Op::delete_container:
    case Op::get_ephemerals:
    case Op::get_all_children_number:
    case Op::add_watch: return true;
    default: return creates_a_node(op) || may_watch(op);
  }
}

}  // namespace holdfast::testing
