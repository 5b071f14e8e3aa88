#include "engine/change.h"

namespace holdfast::engine {
namespace {

// On disk: never change a number, and never reuse one.
enum class Tag : std::int32_t {
  node_created = 1,
  node_removed = 2,
  data_set = 3,
  acl_set = 4,
  session_opened = 5,
  session_closed = 6,
};

constexpr std::int32_t kFormat = 1;
// The shortest change: a tag and a session.
constexpr std::size_t kLeastChange = 8;

struct Encoder {
  wire::Writer& out;

  void tag(Tag tag) const { out.i32(static_cast<std::int32_t>(tag)); }

  void operator()(const NodeCreated& change) const {
    tag(Tag::node_created);
    out.text(change.path);
    out.buffer(change.data);
    wire::encode(out, change.acl);
    out.i32(static_cast<std::int32_t>(change.kind));
    out.i64(change.owner);
    out.i32(change.parent_creations);
  }
  void operator()(const NodeRemoved& change) const {
    tag(Tag::node_removed);
    out.text(change.path);
  }
  void operator()(const DataSet& change) const {
    tag(Tag::data_set);
    out.text(change.path);
    out.buffer(change.data);
    out.i32(change.version);
  }
  void operator()(const AclSet& change) const {
    tag(Tag::acl_set);
    out.text(change.path);
    wire::encode(out, change.acl);
    out.i32(change.version);
  }
  void operator()(const SessionOpened& change) const {
    tag(Tag::session_opened);
    out.i64(change.session);
    out.i32(change.timeout);
    out.text(change.password);
  }
  void operator()(const SessionClosed& change) const {
    tag(Tag::session_closed);
    out.i64(change.session);
  }
};

bool read(wire::Reader& in, Kind& kind) {
  const auto number = in.i32();
  if (number < 0 || number > static_cast<std::int32_t>(Kind::ttl)) return false;
  kind = static_cast<Kind>(number);
  return true;
}

bool read(wire::Reader& in, Change& change) {
  switch (static_cast<Tag>(in.i32())) {
    case Tag::node_created: {
      NodeCreated created{.path = in.text(), .data = in.buffer(), .acl = wire::decode_acls(in)};
      if (!read(in, created.kind)) return false;
      created.owner = in.i64();
      created.parent_creations = in.i32();
      change = std::move(created);
      break;
    }
    case Tag::node_removed: change = NodeRemoved{in.text()}; break;
    case Tag::data_set: {
      DataSet set{.path = in.text(), .data = in.buffer()};
      set.version = in.i32();
      change = std::move(set);
      break;
    }
    case Tag::acl_set: {
      AclSet set{.path = in.text(), .acl = wire::decode_acls(in)};
      set.version = in.i32();
      change = std::move(set);
      break;
    }
    case Tag::session_opened: {
      SessionOpened opened{.session = in.i64()};
      opened.timeout = in.i32();
      opened.password = in.text();
      change = std::move(opened);
      break;
    }
    case Tag::session_closed: change = SessionClosed{in.i64()}; break;
    default: return false;
  }
  return in.ok();
}

}  // namespace

std::string encode(const Transaction& transaction) {
  wire::Writer out;
  out.i32(kFormat);
  out.i64(transaction.zxid);
  out.i64(transaction.time);
  out.i32(static_cast<std::int32_t>(transaction.changes.size()));
  for (const auto& change : transaction.changes) std::visit(Encoder{out}, change);
  return out.take();
}

bool decode(std::string_view bytes, Transaction& transaction) {
  wire::Reader in(bytes);
  if (in.i32() != kFormat) return false;
  transaction.zxid = in.i64();
  transaction.time = in.i64();
  transaction.changes.resize(in.count(kLeastChange));
  for (auto& change : transaction.changes) {
    if (!read(in, change)) return false;
  }
  return in.ok() && in.left() == 0;
}

}  // namespace holdfast::engine
