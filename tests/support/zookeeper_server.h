// zookeeper_server.h -- one real server, started and broken on demand.
//
// The server is Debian's package `zookeeper`, run as a bare `java`, or `holdfast server`: see ServerMake. It has a
// temporary directory and a loopback port of its own.
//
//              stop()/kill()   pause()     resume()    restart()
//   serving    -> down         -> paused   nothing     -> serving, same port and data
//   paused     -> down         nothing     -> serving  -> serving, same port and data
//   down       nothing         nothing     nothing     -> serving, same port and data
//
// Start servers from a thread that outlives them (see process.h). One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "four_letter_word.h"
#include "free_port.h"
#include "process.h"
#include "temp_dir.h"
#include "zookeeper_options.h"

namespace holdfast::testing {

class ZooKeeperServer {
 public:
  // Standalone. Returns once it serves; throws std::runtime_error with the end of its log if it does not.
  explicit ZooKeeperServer(ZooKeeperOptions options = {});

  // A member of an ensemble. Returns at once, as it cannot serve alone.
  ZooKeeperServer(ZooKeeperOptions options, QuorumMember member);

  std::uint16_t port() const noexcept { return port_; }
  std::string address() const;  // "127.0.0.1:port"
  pid_t pid() const;            // throws std::logic_error while down
  // Where it keeps its nodes; stays the same over restarts.
  std::filesystem::path data() const { return dir_ / "data"; }

  void stop();   // SIGTERM and waits: the orderly way down
  void kill();   // SIGKILL and waits
  void pause();  // SIGSTOP: sockets stay open, nobody answers
  void resume();
  void restart();  // kill() unless already down, start, wait_until_serving() unless a member of an ensemble

  // Throws as the constructor does. A member of an ensemble serves once there is a leader.
  void wait_until_serving(std::chrono::milliseconds timeout = kStartTimeout);
  // There is a process, paused or not.
  bool up() const noexcept { return process_ != nullptr; }
  bool serving() const;      // answers srvr with a mode, within a second
  std::string mode() const;  // "standalone", "leader", "follower"; empty if it does not serve

  // See four_letter_word.h for words and parsers.
  std::string four_letter_word(std::string_view word) const { return ask(port_, word); }
  // On the data of nodes only: ZooKeeper has no word that names the watches on children. Without those of sessions on their own ephemeral
  // nodes, which a lock sets once it has lasted for a heartbeat: they are not about waiting, and come when they come.
  std::map<std::string, std::set<SessionId>> watches() const;
  // Those.
  std::size_t own_watch_count() const;
  // Of both kinds, without those.
  std::size_t watch_count() const;

  // The end of what the server logged.
  std::string log_tail() const;

  // A start of Apache's takes 0.3 s on an idle machine; this is for a starved one.
  static constexpr std::chrono::milliseconds kStartTimeout{30'000};

 private:
  void write_config() const;
  void start();
  std::string mode_within(std::chrono::milliseconds patience) const;

  ZooKeeperOptions options_;
  std::optional<QuorumMember> member_;
  TempDir dir_{"zookeeper"};
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;  // none while down
};

}  // namespace holdfast::testing
