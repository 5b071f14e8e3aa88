// local.h -- the engine of this user: what the URL `local:` means.
//
// There is one per user and machine. The first client starts it; it ends when it has not been used for a while. A client needs nothing of
// this header: Client::connect("local:") finds the engine, starts it if need be, and reconnects after it was killed. It is for programs that
// look after the engine, as `holdfast local` does.
//
// Example:
//
//   const auto engine = holdfast::find_local_engine();
//   if (engine) std::cout << engine->pid << ": " << holdfast::local_sessions() << " sessions\n";
//   holdfast::stop_local_engine(std::chrono::seconds(5));
//
// The engine listens on a Unix socket; each side asks the kernel whether the other is a process of the same user. Its state is in
// .local/state/holdfast in the home directory that the password database has for this user, whatever HOME says, or in $HOLDFAST_STATE_DIR:
//
//   engine          says which process it is. The engine locks it as long as it lives; without that lock it is out of date
//   engine.socket   where it listens
//   engine.log      its log
//   data/           nodes and sessions (durability `process`), so that a lock outlives the engine that kept it
//
// A directory that another user owns, can write to or could replace is refused.
//
// The engine does not inherit what its starter runs under: environment, working directory, limits and priorities are left behind. If it cannot
// get rid of something (hard limits, niceness), the next client that does not have it replaces the engine, and holders keep their locks.
//
// Thread safety: all of these from any thread. They talk to the file system and, where it says so, to the engine; none needs a Client.
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
  std::string held_back{};  // what it could not get rid of, such as "niceness 19"; empty: nothing
};

// The directory above, of this user. Throws Error(invalid_argument): there is no home directory, or HOLDFAST_STATE_DIR makes no sense.
std::string local_directory();

// The engine that runs; nothing if none does. Reads a file and asks no process. Throws Error(refused): the directory is not safe, or the engine
// in it runs on another machine.
std::optional<LocalEngine> find_local_engine();

// The engine that runs or, if none does, a new one, once it serves. If many processes call this at the same time, one engine is started.
// Throws as find_local_engine() does, and not_connected: it does not serve within that time; refused: it cannot be started, and why.
//
// It is started by the command `holdfast`: $HOLDFAST_COMMAND, else the one that set_local_command() names, else the installed one, else the
// one in $PATH.
LocalEngine start_local_engine(std::chrono::milliseconds within);
void set_local_command(std::string path);

// How many sessions the running engine has. Asks it. Throws Error(not_connected) if it does not answer.
std::size_t local_sessions();

// Ends the running engine as Engine::stop() does; sessions and locks stay in data_dir. False if none was running. Throws Error(timed_out) if it
// still runs after that time, and as find_local_engine() does.
bool stop_local_engine(std::chrono::milliseconds within);

// What `holdfast local serve` does: this process becomes the local engine. For a program without other threads. Returns when it is told to end
// (SIGTERM, SIGINT), or when there has been no session for `idle`. Throws Error if it cannot serve.
struct ServeLocalOptions {
  std::chrono::milliseconds idle{std::chrono::minutes(5)};
  // From the process that started this one and waits for it; -1: none does. With them it goes into the background.
  int ready_fd = -1;       // gets "ready", or what went wrong
  int start_lock_fd = -1;  // is closed once the engine serves: other processes may look again
};
void serve_local_engine(const ServeLocalOptions& options);

}  // namespace holdfast
