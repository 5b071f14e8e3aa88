#include "support/engine/random_requests.h"

namespace holdfast::testing {

using wire::CreateMode;
using wire::Op;

std::string RandomRequests::path() {
  static const char* const kNames[] = {"a", "b", "c", "zookeeper", "a-long-name-that-fits-into-no-small-string"};
  std::string path;
  for (std::size_t left = 1 + number(3); left > 0; --left) path += std::string("/") + kNames[number(one_in(8) ? 5 : 3)];
  return path;
}

std::string RandomRequests::data() { return std::string(number(40), static_cast<char>('a' + number(26))); }

wire::AclList RandomRequests::acl() {
  const wire::Acl all{wire::permission::kAll, {"world", "anyone"}};
  const wire::Acl mine{wire::permission::kAll, {"auth", ""}};
  const wire::Acl some{static_cast<std::int32_t>(number(32)), {"ip", "127.0.0.0/8"}};
  switch (number(6)) {
    case 0: return {mine};
    case 1: return {all, some};
    case 2: return {};
    default: return {all};
  }
}

std::int32_t RandomRequests::version() { return one_in(4) ? static_cast<std::int32_t>(number(3)) : -1; }

wire::Create RandomRequests::create() {
  wire::Create create{.path = path(), .acl = acl()};
  if (!one_in(5)) create.data = data();
  create.flags = static_cast<std::int32_t>(number(7));
  const auto mode = static_cast<CreateMode>(create.flags);
  create.op = wire::has_ttl(mode) ? Op::create_ttl : mode == CreateMode::container ? Op::create_container : Op::create2;
  if (wire::has_ttl(mode)) create.ttl = static_cast<std::int64_t>(1 + number(20));
  return create;
}

wire::Multi RandomRequests::multi() {
  wire::Multi multi;
  for (std::size_t left = number(6); left > 0; --left) {
    switch (number(5)) {
      case 0: multi.steps.emplace_back(wire::Check{path(), version()}); break;
      case 1: multi.steps.emplace_back(wire::Remove{path(), version()}); break;
      case 2: multi.steps.emplace_back(wire::SetData{path(), data(), version()}); break;
      default: multi.steps.emplace_back(create());
    }
  }
  return multi;
}

wire::Request RandomRequests::write() {
  switch (number(24)) {
    case 0: return wire::CloseSession{};
    case 1: return wire::Check{path(), version()};
    case 2:
    case 3:
    case 4: return wire::SetData{path(), one_in(4) ? wire::Buffer{} : data(), version()};
    case 5:
    case 6: return wire::SetAcl{path(), acl(), version()};
    case 7:
    case 8:
    case 9:
    case 10: return multi();
    case 11: return wire::RemoveContainer{path()};
    case 12:
    case 13:
    case 14:
    case 15:
    case 16: return wire::Remove{path(), version()};
    default: return create();
  }
}

}  // namespace holdfast::testing
