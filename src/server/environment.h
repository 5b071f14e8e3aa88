// environment.h -- what the process knows of itself and of the machine it runs on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::server {

// Key and value, in the order in which ZooKeeper answers envi.
std::vector<std::pair<std::string, std::string>> environment();

// Descriptors: how many are open, and how many may be. -1: the kernel does not say.
std::int64_t open_file_descriptors();
std::int64_t max_file_descriptors();

}  // namespace holdfast::server
