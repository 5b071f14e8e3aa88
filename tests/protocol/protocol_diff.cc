// protocol_diff -- all the ways in which two running servers differ; a tool for those who change one of them.
//
//   protocol_diff LEFT_PORT RIGHT_PORT [FIRST_SEED [SEEDS [STEPS]]]
//
// Both must have been started afresh and alike. Goes on after a difference with the next seed, and shows each kind
// once.
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "back_to_back.h"

int main(int argc, char** argv) {
  using namespace holdfast::testing;
  if (argc < 3) {
    std::fputs("usage: protocol_diff LEFT_PORT RIGHT_PORT [FIRST_SEED [SEEDS [STEPS]]]\n", stderr);
    return 2;
  }
  try {
    const auto number = [&](int at, unsigned long standard) { return argc > at ? std::stoul(argv[at]) : standard; };
    BackToBack servers(static_cast<std::uint16_t>(number(1, 0)), static_cast<std::uint16_t>(number(2, 0)));
    const unsigned long first = number(3, 1);
    const unsigned long seeds = number(4, 100);
    std::map<std::string, int> kinds;
    for (unsigned long seed = first; seed < first + seeds; ++seed) {
      const auto difference = servers.run({.seed = seed, .steps = number(5, 200), .pipelined = seed % 2 == 0});
      if (difference && ++kinds[difference->kind] == 1) std::printf("%s\n", difference->text.c_str());
      std::fflush(stdout);
    }
    for (const auto& [kind, count] : kinds) std::printf("%5d times: %s\n", count, kind.c_str());
    return kinds.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
