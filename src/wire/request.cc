#include "wire/request.h"

namespace holdfast::wire {
namespace {

Create read_create(Op op, Reader& reader) {
  Create create{.op = op, .path = reader.text(), .data = reader.buffer(), .acl = decode_acls(reader)};
  create.flags = reader.i32();
  if (op == Op::create_ttl) create.ttl = reader.i64();
  return create;
}

Remove read_remove(Reader& reader) {
  Remove remove{.path = reader.text()};
  remove.version = reader.i32();
  return remove;
}

SetData read_set_data(Reader& reader) {
  SetData set{.path = reader.text(), .data = reader.buffer()};
  set.version = reader.i32();
  return set;
}

Check read_check(Reader& reader) {
  Check check{.path = reader.text()};
  check.version = reader.i32();
  return check;
}

template <class T>
T read_watched(Reader& reader) {
  T request{};
  request.path = reader.text();
  request.watch = reader.boolean();
  return request;
}

struct MultiHeader {
  Op op;
  bool done;
};

MultiHeader read_multi_header(Reader& reader) {
  const auto op = static_cast<Op>(reader.i32());
  const bool done = reader.boolean();
  (void)reader.i32();  // err
  return {op, done || !reader.ok()};
}

// One decoder for both kinds of multi. Reads and writes do not mix, and the kind of the steps need not be that of the request:
// a read in a multi, or a write in a multiRead, is refused when it is executed.
Request read_multi(Op op, Reader& reader) {
  Multi writes;
  MultiRead reads;
  for (auto header = read_multi_header(reader); !header.done; header = read_multi_header(reader)) {
    switch (header.op) {
      case Op::create:
      case Op::create2:
      case Op::create_container:
      case Op::create_ttl: writes.steps.emplace_back(read_create(header.op, reader)); break;
      case Op::remove: writes.steps.emplace_back(read_remove(reader)); break;
      case Op::set_data: writes.steps.emplace_back(read_set_data(reader)); break;
      case Op::check: writes.steps.emplace_back(read_check(reader)); break;
      case Op::get_data: reads.steps.emplace_back(read_watched<GetData>(reader)); break;
      case Op::get_children: reads.steps.emplace_back(read_watched<GetChildren>(reader)); break;
      default: reader.fail();
    }
  }
  const bool wrong_kind = op == Op::multi ? !reads.steps.empty() : !writes.steps.empty();
  if (!reader.ok() || wrong_kind) return Malformed{op == Op::multi};
  if (op == Op::multi) return writes;
  return reads;
}

SetWatches read_set_watches(Op op, Reader& reader) {
  SetWatches set{.relative_zxid = reader.i64()};
  set.data = reader.texts();
  set.exist = reader.texts();
  set.children = reader.texts();
  if (op == Op::set_watches2) {
    set.persistent = reader.texts();
    set.recursive = reader.texts();
  }
  return set;
}

// Joining, leaving and new members, and the configuration that they change. ZooKeeper reads it before it takes a zxid.
Request read_reconfig(Reader& reader) {
  for (int list = 0; list < 3; ++list) (void)reader.nullable();
  (void)reader.i64();
  if (!reader.ok()) return Malformed{};
  return Reconfig{};
}

template <class T>
T read_path_and_number(Reader& reader) {
  T request{};
  request.path = reader.text();
  if constexpr (std::is_same_v<T, CheckWatches>) request.kind = reader.i32();
  if constexpr (std::is_same_v<T, AddWatch>) request.mode = reader.i32();
  return request;
}

Request read(Op op, Reader& reader) {
  switch (op) {
    case Op::create:
    case Op::create2:
    case Op::create_container:
    case Op::create_ttl: return read_create(op, reader);
    case Op::remove: return read_remove(reader);
    case Op::delete_container: return RemoveContainer{};
    case Op::exists: return read_watched<Exists>(reader);
    case Op::get_data: return read_watched<GetData>(reader);
    case Op::set_data: return read_set_data(reader);
    case Op::get_acl: return GetAcl{reader.text()};
    case Op::set_acl: {
      SetAcl set{.path = reader.text(), .acl = decode_acls(reader)};
      set.version = reader.i32();
      return set;
    }
    case Op::get_children2:
    case Op::get_children: {
      auto get = read_watched<GetChildren>(reader);
      get.with_stat = op == Op::get_children2;
      return get;
    }
    case Op::sync: return Sync{reader.text()};
    case Op::check: return read_check(reader);
    case Op::multi:
    case Op::multi_read: return read_multi(op, reader);
    case Op::check_watches:
    case Op::remove_watches: {
      auto check = read_path_and_number<CheckWatches>(reader);
      check.remove = op == Op::remove_watches;
      return check;
    }
    case Op::set_watches:
    case Op::set_watches2: return read_set_watches(op, reader);
    case Op::add_watch: return read_path_and_number<AddWatch>(reader);
    case Op::get_ephemerals: return GetEphemerals{reader.buffer().value_or("")};
    case Op::get_all_children_number: return GetAllChildrenNumber{reader.text()};
    case Op::who_am_i: return WhoAmI{};
    case Op::reconfig: return read_reconfig(reader);
    case Op::close_session: return CloseSession{};
    default: return Unknown{};
  }
}

struct Writes {
  bool operator()(const Create&) const { return true; }
  bool operator()(const Remove&) const { return true; }
  bool operator()(const RemoveContainer&) const { return true; }
  bool operator()(const SetData&) const { return true; }
  bool operator()(const SetAcl&) const { return true; }
  bool operator()(const Check&) const { return true; }
  bool operator()(const Multi&) const { return true; }
  bool operator()(const Reconfig&) const { return true; }
  bool operator()(const CloseSession&) const { return true; }
  bool operator()(const Malformed& malformed) const { return malformed.would_write; }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
};

}  // namespace

Request decode_request(Op op, Reader& reader) {
  Request request = read(op, reader);
  if (reader.ok()) return request;
  return Malformed{is_write(request)};
}

bool is_write(const Request& request) { return std::visit(Writes{}, request); }

}  // namespace holdfast::wire
