// history.h -- everything that happened in a run, one JSON object per line, in the order in which the driver saw it.
//
//   t_ms   when the driver saw it          at_ms   when it happened, by the client itself
//   who    "driver", or a client "c0" ...  life    which process of that client, from 1
//
//   what        who      and
//   run         driver   seed, seconds, clients, session_ms, service: the first line
//   fault       driver   fault, client (but for server_restart), for_ms
//   fault_over  driver   fault, client
//   started     client   pid
//   asked       client   at_ms, within_ms if it will not wait for ever
//   granted     client   token, at_ms, valid_until_ms
//   timed_out   client   at_ms
//   failed      client   at_ms, message
//   write       client   op (begin, put, end), n, token, at_ms, valid_until_ms, late (did not look whether it still
//                        holds), admitted
//   lost        client   token, at_ms
//   gave_up     client   token, at_ms: the section ends here, because the hold was lost or a write refused
//   released    client   token, at_ms (when it began to), error (empty if there was none)
//   closed      client   in good order
//   ended       client   status, as shells have it
//   stuck       client   had to be killed at the end, because it did not finish
//   healed      driver   no fault from here on; every client asks once more
//   left        driver   nodes: what is in the queue after everybody has gone
//   over        driver   the last line
//
// Times are milliseconds since the start of the run on CLOCK_BOOTTIME, which all processes of a machine share: times
// of different clients may be compared.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "holdfast/clock.h"

namespace holdfast::testing {

using Json = nlohmann::ordered_json;  // lines begin with what matters most to the reader

// Never rounded up, so that an order of two moments is never turned around.
double ms_between(Clock::time_point start, Clock::time_point when);

// Thread safe.
class History {
 public:
  // Throws std::runtime_error if the file cannot be written.
  History(const std::filesystem::path& file, Clock::time_point start);

  // Puts t_ms and `who` before the members of `entry`.
  void add(const std::string& who, const Json& entry);

 private:
  const Clock::time_point start_;
  std::mutex guard_;
  std::ofstream file_;
};

struct HistoryLine {
  std::size_t number = 0;  // from 1
  std::string text{};
  Json entry{};  // an object, or null if the text is none
};

std::vector<HistoryLine> read_history(std::istream& from);

}  // namespace holdfast::testing
