#include "wire/records.h"

namespace holdfast::wire {

bool decode(Reader& reader, ConnectRequest& request) {
  request.protocol = reader.i32();
  request.last_zxid_seen = reader.i64();
  request.timeout = reader.i32();
  request.session = reader.i64();
  request.password = reader.buffer();
  request.has_read_only = reader.ok() && reader.left() > 0;
  if (request.has_read_only) request.read_only = reader.boolean();
  return reader.ok();
}

bool decode(Reader& reader, ConnectResponse& response) {
  (void)reader.i32();  // protocol
  response.timeout = reader.i32();
  response.session = reader.i64();
  response.password = reader.text();
  response.has_read_only = reader.left() > 0;
  return reader.ok();
}

void encode(Writer& writer, const ConnectRequest& request) {
  writer.i32(request.protocol);
  writer.i64(request.last_zxid_seen);
  writer.i32(request.timeout);
  writer.i64(request.session);
  writer.buffer(request.password);
  if (request.has_read_only) writer.boolean(request.read_only);
}

void encode(Writer& writer, const AuthRequest& request) {
  writer.i32(0);
  writer.text(request.scheme);
  writer.text(request.credentials);
}

void encode(Writer& writer, const ConnectResponse& response) {
  writer.i32(0);
  writer.i32(response.timeout);
  writer.i64(response.session);
  writer.text(response.password);
  if (response.has_read_only) writer.boolean(false);
}

AclList decode_acls(Reader& reader) {
  AclList acls(reader.count(12));
  for (auto& acl : acls) {
    acl.permissions = reader.i32();
    // Java's `new Id()` has neither. It is read as a scheme that does not exist: an invalid ACL, not an unreadable request.
    const auto scheme = reader.nullable();
    acl.id.scheme = scheme.value_or("");
    // kazoo writes an empty text as null. "auth" needs no id; for the other schemes an empty id is none.
    const auto id = reader.nullable();
    if (scheme && !id && acl.id.scheme != "auth") reader.fail();
    acl.id.id = id.value_or("");
  }
  return acls;
}

void encode(Writer& writer, const AclList& acls) {
  writer.i32(static_cast<std::int32_t>(acls.size()));
  for (const auto& acl : acls) {
    writer.i32(acl.permissions);
    writer.text(acl.id.scheme);
    writer.text(acl.id.id);
  }
}

Stat decode_stat(Reader& reader) {
  Stat stat;
  stat.czxid = reader.i64();
  stat.mzxid = reader.i64();
  stat.ctime = reader.i64();
  stat.mtime = reader.i64();
  stat.version = reader.i32();
  stat.cversion = reader.i32();
  stat.aversion = reader.i32();
  stat.ephemeral_owner = reader.i64();
  stat.data_length = reader.i32();
  stat.num_children = reader.i32();
  stat.pzxid = reader.i64();
  return stat;
}

void encode(Writer& writer, const Stat& stat) {
  writer.i64(stat.czxid);
  writer.i64(stat.mzxid);
  writer.i64(stat.ctime);
  writer.i64(stat.mtime);
  writer.i32(stat.version);
  writer.i32(stat.cversion);
  writer.i32(stat.aversion);
  writer.i64(stat.ephemeral_owner);
  writer.i32(stat.data_length);
  writer.i32(stat.num_children);
  writer.i64(stat.pzxid);
}

std::string request(std::int32_t xid, Op op, std::string_view body) {
  Writer writer;
  writer.i32(xid);
  writer.i32(static_cast<std::int32_t>(op));
  writer.raw(body);
  return writer.take();
}

std::string frame(std::string_view body) {
  Writer writer;
  writer.text(body);
  return writer.take();
}

std::string reply_frame(std::int32_t xid, Zxid zxid, Code code, std::string_view body) {
  Writer writer;
  writer.i32(static_cast<std::int32_t>(16 + body.size()));
  writer.i32(xid);
  writer.i64(zxid);
  writer.i32(static_cast<std::int32_t>(code));
  writer.raw(body);
  return writer.take();
}

std::string event_frame(const Event& event) {
  Writer writer;
  writer.i32(static_cast<std::int32_t>(event.type));
  writer.i32(kSyncConnected);
  writer.text(event.path);
  // -1, as in ZooKeeper before 3.9: events carry no zxid.
  return reply_frame(kNotificationXid, -1, Code::ok, writer.bytes());
}

}  // namespace holdfast::wire
