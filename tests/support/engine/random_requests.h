// random_requests.h -- requests of every kind on a few nodes, so that they often meet. The same seed gives the same requests.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "wire/request.h"

namespace holdfast::testing {

class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(seed) {}

  wire::Request write();
  // Less than `end`.
  std::size_t number(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  bool one_in(std::size_t n) { return number(n) == 0; }

 private:
  std::string path();
  std::string data();
  wire::AclList acl();
  std::int32_t version();
  wire::Create create();
  wire::Multi multi();

  std::mt19937_64 random_;
};

}  // namespace holdfast::testing
