#include "server/memory_budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "base/assert.h"

namespace holdfast::server {
namespace {

// The rest is for nodes, for the connections themselves, for copies that are made on the way, and for what the allocator wastes.
constexpr std::size_t kShare = 4;
constexpr std::size_t kLeastBudget = std::size_t{16} << 20;

// Enough is freed at a time that looking for the greediest costs little.
constexpr std::size_t under(std::size_t bytes) { return bytes - bytes / 8; }

// What a connection that asks for nothing uses, and a little more.
constexpr std::size_t kIdle = 1'024;

// Nothing if there is no limit.
void lower(std::size_t& least, const std::string& file) {
  std::ifstream in(file);
  std::size_t limit = 0;
  if (in >> limit) least = std::min(least, limit);  // "max" is no number
}

}  // namespace

template <class Enough>
void MemoryBudget::shed(Address& address, std::size_t least, Enough enough) {
  while (!enough()) {
    std::size_t most = 0;
    for (const Account* account : address.accounts) most = std::max(most, account->used());
    if (most <= least) return;
    // Those that use about as much go together, so that looking for them costs little.
    for (auto next = address.accounts.begin(); next != address.accounts.end() && !enough();) {
      Account* const account = *next++;
      if (account->used() >= under(most)) account->end();
    }
  }
}

void MemoryBudget::balance(Address& address) {
  if (address.bytes <= free()) return;
  shed(address, 0, [&] { return address.bytes <= under(free()); });
}

void MemoryBudget::relieve(Addresses& addresses, std::size_t bytes) {
  const auto aim = used_ - std::min(used_, bytes);
  while (used_ > aim) {
    Address* const greediest = addresses.greediest();
    if (greediest == nullptr) return;
    // Half of what it uses: then another one may be the greediest.
    const auto before = greediest->bytes;
    shed(*greediest, kIdle, [&] { return used_ <= aim || greediest->bytes <= before / 2; });
    if (greediest->bytes == before) return;
  }
}

void Account::end() {
  HOLDFAST_ASSERT(owner_ != nullptr && !was_over_budget_, used_);
  auto* const owner = owner_;
  const auto bytes = used_;
  close();
  was_over_budget_ = true;
  owner->over_budget(bytes);
}

Account::Account(std::shared_ptr<MemoryBudget> budget, std::shared_ptr<Address> address, Owner& owner)
    : budget_(std::move(budget)), address_(std::move(address)), owner_(&owner) {
  HOLDFAST_ASSERT(budget_ != nullptr && address_ != nullptr);
  address_->accounts.insert(this);
}

void Account::charge(std::size_t bytes) {
  if (!budget_) return;
  used_ += bytes;
  address_->bytes += bytes;
  budget_->used_ += bytes;
  HOLDFAST_ASSERT(used_ <= address_->bytes && address_->bytes <= budget_->used_, used_, address_->bytes,
                  budget_->used_);
  // Closed by what follows, perhaps.
  const auto budget = budget_;
  const auto address = address_;
  budget->balance(*address);
}

void Account::release(std::size_t bytes) {
  if (!budget_) return;
  HOLDFAST_ASSERT(used_ >= bytes, used_, bytes);
  HOLDFAST_ASSERT(address_->bytes >= bytes, address_->bytes, bytes);
  HOLDFAST_ASSERT(budget_->used_ >= bytes, budget_->used_, bytes);
  used_ -= bytes;
  address_->bytes -= bytes;
  budget_->used_ -= bytes;
}

void Account::close() {
  if (!budget_) return;
  release(used_);
  const auto erased = address_->accounts.erase(this);
  HOLDFAST_ASSERT(erased == 1 && used_ == 0, erased, used_);
  budget_.reset();
  address_.reset();
  owner_ = nullptr;
}

std::size_t default_memory_budget() {
  auto least = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
               static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  if (rlimit limit{}; ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    least = std::min(least, static_cast<std::size_t>(limit.rlim_cur));
  }
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) {  // version 2: every group above may have a limit, too
      for (auto path = line.substr(3); !path.empty() && path != "/"; path.erase(path.rfind('/'))) {
        lower(least, "/sys/fs/cgroup" + path + "/memory.max");
      }
      // Where a container sees its own group as the root.
      lower(least, "/sys/fs/cgroup/memory.max");
    } else if (const auto memory = line.find(":memory:"); memory != std::string::npos) {
      lower(least, "/sys/fs/cgroup/memory" + line.substr(memory + 8) + "/memory.limit_in_bytes");
      lower(least, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
    }
  }
  return std::max(kLeastBudget, least / kShare);
}

}  // namespace holdfast::server
