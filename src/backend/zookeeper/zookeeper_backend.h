// zookeeper_backend.h -- the SPI on Apache ZooKeeper, in Curator's dialect.
//
//   SPI       requests                                                    round trips
//   enqueue   create2 (ephemeral, sequential) + getChildren               1; 2 if parents are missing
//     several multi of creates + getChildren each, then exists            2
//     in place  multi of check and create + exists + getChildren          1
//   find      sync + getChildren, then exists                             2
//   list      getChildren                                                 1
//   dequeue   delete                                                      1
//   read      getData                                                     1
//   listen    getData with a watch                                        1
//   to queue  getChildren with a watch                                    1
//   ignore    removeWatches                                               1, not waited for
//   check     exists                                                      1
//   mark      multi of check and create                                   1
//   count     create, getData, setData; getData with a watch              1 each; 2 if parents are missing
//   write     setData                                                     1
//   examine   getChildren2, then getData each, in one flight              2
//   commit    multi of check and the changes                              1
//   beat      exists /; on an ensemble sync, which goes to the leader     1
//
// find() syncs first: after a reconnect we may talk to a follower that has not yet heard of what we did through another
// one. Requests still on their way through the old connection are refused by the leader from then on (session moved), so
// "absent" is final.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/zookeeper/address.h"
#include "backend/zookeeper/connection.h"
#include "backend/zookeeper/dialect.h"
#include "backend/zookeeper/listeners.h"
#include "backend/zookeeper/node_name.h"
#include "holdfast/client.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "zk/client.h"

namespace holdfast::zookeeper {

class ZooKeeperBackend final : public spi::QueueBackend, private Connection::Watcher {
 public:
  ZooKeeperBackend(spi::Executor& executor, Address address, const ClientOptions& options, zk::Dial dial);

  void open(spi::Observer& observer) override;
  void enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) override;
  void find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) override;
  void list(const std::string& queue, spi::Callback<spi::Listing> done) override;
  void dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) override;
  ListenerId listen(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override;
  ListenerId listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override;
  void ignore(ListenerId listener) override { listeners_.ignore(listener); }
  void beat(spi::Callback<spi::Nothing> done) override;
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  std::string mark_of(const std::string& ticket) const override { return zookeeper::mark_of(ticket); }
  void abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) override;
  void make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) override;
  void read_count(const std::string& name, spi::Callback<std::int32_t> done) override;
  void set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) override;
  ListenerId listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                             spi::CountListener told) override;
  void examine(const std::string& queue, spi::Callback<spi::Examination> done) override;
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
              spi::Callback<spi::Nothing> done) override;
  std::function<void()> close() override;
  std::string where() const override { return connection_.where(); }
  std::string trouble() const override { return connection_.trouble(); }
  // Curator's InterProcessSemaphoreV2.
  spi::SemaphoreQueues semaphore(const std::string& name) const override {
    return {.turns = name + "/" + kTurns, .permits = name + "/" + kPermits};
  }
  std::string path(const std::string& queue) const override {
    return connection_.address().chroot + "/" + node_of_name(queue);
  }

 private:
  static constexpr auto kTurns = "locks";
  static constexpr auto kPermits = "leases";

  struct Placing;
  struct Committing;

  void session_connected(const spi::Session& session) override;
  void session_disconnected() override;
  void session_expired(spi::SessionId session) override;
  void session_refused(const std::string& why) override;
  void no_service() override;
  void watch_fired(zk::Client::WatchId watch, wire::EventType type) override { listeners_.fired(watch, type); }

  // Wraps a callback of ours: tells the observer about the acknowledgement first.
  zk::Client::Done acknowledged(zk::Client::Done done, bool through_leader = false);
  // False, and the caller is told, if there is no connection.
  template <class T>
  bool reachable(const spi::Callback<T>& done);
  // What is said when there is no connection.
  std::string unreachable() const;
  std::string path(const std::string& queue, const std::string& ticket) const;
  // Why a node is not there: the server does not want it made, and will not want it the next time.
  struct Denied {
    std::string path;
    Code code = Code::ok;  // ok: nothing was denied
  };
  // `denied` is set if that is why `path` is not there afterwards.
  void create_with_parents(const std::string& path, const std::shared_ptr<Denied>& denied);
  void place(std::shared_ptr<Placing> placing);
  void list_after(const std::shared_ptr<Placing>& placing);
  void placed(const std::shared_ptr<Placing>& placing);
  void commit(std::shared_ptr<Committing> committing);
  void make_count(const std::string& name, std::int32_t initial, bool parents_made, spi::Callback<spi::Nothing> done);
  // Tickets that were made where the counter comes to its end are answered with `denied`.
  template <class T>
  void deny_if_near_the_end(spi::Reply<T>& reply, const std::string& queue, std::int64_t sequence,
                            spi::Mode mode) const;
  spi::Listing in_order(const std::string& queue, const std::vector<std::string>& children);

  spi::Executor& executor_;
  Connection connection_;
  spi::Observer* observer_ = nullptr;
  Listeners listeners_;
  std::set<std::string> reported_;  // queues with strange children, told once each
};

template <class T>
bool ZooKeeperBackend::reachable(const spi::Callback<T>& done) {
  if (connection_.connected()) return true;
  executor_.post(
      [done, status = connection_.closed() ? spi::Status::closed : spi::Status::unreachable, why = unreachable()] {
        done({status, why, {}});
      });
  return false;
}

}  // namespace holdfast::zookeeper
