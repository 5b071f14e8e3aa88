// worker.h -- one of the processes that the demonstration starts: takes the lock, writes, gives it back, until it is told to
// stop. What it says and hears is in cli/demo/message.h.
#pragma once

#include <string>

#include "cli/config/service.h"

namespace holdfast::cli::demo {

// What a worker reads from its stdin before anything else: which lock, where. Not by its arguments, which every user can see.
std::string to_orders(const ServiceSettings& settings, const std::string& lock);

// The life of the worker `who`; returns its exit code. It dies with the process that started it, `parent`.
int work(const std::string& who, int parent);

}  // namespace holdfast::cli::demo
