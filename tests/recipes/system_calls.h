// system_calls.h -- what a program asks of the kernel, recorded and cut short.
//
// The linker sends this program's write, fsync and rename here (--wrap). Calls that libc makes for itself are not seen.
#pragma once

#include <string>
#include <vector>

namespace holdfast::testing {

// From now on. "write PATH", "fsync PATH", "rename FROM TO", by the last parts of the paths.
void record_system_calls();
std::vector<std::string> recorded_system_calls();

// The process kills itself (SIGKILL) instead of doing the n-th call from now, counted from 0. Of a write, half is done.
void die_at_system_call(int n);

// Before a file takes the name of another, its first line goes to the end of `journal`.
void keep_journal_of_renames(const std::string& journal);

}  // namespace holdfast::testing
