// wanted.h -- what a claim asks for, queue by queue, and which of its tickets is in which queue.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/spi/queue_backend.h"
#include "lock/admission.h"

namespace holdfast::lock {

// The number of permits, which may change while a claim waits.
using Limit = std::atomic<std::size_t>;

// What is asked of one queue.
struct QueueRequest {
  std::string queue;
  spi::Mode mode = spi::Mode::exclusive;
  std::size_t tickets = 1;                 // more than one for permits only
  std::shared_ptr<const Limit> permits{};  // for permits only
  bool may_keep = false;                   // its client may keep the ticket between its uses
  std::string in_place_of{};               // a ticket of this client that has been admitted: then so is the new one

  Rule rule() const { return {mode, permits ? permits->load() : 0}; }
};

// Tickets are numbered in the order of the queues.
class Wanted {
 public:
  explicit Wanted(std::vector<QueueRequest> requests) : requests_(std::move(requests)) {
    for (std::size_t i = 0; i < requests_.size(); ++i) request_of_.insert(request_of_.end(), requests_[i].tickets, i);
  }

  const std::vector<QueueRequest>& requests() const { return requests_; }
  std::size_t queues() const { return requests_.size(); }
  const QueueRequest& operator[](std::size_t queue) const { return requests_[queue]; }

  std::size_t tickets() const { return request_of_.size(); }
  const QueueRequest& of_ticket(std::size_t ticket) const { return requests_[request_of_[ticket]]; }
  std::size_t first_ticket_in(std::size_t queue) const {
    return static_cast<std::size_t>(std::find(request_of_.begin(), request_of_.end(), queue) - request_of_.begin());
  }

 private:
  const std::vector<QueueRequest> requests_;
  std::vector<std::size_t> request_of_;  // of every ticket
};

}  // namespace holdfast::lock
