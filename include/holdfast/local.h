// local.h -- the engine of this user: what the URL `local:` means.
//
// One per user and machine, started by itself on first use and ended by itself when nobody has used it for a while. Clients need
// none of this: Client::connect("local:") finds it, starts it, and comes back to it after it was killed. It listens on loopback, on a
// port of the kernel's choice, and refuses every request without a secret that is new with every start and that only this user can
// read. Its state is in $XDG_STATE_HOME/holdfast (~/.local/state/holdfast):
//
//   engine        where it is, and the secret. Locked by the engine as long as it lives: without the lock it is of the past
//   engine.log    what it had to say
//   data/         nodes and sessions (durability `process`), so that a lock outlives the engine that kept it
//
// A directory that another user owns or can write to is refused.
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
  std::string address;  // "127.0.0.1:40321"
  Auth auth;            // without it every request is refused
  int pid = 0;
  std::string directory{};  // of its state
  std::string data_dir{};
  std::string log_file{};
  std::chrono::system_clock::time_point since{};
};

// $XDG_STATE_HOME/holdfast, else below the home directory. Throws Error(invalid_argument) if there is neither.
std::string local_directory();

// The one that runs; nothing if none does. Reads a file, asks nobody. Throws Error(refused): the directory is not safe, or the
// engine in it is one of another machine or container.
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
  // From whoever started it; -1: nobody waits. It leaves them behind and runs on in the background.
  int ready_fd = -1;       // is told "ready", or what went wrong
  int start_lock_fd = -1;  // closed once it serves: others may look again
};
void serve_local_engine(const ServeLocalOptions& options);

}  // namespace holdfast
