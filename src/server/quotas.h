// quotas.h -- what clients may take of a server, counted in one place for sockets and service.
#pragma once

#include <memory>

#include "server/addresses.h"
#include "server/memory_budget.h"
#include "server/refusals.h"
#include "server/statistics.h"

namespace holdfast::server {

struct Quotas {
  explicit Quotas(const EngineLimits& limits)
      : addresses(limits),
        memory(std::make_shared<MemoryBudget>(limits.memory == 0 ? default_memory_budget() : limits.memory)) {}

  QuotaStatistics statistics() const {
    QuotaStatistics all{.memory_used = memory->used(), .memory_limit = memory->limit()};
    for (std::size_t i = 0; i < kRefusals; ++i) all.refused[i] = refusals.count(static_cast<Refusal>(i));
    return all;
  }

  Refusals refusals{};
  Addresses addresses;
  std::shared_ptr<MemoryBudget> memory;
};

}  // namespace holdfast::server
