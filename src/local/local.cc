// local.cc -- the functions of holdfast/local.h.
#include "holdfast/local.h"

#include <algorithm>

#include "holdfast/error.h"
#include "local/announcement.h"
#include "local/control.h"
#include "local/end.h"
#include "local/start.h"

namespace holdfast {
namespace {

// An engine that has not started or ended after a day never will; and a longer time might overflow.
std::chrono::milliseconds bounded(std::chrono::milliseconds time) {
  return std::clamp<std::chrono::milliseconds>(time, std::chrono::milliseconds(0), std::chrono::hours(24));
}

local::FoundPtr found_or_throw() {
  auto found = local::find();
  if (!found) throw Error(Errc::refused, found.error());
  return *std::move(found);
}

}  // namespace

std::string local_directory() {
  auto path = local::state_path();
  if (!path) throw Error(Errc::invalid_argument, path.error());
  return *std::move(path);
}

std::optional<LocalEngine> find_local_engine() {
  const auto found = found_or_throw();
  if (!found) return std::nullopt;
  return found->engine();
}

LocalEngine start_local_engine(std::chrono::milliseconds within) {
  const auto found = local::find_or_start(std::chrono::steady_clock::now() + bounded(within));
  if (!found) throw Error(found.error().code, found.error().sentence);
  return (*found)->engine();
}

void set_local_command(std::string path) { local::set_command(std::move(path)); }

std::size_t local_sessions() {
  const auto directory = local::open_state_directory(local::Missing::leave);
  if (!directory) throw Error(Errc::refused, directory.error());
  if (!directory->fd) throw Error(Errc::not_connected, "there is no local engine");
  const auto sessions = local::ask_for_sessions(*directory);
  if (!sessions) throw Error(Errc::not_connected, sessions.error());
  return *sessions;
}

bool stop_local_engine(std::chrono::milliseconds within) {
  const auto found = found_or_throw();
  if (!found) return false;
  const auto ended = local::end_engine(*found, std::chrono::steady_clock::now() + bounded(within));
  if (!ended) throw Error(ended.error().code, ended.error().sentence);
  return *ended;
}

}  // namespace holdfast
