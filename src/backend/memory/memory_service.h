// memory_service.h -- the storage service of the reference backend: queues in this process's memory.
//
// What a real service does, without the network: tickets in order, owned by sessions, watched by listeners. It has its own
// lock because clients, each in its own Executor, share it.
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
  // The service of that name, shared by all who ask for it while anybody still has it.
  static std::shared_ptr<Service> named(const std::string& name);

  spi::SessionId open_session();
  // Ends a session, whoever asks: its tickets go.
  void end_session(spi::SessionId session);
  bool is_open(spi::SessionId session) const;

  // Nothing if the session has ended.
  std::optional<spi::Enqueued> enqueue(spi::SessionId session, const std::string& queue, const spi::Request& request);
  std::optional<spi::Enqueued> find(const std::string& queue, const std::string& uid) const;
  spi::Listing list(const std::string& queue) const;
  bool dequeue(const std::string& queue, const std::string& ticket);
  std::optional<std::string> card(const std::string& queue, const std::string& ticket) const;

  // `gone` runs once, on the thread that removed the ticket, with our lock held: it may post somewhere, and nothing else.
  // Nothing if there is no such ticket.
  std::optional<std::uint64_t> listen(const std::string& queue, const std::string& ticket, std::function<void()> gone);
  void ignore(std::uint64_t listener);

  // For tests: what a server can be made to do.
  void set_next_sequence(const std::string& queue, std::int64_t next);
  std::size_t listeners() const;
  std::vector<spi::SessionId> sessions() const;

 private:
  struct Item {
    spi::Place place;
    std::string uid;
    std::string card;
  };
  struct Queue {
    std::int64_t next = 0;
    std::vector<Item> items;  // in order
  };
  struct Listener {
    std::string queue;
    std::string ticket;
    std::function<void()> gone;
  };

  const Item* item(const std::string& queue, const std::string& ticket) const;
  static spi::Listing listing(const Queue& queue);
  void tell_listeners(const std::string& queue, const std::string& ticket);

  mutable std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  std::map<std::uint64_t, Listener> listeners_;
  std::set<spi::SessionId> sessions_;
  spi::SessionId last_session_ = 0;
  Token last_token_ = 0;
  std::uint64_t last_listener_ = 0;
};

}  // namespace holdfast::memory
