// transaction.h -- changes to what the service stores, for those who keep data beside their locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

// A list of changes that are made all together or not at all; see Client::commit(). Paths are whole paths as ZooKeeper knows
// them, below the URL's chroot: "/app/orders/123/state". `version`: only if the node has that version.
class Transaction {
 public:
  struct Step {
    enum class What { create, set, remove, check } what = What::check;
    std::string path;
    std::string data{};
    std::optional<std::int32_t> version{};
  };

  Transaction& create(std::string path, std::string data) {
    return add({Step::What::create, std::move(path), std::move(data), {}});
  }
  Transaction& set(std::string path, std::string data, std::optional<std::int32_t> version = {}) {
    return add({Step::What::set, std::move(path), std::move(data), version});
  }
  Transaction& remove(std::string path, std::optional<std::int32_t> version = {}) {
    return add({Step::What::remove, std::move(path), {}, version});
  }
  Transaction& check(std::string path, std::optional<std::int32_t> version = {}) {
    return add({Step::What::check, std::move(path), {}, version});
  }

  const std::vector<Step>& steps() const noexcept { return steps_; }

 private:
  Transaction& add(Step step) {
    steps_.push_back(std::move(step));
    return *this;
  }

  std::vector<Step> steps_;
};

}  // namespace holdfast
