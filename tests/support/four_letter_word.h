// four_letter_word.h -- ZooKeeper's plain-text questions, and reading the answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::testing {

using SessionId = std::uint64_t;

// The whole answer of 127.0.0.1:port to `word` (ruok, srvr, wchs, wchp, wchc, dump, cons, mntr ...).
// Throws std::runtime_error if there is none in time: refused, or a server that is paused.
std::string ask(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout = std::chrono::seconds{2});

// As ask(), but an empty string instead of an exception.
std::string ask_or_nothing(std::uint16_t port, std::string_view word,
                           std::chrono::milliseconds timeout = std::chrono::seconds{2});

// "leader", "follower", "standalone" out of an answer to srvr; empty while the server does not serve.
std::string parse_mode(std::string_view srvr);

// Path -> sessions that watch it, out of an answer to wchp or wchc. ZooKeeper tells of watches on data only there; those on
// children are counted in mntr, and named nowhere.
std::map<std::string, std::set<SessionId>> parse_watches(std::string_view wchp_or_wchc);

// Session -> its ephemeral nodes, out of an answer to dump (asked of a leader or a standalone server).
std::map<SessionId, std::set<std::string>> parse_ephemerals(std::string_view dump);

// Key -> value out of an answer to mntr, for example "zk_watch_count".
std::map<std::string, std::string> parse_mntr(std::string_view mntr);

}  // namespace holdfast::testing
