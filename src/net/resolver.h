// resolver.h -- host names to numbers, where it cannot hurt.
//
// A resolver that hangs would hang our monitor, heartbeats and close() with it. So lines are only ever given numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "holdfast/spi/executor.h"

namespace holdfast::net {

class Resolver {
 public:
  // `hosts`: "10.0.0.1:2181,::1:2181"; empty if no name could be resolved, and `trouble` says why.
  using Done = std::function<void(std::string hosts, std::string trouble)>;

  explicit Resolver(spi::Executor& executor) : executor_(executor) {}
  ~Resolver() { cancel(); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `done` runs inside the Executor, soon if the hosts are numbers already. One at a time: an older request is dropped.
  void resolve(const std::string& hosts, Done done);
  void cancel();

 private:
  struct Job;

  spi::Executor& executor_;
  std::shared_ptr<Job> job_;
};

}  // namespace holdfast::net
