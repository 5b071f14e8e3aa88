// redis_server.h -- one real Redis, started and broken on demand.
//
// The server is Debian's package `redis-server`, run in a temporary directory on a loopback port of its own. It can also be a Sentinel, which is
// the same program.
//
//              stop()/kill()   pause()     resume()    restart()
//   serving    -> down         -> paused   nothing     -> serving, same port
//   paused     -> down         nothing     -> serving  -> serving, same port
//   down       nothing         nothing     nothing     -> serving, same port
//
// Start servers from a thread that outlives them (see process.h). One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "free_port.h"
#include "process.h"
#include "temp_dir.h"

namespace holdfast::testing {

// What is left of the data after kill() and restart().
enum class RedisKeeps {
  nothing,  // no persistence at all
  all,      // append-only file, synced before each reply
};

struct RedisOptions {
  RedisKeeps keeps = RedisKeeps::nothing;
  bool sentinel = false;        // config_lines then say what it watches
  bool settable_clock = false;  // see set_clock()
  // Added at the end of redis.conf, one line each.
  std::vector<std::string> config_lines{};
};

class RedisServer {
 public:
  // Returns once it serves; throws std::runtime_error with the end of its log if it does not.
  explicit RedisServer(RedisOptions options = {});

  std::uint16_t port() const noexcept { return port_; }
  std::string address() const;  // "127.0.0.1:port"
  pid_t pid() const;            // throws std::logic_error while down

  void stop();   // SIGTERM and waits: the orderly way down
  void kill();   // SIGKILL and waits
  void pause();  // SIGSTOP: sockets stay open, nobody answers
  void resume();
  void restart();  // kill() unless already down, start, wait until it serves

  // There is a process, paused or not.
  bool up() const noexcept { return process_ != nullptr; }
  bool serving() const;  // answers PING, within a second

  // The answer to commands in Redis's inline form ("SET a 1"), as it is on the wire. Throws std::runtime_error if there
  // is none in time.
  std::string ask(std::string_view command) const;

  // Every command that changed data since the server was new, in order: the append-only file. Scripts are in it as what
  // they did. RedisKeeps::all only.
  std::vector<std::vector<std::string>> changes() const;

  // Sets its wall clock, and no other, by that much ahead of this machine's; less than nothing: behind. RedisOptions::settable_clock only.
  void set_clock(std::chrono::microseconds ahead) const;

  // The end of what the server logged.
  std::string log_tail() const;

  // A start takes milliseconds on an idle machine; this is for a starved one.
  static constexpr std::chrono::milliseconds kStartTimeout{30'000};

 private:
  void write_config() const;
  void start();
  void wait_until_serving();

  RedisOptions options_;
  TempDir dir_{"redis"};
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;  // none while down
};

// A bulk string as it is on the wire, or each of a list of them: "$2\r\nab\r\n" is "ab".
std::vector<std::string> texts_of(std::string_view answer);

}  // namespace holdfast::testing
