// subject.h -- which lock an object stands for.
#pragma once

#include <string>
#include <vector>

#include "holdfast/inspect.h"

namespace holdfast::lock {

struct Subject {
  std::vector<std::string> names;  // of a multi-lock, more than one; without the name space
  std::string path;                // of the first, on the service
  LockMode mode = LockMode::exclusive;
};

}  // namespace holdfast::lock
