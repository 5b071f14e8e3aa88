// thread.h -- a thread of the library, with a name for an operator with ps or gdb, and with the program's signals blocked.
#pragma once

#include <functional>
#include <thread>

namespace holdfast::base {

// `name` is a literal of at most 15 characters that begins with "hf-". All signals are blocked in the thread, except those that a fault of
// its own raises: a program that waits for SIGTERM in one place must not be killed through a thread that it does not know.
std::thread start_thread(const char* name, std::function<void()> run);

}  // namespace holdfast::base
