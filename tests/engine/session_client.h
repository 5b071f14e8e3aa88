// session_client.h -- one session, spoken byte by byte: nothing is sent that was not asked for, not even a ping.
//
// One thread. Events are kept aside in the order they came, with the number of replies that had come before.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "raw_client.h"
#include "requests.h"

namespace holdfast::testing::asking {

// By which a session is resumed.
struct Who {
  std::int64_t session = 0;  // 0: a new one
  std::string password = std::string(16, '\0');
  std::int64_t last_zxid = 0;
  std::chrono::milliseconds timeout{30'000};
};

struct Answer {
  RawClient::Outcome outcome = RawClient::Outcome::silence;
  std::int32_t xid = 0;
  std::int64_t zxid = 0;
  std::int32_t err = 0;
  std::string body{};

  bool came() const { return outcome == RawClient::Outcome::frame; }
  bool ok() const { return came() && err == 0; }
  bool closed() const { return outcome == RawClient::Outcome::closed; }
};

struct Notice {
  std::int32_t type = 0;
  std::string path{};
  friend bool operator==(const Notice&, const Notice&) = default;
};

inline constexpr std::int32_t kNodeDeleted = 2;

class SessionClient {
 public:
  // Connects and shakes hands. Throws std::system_error if nobody listens.
  SessionClient(std::uint16_t port, const Who& who);
  explicit SessionClient(std::uint16_t port) : SessionClient(port, Who{}) {}

  // What the server said to the handshake; nothing if it closed the connection without a word.
  const std::optional<HandshakeReply>& greeting() const { return greeting_; }
  bool accepted() const { return greeting_ && greeting_->session != 0; }
  std::int64_t session() const { return greeting_ ? greeting_->session : 0; }
  // To resume this session with.
  Who who() const;
  // The highest that any reply carried.
  std::int64_t zxid() const { return zxid_; }

  // The number by which its answer will be known.
  std::int32_t send(const Ask& ask);
  // The next reply.
  Answer receive(std::chrono::milliseconds patience = RawClient::kPatience);
  Answer call(const Ask& ask);
  // Many at once, then all their answers; fewer if the connection ends.
  std::vector<Answer> call_all(const std::vector<Ask>& asks);

  // Those that came while replies were waited for.
  std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }
  // The next one, whether it came already or not.
  std::optional<Notice> wait_for_notice(std::chrono::milliseconds patience);
  // The server has closed the connection, in the time given. Replies that come before are thrown away.
  bool ends_within(std::chrono::milliseconds patience);

  RawClient& raw() { return raw_; }
  const RawClient& raw() const { return raw_; }

 private:
  Answer take(RawClient::Received received);

  RawClient raw_;
  std::optional<HandshakeReply> greeting_;
  std::chrono::milliseconds timeout_;
  std::int64_t zxid_ = 0;
  std::int32_t last_xid_ = 0;
  std::vector<Notice> notices_;
};

// A directory itself, and what its nodes hold. Throws std::runtime_error if that cannot be read.
struct Directory {
  Node self{};
  std::map<std::string, Node> nodes{};  // by whole path
};
Directory read_directory(SessionClient& client, const std::string& path);

}  // namespace holdfast::testing::asking
