// card.h -- who a ticket belongs to.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/language.h"

namespace holdfast {

// Written once, when the ticket is made. Text that starts with the IP address, as the data of a Curator lock node does:
//   10.0.0.7 host=web1 pid=812 thread=815 program=billing since=1731700000123 purpose=monthly%20run
struct Card {
  std::string address;
  std::string host;
  std::int64_t pid = 0;
  std::int64_t thread = 0;
  // For DeadlockDetection::all_clients only. Which process it is, where hosts share a name and pids repeat.
  std::string instance;
  // Only that thread can give the lock back: it was taken with lock(), not as a Lease.
  bool bound = false;
  // It was asked for without a deadline, so nothing but the lock ends the wait.
  bool endless = false;
  std::string program;
  std::string purpose;
  std::chrono::system_clock::time_point since;

  std::string to_text() const;
  // Foreign tickets carry anything: an IP, nothing, binary. Nothing is thrown; what is not a card of ours has only an
  // address (printable characters up to the first blank).
  static Card parse(std::string_view text);
  // "billing (pid 812) on web1": for messages.
  std::string to_string() const;
};

}  // namespace holdfast
