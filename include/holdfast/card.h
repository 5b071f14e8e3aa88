// card.h -- which process and thread a ticket belongs to, so that an operator knows whom to call.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/language.h"

namespace holdfast {

// Every ticket carries one. It is written once, when the ticket is made, as text that begins with the IP address, as the data of a Curator
// lock node does:
//
//   10.0.0.7 host=web1 pid=812 thread=815 program=billing since=1731700000123 purpose=monthly%20run
//
// It is for people: no lock depends on what it says. (The exception is DeadlockDetection::all_clients.)
//
// Example:
//
//   const auto card = holdfast::Card::parse("10.0.0.7 host=web1 pid=812 program=billing");
//   std::cout << card.to_string() << "\n";  // billing (pid 812) on web1
struct Card {
  std::string address;
  std::string host;
  std::int64_t pid = 0;
  std::int64_t thread = 0;
  // These three only with DeadlockDetection::all_clients. `instance`: which process it is, where hosts share a name and pids repeat.
  std::string instance;
  bool bound = false;    // only that thread can give the lock back: it was taken with lock(), not as a Lease
  bool endless = false;  // it was asked for without a deadline, so nothing but the lock ends the wait
  std::string program;   // ClientOptions::program
  std::string purpose;   // ClientOptions::purpose
  std::string trace;     // the request that it was taken for: TraceContext (handlers.h)
  std::chrono::system_clock::time_point since;

  // The text above.
  std::string to_text() const;
  // Never throws: tickets of other libraries carry anything, such as an IP, nothing, or binary data. Text that is not a card gives an
  // address alone (the printable characters up to the first blank).
  static Card parse(std::string_view text);
  // "billing (pid 812) on web1", for messages.
  std::string to_string() const;
};

}  // namespace holdfast
