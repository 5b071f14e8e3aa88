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
  // Whether a name stays beside its number: "zk1.example/10.0.0.1:2181" (net/endpoint.h).
  enum class Names { dropped, kept };
  // `hosts`: "10.0.0.1:2181,::1:2181"; empty if no name could be resolved, and `trouble` says why.
  using Done = std::function<void(std::string hosts, std::string trouble)>;

  explicit Resolver(spi::Executor& executor, Names names = Names::dropped) : executor_(executor), names_(names) {}
  ~Resolver() { cancel(); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `done` runs inside the Executor, soon if the hosts are numbers already. One at a time: an older request is dropped.
  void resolve(const std::string& hosts, Done done);
  void cancel();

 private:
  struct Job;

  spi::Executor& executor_;
  const Names names_;
  std::shared_ptr<Job> job_;
};

}  // namespace holdfast::net
