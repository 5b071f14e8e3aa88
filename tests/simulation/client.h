// client.h -- one life of one simulated client: a real session with its claims and cohorts, and threads that want locks.
//
// Everything below the public API is the library's own: LocalQueue, Cohort, Claim, Session, Sweeper, the backend in ZooKeeper's dialect.
// lock::Core is not: it blocks threads. What it does for them (forwarding what the session says) is done here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/zookeeper/zookeeper_backend.h"
#include "holdfast/client.h"
#include "lock/cohort.h"
#include "lock/local_queue.h"
#include "lock/session.h"
#include "lock/sweeper.h"
#include "network.h"
#include "oracle.h"
#include "virtual_executor.h"

namespace holdfast::simulation {

// What all clients together did.
struct Counts {
  std::uint64_t sessions = 0;
  std::uint64_t acquires = 0;
  std::uint64_t grants = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refusals = 0;
  std::uint64_t losses = 0;
};

struct World {
  Timeline& timeline;
  Chance& chance;
  Network& network;
  Oracle& oracle;
  Counts& counts;
};

class Client final : public lock::Session::Watcher {
 public:
  Client(World world, std::string name, std::shared_ptr<Way> way, Drift clock, std::size_t threads,
         ClientOptions options);
  // As if its process were killed: without a word.
  ~Client() override;

  // Begins nothing new. What is wanted and held ends.
  void finish() { finishing_ = true; }
  // No thread wants or holds anything, and nothing is left to tidy up.
  bool idle() const;
  // Threads that still want something.
  std::string busy() const;
  // In good order.
  void close();
  void pause_until(Moment when) { executor_.pause_until(when); }
  std::chrono::milliseconds session_timeout() const { return options_.session_timeout; }

 private:
  // A thread of a program: wants a lock, has it for a while, gives it back.
  struct Thread {
    std::uint64_t number = 0;
    // What it wants, for how long it waits, and how often it has wanted something.
    std::vector<std::string> names{};
    lock::Call call{};
    std::uint64_t turn = 0;
    std::shared_ptr<lock::Entrance> entrance{};  // where it waits
    std::shared_ptr<lock::Waiter> waiter{};
    std::shared_ptr<lock::Hold> in_line{};  // its turn to take permits of a semaphore
    std::shared_ptr<lock::Hold> hold{};
    bool lost = false;  // and noticed
  };

  void state_changed(ConnectionState state) override;
  void session_connected(bool replaced) override;
  void session_disconnected() override;
  void validity_ended() override;
  void beat() override;
  void session_refused(const std::string& why) override;

  std::shared_ptr<lock::LocalQueue> queue(const std::string& name);
  template <class F>
  void for_each_cohort(F&& f);
  void begin(std::size_t thread);
  void begin_later(std::size_t thread);
  LockOptions choose(Thread& thread);
  std::shared_ptr<lock::Cohort> cohort(std::vector<lock::QueueRequest> wanted,
                                       std::shared_ptr<lock::KeepPolicy> keeping = nullptr);
  void enter(std::size_t thread, std::shared_ptr<lock::Entrance> entrance, const lock::Call& call);
  void give_up(Thread& thread);
  void has_turn(std::size_t thread, std::shared_ptr<lock::Hold> turn);
  void has_got(std::size_t thread, std::shared_ptr<lock::Hold> hold);
  void has_not_got(std::size_t thread, const lock::Refusal& refusal);
  void release(Thread& thread);
  // After everything that has happened inside: who has got what.
  void look();
  std::string who(const Thread& thread) const;
  static std::string wants(const Thread& thread);

  const World world_;
  const std::string name_;
  const ClientOptions options_;
  VirtualExecutor executor_;
  std::unique_ptr<zookeeper::ZooKeeperBackend> backend_;
  lock::Session session_;
  lock::Sweeper sweeper_;
  lock::Context context_;
  lock::CohortContext cohorts_;
  std::map<std::string, std::shared_ptr<lock::LocalQueue>> queues_;
  std::vector<std::weak_ptr<lock::Cohort>> all_cohorts_;
  std::vector<Thread> threads_;
  bool finishing_ = false;
  bool closed_ = false;
};

}  // namespace holdfast::simulation
