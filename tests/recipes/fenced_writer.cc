// fenced_writer -- a writer in a process of its own.
//
//   holdfast_fenced_writer <recipe> <target> [journal of renames]
//
//   (start)                    ready
//   write <token> <size>       written | refused
//   stream <token> <size>      writes with this token and all after it, until it is killed: written <token>, each
//   race <seed> <count>        <admitted> <refused> <largest> | wrong <text>
//   record                     recording
//   recorded                   the system calls since, separated by commas
//   die_at <n>                 armed: the next writes end in SIGKILL at system call n
//   end of stdin               exits with 0
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include "race.h"
#include "system_calls.h"

namespace holdfast::testing {
namespace {

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : ",") + word;
  return line;
}

void stream(Store& store, Token first, std::size_t size) {
  // Bounded: a test that forgets to kill ends too.
  constexpr Token kMost = 100'000;
  for (Token token = first; token < first + kMost; ++token) {
    if (store.write(token, text_for(token, size))) say(fmt::format("written {}", token));
  }
}

std::string reply(Store& store, const std::string& command) {
  std::istringstream words(command);
  std::string word;
  words >> word;
  Token token = 0;
  std::size_t size = 0;
  if (word == "write" && words >> token >> size) {
    return store.write(token, text_for(token, size)) ? "written" : "refused";
  }
  if (word == "stream" && words >> token >> size) {
    stream(store, token, size);
    return "end";
  }
  std::uint32_t seed = 0;
  if (word == "race" && words >> seed >> size) return race(store, seed, size).to_line();
  if (word == "record") {
    record_system_calls();
    return "recording";
  }
  if (word == "recorded") return joined(recorded_system_calls());
  int calls = 0;
  if (word == "die_at" && words >> calls) {
    die_at_system_call(calls);
    return "armed";
  }
  return "error unknown command " + command;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  using namespace holdfast::testing;
  try {
    if (argc < 3) throw std::runtime_error("usage: holdfast_fenced_writer RECIPE TARGET [JOURNAL]");
    const auto store = Store::open(argv[1], argv[2]);
    if (argc > 3) keep_journal_of_renames(argv[3]);
    say("ready");
    for (std::string line; std::getline(std::cin, line);) say(reply(*store, line));
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "fenced_writer: {}\n", failure.what());
    return 1;
  }
}
