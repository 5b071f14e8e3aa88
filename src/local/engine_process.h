// engine_process.h -- which process is the local engine, for a caller that ends processes and must not end that one.
#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::local {

// The name of an engine in the background (/proc/PID/comm). Any process can take this name.
inline constexpr auto kEngineProcessName = "holdfast-engine";

// Whether this process is the engine of that state directory: it has locked the announcement there (announcement.h), which no other user can have
// made. A few system calls; as slow as the file system of the directory.
bool is_engine_of(const std::string& state_directory, pid_t pid);

}  // namespace holdfast::local
