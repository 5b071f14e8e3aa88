// memory_budget.h -- what all clients together may make the server keep for them.
//
// Every connection has an Account of what is kept because of it: bytes that were received, requests that wait or are under way, answers
// that are not sent. An address may use as much as is still free (addresses.h), so the sum stays below the limit. An address that
// uses more loses connections, the greediest first, until it uses less.
//
//              charge(), release()      the address is over     close()
//   open       counted                  -> closed, owner told   -> closed
//   closed     nothing: what is left goes with the work under way
//
// Everything happens in the service's thread.
#pragma once

#include <cstddef>
#include <memory>

#include "server/addresses.h"

namespace holdfast::server {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}

  std::size_t limit() const noexcept { return limit_; }
  std::size_t used() const noexcept { return used_; }
  // Memory is short before the limit was reached: ends connections, the greediest first, until they used so much. But none that uses
  // no more than an idle one: that would gain nothing.
  void relieve(Addresses& addresses, std::size_t bytes);

  std::size_t free() const noexcept { return used_ < limit_ ? limit_ - used_ : 0; }

 private:
  friend class Account;
  void balance(Address& address);
  // Ends connections that use more than `least`, the greediest first, until `enough`. There may be no memory for a list of them.
  template <class Enough>
  static void shed(Address& address, std::size_t least, Enough enough);

  std::size_t limit_;
  std::size_t used_ = 0;
};

class Account {
 public:
  class Owner {
   public:
    // Called inside charge(), of this account or another: the connection is to end, without a word to the service before this returns.
    virtual void over_budget(std::size_t bytes) = 0;

   protected:
    ~Owner() = default;
  };

  // That nothing is charged to: of a client in this process.
  Account() = default;
  Account(std::shared_ptr<MemoryBudget> budget, std::shared_ptr<Address> address, Owner& owner);
  ~Account() { close(); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  void charge(std::size_t bytes);
  void release(std::size_t bytes);
  void close();

  std::size_t used() const noexcept { return used_; }
  // The connection was ended for what it used: nothing more is to be done for it.
  bool was_over_budget() const noexcept { return was_over_budget_; }

 private:
  friend class MemoryBudget;
  void end();

  std::shared_ptr<MemoryBudget> budget_{};  // none: closed
  std::shared_ptr<Address> address_{};
  Owner* owner_ = nullptr;
  std::size_t used_ = 0;
  bool was_over_budget_ = false;
};

// A share of what the process may have: of RLIMIT_AS, of its cgroup, of the machine's memory, whichever is least.
std::size_t default_memory_budget();

}  // namespace holdfast::server
