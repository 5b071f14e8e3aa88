// directory_ledger.h -- what one writer did to its directory, and so what has to be there after a crash.
//
//   sent() --> under way --> acknowledged(): part of the directory, for ever
//                 |
//                 +--> refused(): never happened
//                 |
//                 +--> check() after a crash: a beginning of what was under way may be there, in the order it was sent;
//                      never a later one without those before it, never half a write
//
// Nobody else may write to the directory: then everything about it is known beforehand, down to versions and sequence
// numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "session_client.h"

namespace holdfast::testing::crash {

struct Create {
  std::string path;
  std::string data;
  std::int64_t owner = 0;  // a session; 0: nobody's
};
struct Set {
  std::string path;
  std::string data;
};
struct Remove {
  std::string path;
};
// Its nodes go with it.
struct EndSession {
  std::int64_t session = 0;
};
using Step = std::variant<Create, Set, Remove, EndSession>;
// Together or not at all.
using Write = std::vector<Step>;

struct Expected {
  std::string data;
  std::int64_t czxid = 0;  // 0: not known, as it was never answered
  std::int64_t mzxid = 0;
  std::int32_t version = 0;
  std::int64_t owner = 0;
};

struct Contents {
  std::map<std::string, Expected> nodes{};
  std::int32_t creations = 0;  // ever; the next sequence number
};

class DirectoryLedger {
 public:
  void sent(Write write);
  // The oldest that is under way.
  void acknowledged(std::int64_t zxid);
  // The oldest that is under way.
  void refused();
  // If all that is under way succeeds.
  const Contents& ahead() const { return ahead_; }
  // The highest that was acknowledged.
  std::int64_t zxid() const { return zxid_; }

  // Everybody's writes before a restart had at most this one: the next ones have more.
  void restarted(std::int64_t zxid) { floor_ = zxid; }

  // Against what a server shows once nothing is sent any more. What is there of the writes under way counts as
  // acknowledged from now on, the rest as never sent. One sentence for each thing that is wrong, also with zxids since
  // the last time.
  std::vector<std::string> check(const asking::Directory& seen);

 private:
  Contents safe_{};
  Contents ahead_{};
  std::deque<Write> under_way_{};
  std::int64_t zxid_ = 0;
  std::int64_t floor_ = 0;
  std::vector<std::string> complaints_{};
};

}  // namespace holdfast::testing::crash
