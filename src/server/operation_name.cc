#include "server/operation_name.h"

namespace holdfast::server {

const char* name_of(wire::Op op) {
  switch (op) {
    case wire::Op::create:
    case wire::Op::create2:
    case wire::Op::create_ttl:
    case wire::Op::create_container: return "CREA";
    case wire::Op::remove:
    case wire::Op::delete_container: return "DELE";
    case wire::Op::exists: return "EXIS";
    case wire::Op::get_data: return "GETD";
    case wire::Op::set_data: return "SETD";
    case wire::Op::get_acl: return "GETA";
    case wire::Op::set_acl: return "SETA";
    case wire::Op::get_children:
    case wire::Op::get_children2: return "GETC";
    case wire::Op::sync: return "SYNC";
    case wire::Op::check: return "CHEC";
    case wire::Op::multi: return "MULT";
    case wire::Op::multi_read: return "MLTR";
    case wire::Op::check_watches: return "CHKW";
    case wire::Op::remove_watches: return "REMW";
    case wire::Op::set_watches: return "SETW";
    case wire::Op::set_watches2: return "STW2";
    case wire::Op::add_watch: return "ADDW";
    case wire::Op::get_ephemerals: return "GETE";
    case wire::Op::get_all_children_number: return "GETACN";
    case wire::Op::who_am_i: return "HOMI";
    case wire::Op::reconfig: return "RECO";
    case wire::Op::close_session: return "CLOS";
    default: return "NA";
  }
}

}  // namespace holdfast::server
