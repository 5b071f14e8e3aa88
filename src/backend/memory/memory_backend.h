// memory_backend.h -- the SPI on a Service in this process: the executable specification of spi::QueueBackend.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/memory/memory_service.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::memory {

class MemoryBackend final : public spi::QueueBackend {
 public:
  MemoryBackend(spi::Executor& executor, std::shared_ptr<Service> service, Clock::duration session_timeout);

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
  void ignore(ListenerId listener) override;
  void beat(spi::Callback<spi::Nothing> done) override;
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  std::string mark_of(const std::string& ticket) const override { return Service::mark_of(ticket); }
  void abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) override;
  void make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) override;
  void read_count(const std::string& name, spi::Callback<std::int32_t> done) override;
  void set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) override;
  ListenerId listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                             spi::CountListener told) override;
  spi::SemaphoreQueues semaphore(const std::string& name) const override { return Service::semaphore(name); }
  void examine(const std::string& queue, spi::Callback<spi::Examination> done) override;
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
              spi::Callback<spi::Nothing> done) override;
  std::function<void()> close() override;
  std::string where() const override { return "the memory of this process"; }
  std::string path(const std::string& queue) const override { return "/" + queue; }

 private:
  // Runs `serve` on the service and posts its reply, in one step: what a round trip is elsewhere.
  template <class T, class Serve>
  void request(spi::Callback<T> done, Serve serve);
  template <class T>
  spi::Callback<T> unless_ignored(ListenerId id, spi::Callback<T> armed);
  void connect();
  void session_is_over();

  spi::Executor& executor_;
  const std::shared_ptr<Service> service_;
  const Clock::duration session_timeout_;
  spi::Observer* observer_ = nullptr;
  spi::SessionId session_ = 0;
  std::map<ListenerId, std::uint64_t> listeners_;  // ours -> the service's
  ListenerId last_listener_ = 0;
  bool closed_ = false;
};

}  // namespace holdfast::memory
