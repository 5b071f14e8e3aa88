// local.h -- the engine of this user: what the URL `local:` means.
//
// One per user and machine, started by itself on first use and ended by itself when it has not been used for a while. Clients need
// none of this: Client::connect("local:") finds it, starts it, and comes back to it after it was killed. It listens on a Unix socket, and
// both sides have the kernel say that the other is a process of the same user. Its state is in .local/state/holdfast in the home directory that the
// password database has for this user, whatever HOME says, or in $HOLDFAST_STATE_DIR:
//
//   engine          that it runs. Locked by the engine as long as it lives: without the lock it is of the past
//   engine.socket   where it listens
//   engine.log      what it had to say
//   data/           nodes and sessions (durability `process`), so that a lock outlives the engine that kept it
//
// A directory that another user owns or can write to, or can put another one in the place of, is refused.
//
// What the process that started it works under does not matter: environment, working directory, limits and priorities are left behind. What it may
// not throw off (hard limits, niceness), the next client without them does: it has the engine replaced, and holders keep their locks.
//
// Thread safety: all of these from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "holdfast/client.h"
#include "holdfast/language.h"

namespace holdfast {

struct LocalEngine {
  std::string address;      // the path of its socket
  int pid = 0;              // 0: it runs in another container
  std::string directory{};  // of its state
  std::string data_dir{};
  std::string log_file{};
  std::chrono::system_clock::time_point since{};
  std::string held_back{};  // by what it was started under, "niceness 19"; empty: by nothing
};

// Of this user, see above. Throws Error(invalid_argument): there is no home directory, or HOLDFAST_STATE_DIR makes no sense.
std::string local_directory();

// The one that runs; nothing if none does. Reads a file and asks no process. Throws Error(refused): the directory is not safe, or the
// engine in it is one of another machine.
std::optional<LocalEngine> find_local_engine();

// The one that runs, or a new one, once it serves. However many ask at once, one is started. Throws as above, and not_connected: it does
// not serve within that time; refused: it cannot be started, and why.
//
// It is started by the command `holdfast`: $HOLDFAST_COMMAND, else the one that set_local_command() names, else the installed one, else
// the one in $PATH.
LocalEngine start_local_engine(std::chrono::milliseconds within);
void set_local_command(std::string path);

// How many sessions the one that runs has. Throws Error(not_connected) if it does not answer.
std::size_t local_sessions();

// Ends it in good order: what was received is answered; sessions and locks stay in data_dir. False if none was running. Throws
// Error(timed_out) if it is still there after that time, and as find_local_engine().
bool stop_local_engine(std::chrono::milliseconds within);

// What `holdfast local serve` is: this process becomes the local engine. For a program without other threads. Returns when it was told to
// end (SIGTERM, SIGINT), or when there has been no session for `idle`. Throws Error if it cannot serve.
struct ServeLocalOptions {
  std::chrono::milliseconds idle{std::chrono::minutes(5)};
  // From the process that started it; -1: none waits. It leaves them behind and runs on in the background.
  int ready_fd = -1;       // is told "ready", or what went wrong
  int start_lock_fd = -1;  // closed once it serves: others may look again
};
void serve_local_engine(const ServeLocalOptions& options);

}  // namespace holdfast
