// headcount.h -- how many clients there are, in all and from each address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "holdfast/engine.h"

namespace holdfast::server {

class Headcount {
 public:
  explicit Headcount(const EngineLimits& limits)
      : most_(limits.connections), most_per_address_(limits.connections_per_address) {}

  // False: there are too many. Otherwise leave() is due.
  bool enter(const std::string& ip) {
    auto& here = by_address_[ip];
    if (total_ >= most_ || (most_per_address_ != 0 && here >= most_per_address_)) {
      if (here == 0) by_address_.erase(ip);
      ++rejected_;
      return false;
    }
    ++here;
    ++total_;
    return true;
  }

  void leave(const std::string& ip) {
    const auto here = by_address_.find(ip);
    if (here == by_address_.end()) return;
    if (--here->second == 0) by_address_.erase(here);
    --total_;
  }

  std::size_t total() const noexcept { return total_; }
  std::uint64_t rejected() const noexcept { return rejected_; }

 private:
  std::size_t most_;
  std::size_t most_per_address_;
  std::size_t total_ = 0;
  std::uint64_t rejected_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace holdfast::server
