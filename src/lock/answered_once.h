// answered_once.h -- a store of which only the first answer to each request counts.
//
// The lock counts answers (of several names, of several permits), and a caller that waits for one reads it in its own thread. So a store that
// answers a request again, against its contract (spi/queue_backend.h), would admit a lock too early, or write where a caller reads. Every store
// is behind this; the rest of the lock need not think of it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::lock {

class AnsweredOnce final : public spi::QueueBackend {
 public:
  explicit AnsweredOnce(std::unique_ptr<spi::QueueBackend> store) : store_(std::move(store)) {}

  void enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) override;
  void find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) override;
  void list(const std::string& queue, spi::Callback<spi::Listing> done) override;
  void dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) override;
  ListenerId listen(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override;
  ListenerId listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override;
  void beat(spi::Callback<spi::Nothing> done) override;
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) override;
  void make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) override;
  void read_count(const std::string& name, spi::Callback<std::int32_t> done) override;
  void set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) override;
  ListenerId listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                             spi::CountListener told) override;
  void examine(const std::string& queue, spi::Callback<spi::Examination> done) override;
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
              spi::Callback<spi::Nothing> done) override;

  void open(spi::Observer& observer) override { store_->open(observer); }
  std::function<void()> close() override { return store_->close(); }
  void ignore(ListenerId listener) override { store_->ignore(listener); }
  std::string where() const override { return store_->where(); }
  std::string trouble() const override { return store_->trouble(); }
  std::string path(const std::string& queue) const override { return store_->path(queue); }
  bool shows_waiters() const override { return store_->shows_waiters(); }
  Token token_of(const std::string& queue, const spi::Place& place) const override {
    return store_->token_of(queue, place);
  }
  std::string mark_of(const std::string& ticket) const override { return store_->mark_of(ticket); }
  spi::SemaphoreQueues semaphore(const std::string& name) const override { return store_->semaphore(name); }

 private:
  const std::unique_ptr<spi::QueueBackend> store_;
};

}  // namespace holdfast::lock
