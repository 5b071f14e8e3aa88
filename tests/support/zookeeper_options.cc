#include "zookeeper_options.h"

#include <cstdlib>
#include <stdexcept>

namespace holdfast::testing {

const char* to_string(ServerMake make) noexcept { return make == ServerMake::apache ? "apache" : "engine"; }

ServerMake parse_server_make(std::string_view name) {
  for (const ServerMake make : {ServerMake::apache, ServerMake::engine}) {
    if (name == to_string(make)) return make;
  }
  throw std::invalid_argument("HOLDFAST_TEST_SERVER is \"" + std::string(name) + "\", not \"apache\" or \"engine\"");
}

ServerMake server_make_under_test() {
  const char* const name = std::getenv("HOLDFAST_TEST_SERVER");
  return name == nullptr ? ServerMake::apache : parse_server_make(name);
}

}  // namespace holdfast::testing
