// transaction.h -- changes to data on the service itself, made only while a lease is held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

// A list of changes that are made all together or not at all, by Client::commit(), and only if the ticket of a lease is still there: the
// service itself refuses what an expired holder sends.
//
// Example:
//
//   holdfast::Transaction changes;
//   changes.create("/state", "paid").check("/state");
//   client.commit(lease, changes);
//
// Paths are whole paths as the service knows them, below the URL's chroot and without the client's name space: "/app/orders/123/state". A
// `version` makes a step fail unless the node has that version.
//
// A value: it does nothing until it is committed, and may be committed again. One thread at a time.
class Transaction {
 public:
  struct Step {
    enum class What { create, set, remove, check } what = What::check;
    std::string path;
    std::string data{};
    std::optional<std::int32_t> version{};
  };

  // Each adds a step, and returns *this. Nothing is checked here: Client::commit() says which step cannot be made, and why.
  Transaction& create(std::string path, std::string data) {
    return add({Step::What::create, std::move(path), std::move(data), {}});
  }
  Transaction& set(std::string path, std::string data, std::optional<std::int32_t> version = {}) {
    return add({Step::What::set, std::move(path), std::move(data), version});
  }
  Transaction& remove(std::string path, std::optional<std::int32_t> version = {}) {
    return add({Step::What::remove, std::move(path), {}, version});
  }
  // Changes nothing: the node must exist.
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
