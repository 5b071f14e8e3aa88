// engine_process.h -- which process the local engine is, for a caller that ends processes and has to leave that one alone.
#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::local {

// What the kernel calls an engine that was started in the background (/proc/PID/comm). Any process can take this name.
inline constexpr auto kEngineProcessName = "holdfast-engine";

// Whether this process is the engine of that state directory: it has the announcement there locked (announcement.h), and no other user can have put that
// there. A few system calls; as slow as the file system of the directory.
bool is_engine_of(const std::string& state_directory, pid_t pid);

}  // namespace holdfast::local
