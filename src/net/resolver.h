// resolver.h -- looks up host names on a thread of its own.
//
// A name service that hangs would hang the client's monitor, its heartbeats and close(). So lines only get numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "holdfast/spi/executor.h"
#include "net/server_address.h"

namespace holdfast::net {

struct Resolved {
  ServerAddresses servers{};  // as numbers; empty if no name could be resolved
  std::string trouble{};      // "zoo: Name or service not known", of each name that could not
};
// Whether a name is kept with its number (ServerAddress::name).
enum class Names { dropped, kept };
// Blocks as long as the name service does. Paths of Unix sockets stay as they are.
Resolved look_up(const ServerAddresses& servers, Names names = Names::dropped);

class Resolver {
 public:
  using Done = std::function<void(const ServerAddresses& servers, const std::string& trouble)>;

  explicit Resolver(spi::Executor& executor, Names names = Names::dropped) : executor_(executor), names_(names) {}
  ~Resolver() { cancel(); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `done` runs inside the Executor; soon if all are numbers already. One request at a time: an older one is dropped.
  void resolve(const ServerAddresses& servers, Done done);
  void cancel();

 private:
  struct Job;

  spi::Executor& executor_;
  const Names names_;
  std::shared_ptr<Job> job_;
};

}  // namespace holdfast::net
