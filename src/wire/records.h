// records.h -- the records that requests and replies consist of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/jute.h"
#include "wire/protocol.h"

namespace holdfast::wire {

using Zxid = std::int64_t;
using SessionId = std::int64_t;

struct Id {
  std::string scheme;
  std::string id;
  friend bool operator==(const Id&, const Id&) = default;
};

struct Acl {
  std::int32_t permissions = permission::kAll;
  Id id;
  friend bool operator==(const Acl&, const Acl&) = default;
};
using AclList = std::vector<Acl>;

// What a client is told about a node.
struct Stat {
  Zxid czxid = 0;
  Zxid mzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;
  std::int32_t version = 0;
  std::int32_t cversion = 0;
  std::int32_t aversion = 0;
  SessionId ephemeral_owner = 0;
  std::int32_t data_length = 0;
  std::int32_t num_children = 0;
  Zxid pzxid = 0;
  friend bool operator==(const Stat&, const Stat&) = default;
};

// The first frame of a connection, and the answer to it.
struct ConnectRequest {
  std::int32_t protocol = 0;
  Zxid last_zxid_seen = 0;
  std::int32_t timeout = 0;  // milliseconds
  SessionId session = 0;     // 0: a new one
  Buffer password{};
  bool read_only = false;
  bool has_read_only = false;  // clients before 3.4 do not send it, and do not expect it back
};
struct ConnectResponse {
  std::int32_t timeout = 0;
  SessionId session = 0;
  std::string password = std::string(16, '\0');
  bool has_read_only = true;
};

// Proves a client's identity. Its first field, a type, was never used.
struct AuthRequest {
  std::string scheme;
  std::string credentials;
};

struct Event {
  EventType type = EventType::node_created;
  std::string path;
};

bool decode(Reader& reader, ConnectRequest& request);
bool decode(Reader& reader, ConnectResponse& response);
void encode(Writer& writer, const ConnectRequest& request);
void encode(Writer& writer, const ConnectResponse& response);
void encode(Writer& writer, const AuthRequest& request);
AclList decode_acls(Reader& reader);
void encode(Writer& writer, const AclList& acls);
Stat decode_stat(Reader& reader);
void encode(Writer& writer, const Stat& stat);

// A request as it is sent, without the length before it.
std::string request(std::int32_t xid, Op op, std::string_view body = {});

// A whole frame, with the length before it.
std::string frame(std::string_view body);
std::string reply_frame(std::int32_t xid, Zxid zxid, Code code, std::string_view body = {});
std::string event_frame(const Event& event);

}  // namespace holdfast::wire
