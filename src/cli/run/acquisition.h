// acquisition.h -- the way to the lock, on a thread of its own, so that the main thread can hear signals meanwhile.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/event_descriptor.h"
#include "cli/config/service.h"
#include "cli/run/run_options.h"
#include "holdfast/acquire_result.h"
#include "holdfast/client.h"

namespace holdfast::cli {

class Acquisition {
 public:
  // Connects, tells that on a thread of its own, and takes its place in line.
  Acquisition(const RunOptions& options, const ServiceSettings& settings, std::function<void(const Client&)> connected);
  // Gives up if it is not done; closes the client.
  ~Acquisition();
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  // Readable once it has ended, one way or the other.
  int done_fd() const noexcept { return done_.fd(); }
  // Leaves the line. done_fd() becomes readable soon, unless it is still connecting.
  void give_up() { stop_.request_stop(); }

  // Nothing while it is connecting. Any thread.
  Client* client() noexcept { return connected_.load(); }
  // Once it is done. Throws what connecting or acquiring threw.
  AcquireResult& result();

 private:
  void work();
  AcquireResult acquire(const std::optional<std::chrono::nanoseconds>& wait);

  const RunOptions& options_;
  const ServiceSettings& settings_;
  const std::function<void(const Client&)> tell_connected_;
  const base::EventDescriptor done_;
  std::stop_source stop_;
  std::optional<Client> client_;
  std::atomic<Client*> connected_{nullptr};
  std::optional<AcquireResult> result_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace holdfast::cli
