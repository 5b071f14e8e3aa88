// guarded.h -- a program whose exceptions become one line and exit code 1.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace holdfast::bench {

inline int guarded(int (*program)(int, char**), int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace holdfast::bench
