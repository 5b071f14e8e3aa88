// script.h -- what is sent to both servers: made from a seed, the same bytes for each.
//
// A script plays in a few slots, each with one session at a time. Everything in it is relative, so that it fits any
// server: paths lie below a root that the player renames for every play, and zxids are "none" or "the newest seen".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "raw_client.h"

namespace holdfast::testing {

// The node that everything lies in, without its slash. The player replaces it in payloads by a name of the same length.
inline constexpr std::string_view kRoot = "b2b-00000";

struct Call {
  std::int32_t op = 0;
  std::string payload{};
  std::string text{};  // the request in words
  // Requests are numbered by the player; a client may use other numbers.
  std::optional<std::int32_t> xid{};
  // Where in the payload eight bytes are to be overwritten by the newest zxid that was seen.
  std::optional<std::size_t> newest_zxid_at{};
};

enum class Identity {
  fresh,           // a new session; the old one of the slot is closed before
  own,             // the slot's session moves to a new connection
  wrong_password,  // refused; then as `own`
  unknown,         // refused: nobody has this session. The slot stays as it is, as in all that follow.
  ahead,           // of a client that has seen a future zxid
  malformed,       // the bytes in `handshake_bytes`
};

struct Step {
  std::size_t slot = 0;
  // Sent in one write. Empty: a handshake.
  std::vector<Call> calls{};
  Identity identity = Identity::fresh;
  std::int32_t timeout = 30'000;
  std::optional<bool> read_only = false;
  std::string handshake_bytes{};
  std::string text{};
};

struct ScriptOptions {
  std::uint64_t seed = 1;
  std::size_t steps = 200;
  // Several requests in one write, instead of one at a time.
  bool pipelined = false;
};

inline constexpr std::size_t kSlots = 4;

// Sets the text of a step with calls.
void describe(Step& step);

// The first step makes the root.
std::vector<Step> make_script(const ScriptOptions& options);

}  // namespace holdfast::testing
