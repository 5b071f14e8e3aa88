// request.h -- every request of a client.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "wire/jute.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::wire {

// create, create2, createContainer and createTTL, which differ in their answers.
struct Create {
  Op op = Op::create;
  std::string path;
  Buffer data{};
  AclList acl{};
  std::int32_t flags = 0;
  std::int64_t ttl = -1;
};
struct Remove {
  std::string path;
  std::int32_t version = -1;
};
struct RemoveContainer {
  std::string path;
};
struct Exists {
  std::string path;
  bool watch = false;
};
struct GetData {
  std::string path;
  bool watch = false;
};
struct SetData {
  std::string path;
  Buffer data{};
  std::int32_t version = -1;
};
struct GetAcl {
  std::string path;
};
struct SetAcl {
  std::string path;
  AclList acl{};
  std::int32_t version = -1;
};
struct GetChildren {
  std::string path;
  bool watch = false;
  bool with_stat = false;  // getChildren2
};
struct Sync {
  std::string path;
};
struct Check {
  std::string path;
  std::int32_t version = -1;
};
struct Multi {
  std::vector<std::variant<Create, Remove, SetData, Check>> steps;
};
struct MultiRead {
  std::vector<std::variant<GetData, GetChildren>> steps;
};
struct CheckWatches {
  std::string path;
  std::int32_t kind = 0;
  bool remove = false;  // removeWatches
};
struct SetWatches {
  Zxid relative_zxid = 0;
  std::vector<std::string> data{};
  std::vector<std::string> exist{};
  std::vector<std::string> children{};
  std::vector<std::string> persistent{};
  std::vector<std::string> recursive{};
};
struct AddWatch {
  std::string path;
  std::int32_t mode = 0;
};
struct GetEphemerals {
  std::string prefix;
};
struct GetAllChildrenNumber {
  std::string path;
};
struct WhoAmI {};
struct Reconfig {};
struct CloseSession {};
// A request that cannot be read; it gets an answer all the same.
struct Malformed {
  bool would_write = false;
};
// No such operation.
struct Unknown {};

using Request = std::variant<Create, Remove, RemoveContainer, Exists, GetData, SetData, GetAcl, SetAcl, GetChildren,
                             Sync, Check, Multi, MultiRead, CheckWatches, SetWatches, AddWatch, GetEphemerals,
                             GetAllChildrenNumber, WhoAmI, Reconfig, CloseSession, Malformed, Unknown>;

// Reads what follows the header. Never fails: see Malformed and Unknown. Not for ping, auth and sasl, which the connection handles.
Request decode_request(Op op, Reader& reader);

// Whether the request takes a zxid, even if it fails.
bool is_write(const Request& request);

}  // namespace holdfast::wire
