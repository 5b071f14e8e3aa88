// change.h -- what a request did to the state: the log is a list of these.
//
// A change says what the result is, not what was asked for: names are final, numbers absolute. So applying it twice does no harm. That
// is why a snapshot can be taken while nodes come and go: the log after it corrects what the snapshot saw too late.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/node.h"
#include "wire/jute.h"
#include "wire/records.h"

namespace holdfast::engine {

struct NodeCreated {
  std::string path;
  wire::Buffer data{};
  wire::AclList acl{};
  Kind kind = Kind::persistent;
  std::int64_t owner = 0;
  std::int32_t parent_creations = 0;
};
struct NodeRemoved {
  std::string path;
};
struct DataSet {
  std::string path;
  wire::Buffer data{};
  std::int32_t version = 0;
};
struct AclSet {
  std::string path;
  wire::AclList acl{};
  std::int32_t version = 0;
};
struct SessionOpened {
  wire::SessionId session = 0;
  std::int32_t timeout = 0;  // milliseconds
  std::string password{};
};
struct SessionClosed {
  wire::SessionId session = 0;
};

using Change = std::variant<NodeCreated, NodeRemoved, DataSet, AclSet, SessionOpened, SessionClosed>;

// All changes of one request, which happen together.
struct Transaction {
  wire::Zxid zxid = 0;
  std::int64_t time = 0;  // wall clock, milliseconds
  std::vector<Change> changes{};
};

std::string encode(const Transaction& transaction);
// False if these bytes are not a transaction.
bool decode(std::string_view bytes, Transaction& transaction);

}  // namespace holdfast::engine
