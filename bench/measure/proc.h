// proc.h -- what Linux says of a process and of this machine.
#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::bench {

// User and system time of all its threads so far, in microseconds. Throws std::runtime_error, as the others do.
double cpu_time_of(pid_t process);
// VmRSS, in KiB.
double resident_of(pid_t process);

// Processor, cores, kernel, file system of the temporary directory, load and date: one line each.
void print_machine();

}  // namespace holdfast::bench
