// main.cc -- the `holdfast` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/complaint.h"
#include "cli/commands/leading_options.h"
#include "cli/exit_code.h"
#include "cli/run/run_options.h"
#include "cli/view/output.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace {

// What a service manager knows: 1, it did not start (docs/server.md).
constexpr int kExitServer = 1;
constexpr int kExitInternal = 70;  // sysexits.h: what cannot happen

constexpr auto kName = "holdfast";
constexpr auto kDescription = "A lock that holds across threads, processes and machines.";

// With the program's name, and with options after the command where they stood before it.
std::vector<std::string> command_line(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (argc < 2 || *argv[1] != '-') return words;
  CLI::App app(kDescription, kName);  // of its own: the one that parses must know what stands after "--"
  int ignored = 0;
  holdfast::cli::add_commands(app, ignored, {});
  auto moved = holdfast::cli::options_after_command(app, {words.begin() + 1, words.end()});
  moved.insert(moved.begin(), words.front());
  return moved;
}

// What stdio still holds is written now, while it can be said that it was not. A reader that has gone (`| head`) is no failure.
int finish(int code) {
  errno = 0;
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout;
  if (written || errno == EPIPE) return code;
  // Of a part that was refused before, the reason is not known any more.
  holdfast::cli::tell(
      fmt::format("cannot write to stdout{}{}", errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno)));
  return code == 0 ? holdfast::cli::kExitNo : code;
}

int fail(int code, const char* sentence) {
  holdfast::cli::tell(sentence);
  return code;
}

// A thread that cannot be started wants memory for its stack, too.
std::string sentence(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  const bool no_thread = system != nullptr && system->code() == std::errc::resource_unavailable_try_again;
  if (!no_thread && dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return error.what();
  return "there is not enough memory, or there are too many processes; raise the limits (ulimit -v, ulimit -u, "
         "MemoryMax=)";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace holdfast::cli;
  auto words = command_line(argc, argv);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());

  // Whatever starts the engine of local: starts this very program, even if its file has been replaced meanwhile.
  holdfast::set_local_command("/proc/self/exe");
  CLI::App app(kDescription, kName);
  int exit_code = 0;
  add_commands(app, exit_code, take_command(count, pointers.data()));
  try {
    app.parse(count, pointers.data());
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way, too.
    if (error.get_exit_code() == 0) return finish(app.exit(error));
    return fail(kExitUsage, complaint(app, error).c_str());
  } catch (const holdfast::Error& error) {
    return fail(app.got_subcommand("server") ? kExitServer : exit_code_of(error), error.what());
  } catch (const std::exception& error) {
    return fail(app.got_subcommand("server") ? kExitServer : kExitInternal, sentence(error).c_str());
  }
  return finish(exit_code);
}
