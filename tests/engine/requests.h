// requests.h -- requests as bytes, for those who speak the protocol themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jute.h"
#include "support/zk_op.h"

namespace holdfast::testing::asking {

struct Ask {
  Op op = Op::ping;
  std::string payload{};
};

// Flags of a create.
inline constexpr std::int32_t kPersistent = 0;
inline constexpr std::int32_t kEphemeral = 1;
inline constexpr std::int32_t kSequential = 2;
// Modes of addWatch.
inline constexpr std::int32_t kRecursive = 1;

Ask create(const std::string& path, const std::string& data = {}, std::int32_t flags = kPersistent);
Ask remove(const std::string& path);
Ask set_data(const std::string& path, const std::string& data);
Ask get_data(const std::string& path, bool watch = false);
Ask exists(const std::string& path, bool watch = false);
Ask get_children2(const std::string& path, bool watch = false);
Ask add_watch(const std::string& path, std::int32_t mode);
Ask ping();
Ask close_session();
// All or nothing; of create, remove and set_data.
Ask multi(const std::vector<Ask>& steps);

// What the answers say.
struct Node {
  std::string data{};
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t pzxid = 0;
  std::int32_t version = 0;
  std::int32_t cversion = 0;
  std::int64_t owner = 0;
  std::int32_t children = 0;
};
Node parse_stat(JuteReader& in);
Node parse_data(std::string_view body);         // of getData
std::string parse_path(std::string_view body);  // of create
struct Children {
  std::vector<std::string> names{};
  Node parent{};
};
Children parse_children2(std::string_view body);
// Of the first step of a multi that failed; 0: none did.
std::int32_t parse_multi_error(std::string_view body);

}  // namespace holdfast::testing::asking
