// thread.h -- a thread of the library: named, for an operator with ps or gdb, and out of the way of the program's signals.
#pragma once

#include <functional>
#include <thread>

namespace holdfast::base {

// `name` is a literal of at most 15 characters that begins with "hf-". All signals are blocked in it except those that a fault of its own
// raises: a program that waits for SIGTERM in one place must not be killed through a thread it does not know.
std::thread start_thread(const char* name, std::function<void()> run);

}  // namespace holdfast::base
