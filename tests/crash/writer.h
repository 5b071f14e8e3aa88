// writer.h -- one client of the crash test: writes into its own directories until the server dies, and keeps books.
//
//   /crash/w0      its nodes: sequential, ephemeral, pairs made by multi, a counter; written in bursts
//   /crash/x0      ephemerals of sessions that it opens beside its own, and closes or leaves to expire
//
// Its own session is resumed in every life of the server, now and then closed and followed by a new one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "dice.h"
#include "directory_ledger.h"
#include "passing_sessions.h"
#include "session_client.h"

namespace holdfast::testing::crash {

// One life of the server, as its writers and the one who ends it share it.
class Life {
 public:
  void acknowledged();
  // False if that many do not come in the time given.
  bool wait_for(std::size_t acknowledged, std::chrono::milliseconds patience);
  // From now on a connection may end.
  void end() { ending_ = true; }
  bool ending() const { return ending_; }
  std::size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t acknowledged_ = 0;
  std::atomic<bool> ending_ = false;
};

class Writer {
 public:
  Writer(std::size_t number, std::uint64_t seed);

  // Makes its directories. Throws std::runtime_error.
  void settle_down(asking::SessionClient& client);
  // Until the connection ends.
  void run(std::uint16_t port, Life& life);

  // Everything of it that the server shows, against everything that was answered. Once the writer has run.
  std::vector<std::string> check(asking::SessionClient& client);

  // The highest zxid that anything was answered with.
  std::int64_t zxid() const { return zxid_; }
  void restarted(std::int64_t zxid) { ledger_.restarted(zxid); }
  const PassingSessions& passing() const { return passing_; }
  std::size_t resumed() const { return resumed_; }

 private:
  struct Errand {
    asking::Ask ask;
    Write write;
    std::string path{};  // that a create answers
  };

  bool enter(asking::SessionClient& client, const Life& life);
  bool burst(asking::SessionClient& client, Life& life);
  bool end_session(asking::SessionClient& client, Life& life);
  void visit(std::uint16_t port, Life& life);
  Errand invent();
  Errand create(const std::string& path, const std::string& data, std::int32_t flags, std::int64_t owner);
  Errand pair();
  void acknowledged(const asking::Answer& answer, const Errand& errand, Life& life);
  std::string unique() { return std::to_string(++last_unique_); }

  const std::string own_;
  const std::string guests_;
  Dice dice_;
  asking::Who who_{};
  bool closing_ = false;  // closeSession was sent and not answered
  DirectoryLedger ledger_{};
  PassingSessions passing_{};
  std::vector<std::string> complaints_{};
  std::uint64_t last_unique_ = 0;
  std::int64_t zxid_ = 0;
  std::size_t resumed_ = 0;
};

}  // namespace holdfast::testing::crash
