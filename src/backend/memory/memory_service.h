// memory_service.h -- the storage service of the reference backend: queues in this process's memory.
//
// What a real service does, without the network: tickets in order, owned by sessions, watched by listeners; and beside them
// values, which no session owns. It has its own lock because clients, each in its own Executor, share it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::memory {

class Service {
 public:
  // The service of that name, shared by all clients that ask for it while one of them still has it.
  static std::shared_ptr<Service> named(const std::string& name);

  // While it is held, nothing changes but by this thread.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> still() { return std::unique_lock(mutex_); }

  spi::SessionId open_session();
  // Ends a session, its own client or not: its tickets go.
  void end_session(spi::SessionId session);
  bool is_open(spi::SessionId session) const;

  // `expired` if the session has ended, `absent` if there is nothing in whose place to come.
  spi::Reply<std::vector<spi::Enqueued>> enqueue(spi::SessionId session, const std::vector<spi::Request>& requests);
  std::optional<spi::Enqueued> find(const std::string& queue, const std::string& uid) const;
  spi::Listing list(const std::string& queue) const;
  // A ticket, a mark or a value.
  bool dequeue(const std::string& queue, const std::string& ticket);
  std::optional<spi::TicketText> text(const std::string& queue, const std::string& ticket) const;
  bool write(const std::string& queue, const std::string& ticket, const spi::TicketText& text);

  // False if the ticket is not there.
  bool leave_mark(const std::string& queue, const std::string& ticket);
  static std::string mark_of(const std::string& ticket) { return "mark of " + ticket; }
  std::vector<std::string> abandoned_marks(const std::string& queue) const;
  // Left beside tickets that are there, or were.
  std::size_t marks(const std::string& queue) const;
  // What is at that path, which is given without its leading slash.
  std::optional<std::string> value(const std::string& path) const;

  void make_count(const std::string& name, std::int32_t initial);
  // `absent`, or `denied` if something else is there.
  spi::Reply<std::int32_t> count(const std::string& name) const;
  // False if there is none.
  bool set_count(const std::string& name, std::int32_t count);

  static spi::SemaphoreQueues semaphore(const std::string& name);
  spi::Examination examine(const std::string& queue) const;
  // Nothing is changed if one of the tickets is not there, or a change cannot be made.
  spi::Reply<spi::Nothing> commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes);

  // `told` runs on the thread that made the change, with our lock held: it may post somewhere, and nothing else. It gets the new
  // text, or nothing when it is gone, which is the last. Nothing if there is no such ticket.
  using Told = std::function<void(std::optional<spi::TicketText>)>;
  std::optional<std::uint64_t> listen(const std::string& queue, const std::string& ticket, Told told);
  // `told` runs once, with nothing, when something has come or gone.
  std::uint64_t listen_to_queue(const std::string& queue, Told told);
  // `told` runs with every number that is set.
  std::uint64_t listen_to_count(const std::string& name, spi::CountListener told);
  void ignore(std::uint64_t listener);

  // For tests: what a server can be made to do.
  void set_next_sequence(const std::string& queue, std::int64_t next);
  // That are remembered: those with tickets.
  std::size_t queues() const;
  std::size_t listeners() const;
  std::vector<spi::SessionId> sessions() const;

 private:
  struct Item {
    spi::Place place;
    std::string uid;
    spi::TicketText text;
    std::chrono::system_clock::time_point made{};
  };
  struct Queue {
    std::int64_t next = 0;
    std::vector<Item> items;  // in order
  };
  struct Value {
    std::string text;
    std::int32_t version = 0;
  };
  struct Listener {
    std::string queue;
    std::string ticket;  // empty: all of the queue
    Told told;
  };
  struct CountEntry {
    std::string name;
    spi::CountListener told;
  };

  const Item* item(const std::string& queue, const std::string& ticket) const;
  std::optional<spi::TicketText> text_of(const std::string& queue, const std::string& ticket) const;
  bool remove_mark(const std::string& queue, const std::string& mark);
  spi::Listing listing(const std::string& queue) const;
  std::string refusal(const std::map<std::string, Value>& values, const spi::Change& change) const;
  void tell(const std::string& queue, const std::string& ticket, const std::optional<spi::TicketText>& text);
  void tell_of_coming(const std::string& queue);

  mutable std::recursive_mutex mutex_;  // see still()
  std::map<std::string, Queue> queues_;
  std::map<std::string, Value> values_;  // by path: "/queue/name". Counts are values, too: a number as text
  std::map<std::string, std::set<std::string>> marks_;  // by queue: the tickets that have one, or had
  std::map<std::uint64_t, Listener> listeners_;
  std::map<std::uint64_t, CountEntry> count_listeners_;
  std::set<spi::SessionId> sessions_;
  spi::SessionId last_session_ = 0;
  Token last_token_ = 0;
  std::uint64_t last_listener_ = 0;
};

}  // namespace holdfast::memory
