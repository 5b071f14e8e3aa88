// disk_round.h -- the whole engine on a disk that fails on command: one life, the next, and a ledger of both.
//
// Every write is one of three: acknowledged, refused, or unknown, when the connection was closed. It expects by gtest.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "directory_ledger.h"
#include "server/runtime.h"
#include "session_client.h"
#include "support/simulated_disk.h"

namespace holdfast::testing::asking {

// An engine whose log is in doubt tries once a second to find out.
inline constexpr std::chrono::milliseconds kSoon{20'000};
// Of a session that outlives every round, and of one that ends in between.
inline constexpr std::chrono::milliseconds kLong{60'000};
inline constexpr std::chrono::milliseconds kShort{200};

class DiskRound {
 public:
  explicit DiskRound(std::uint64_t seed) : disk_(seed) { start(); }

  SimulatedDisk& disk() { return disk_; }

  // Refused and unknown ones included.
  void write_all();

  // Until there are only `room` bytes left; what the log had taken beforehand and gives back is taken away as well.
  void fill_up(std::uint64_t room);

  // All of it refused, all of it read.
  void write_in_vain();

  // The connection is closed, and nobody is let in.
  void expect_silence();

  std::uint16_t port() const { return port_; }
  SessionClient& client() { return connected(); }

  // A write succeeds without a new start.
  void expect_recovery();

  // In good order, as far as the disk lets it.
  void stop();

  void crash_and_look();

  std::size_t refused() const { return refused_; }
  std::size_t unknown() const { return unknown_; }

 private:
  void start();

  // There may be nobody for a while: an engine that does not know what is in its log talks to nobody.
  SessionClient& connected();

  void write(const Ask& ask, const crash::Write& write);

  void write_large(const std::string& name);

  void look(const std::string& when);

  SimulatedDisk disk_;
  std::unique_ptr<server::Runtime> runtime_;
  std::uint16_t port_ = 0;
  std::unique_ptr<SessionClient> client_;
  Who who_{.timeout = kLong};
  bool made_ = false;
  crash::DirectoryLedger ledger_;
  std::size_t acknowledged_ = 0;
  std::size_t refused_ = 0;
  std::size_t unknown_ = 0;
};

}  // namespace holdfast::testing::asking
