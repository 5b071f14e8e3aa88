// server_command.h -- `holdfast server` as a child of a test.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing {

// For a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kPatience{60};

class Server {
 public:
  // `wrapper` is a command that becomes the server: it gets the server's command line behind its own.
  explicit Server(std::vector<std::string> arguments, std::vector<std::pair<std::string, std::string>> env = {},
                  std::vector<std::string> wrapper = {})
      : process_(options(std::move(arguments), std::move(env), std::move(wrapper), dir_ / "stderr")) {}

  // The line that says it serves; the port is in port() from then on.
  std::string serves() {
    const auto line = process_.read_line(kPatience).value_or("no line; on stderr: " + errors());
    std::smatch found;
    if (std::regex_search(line, found, std::regex("serving on [^ ]*:([0-9]+)"))) {
      port_ = static_cast<std::uint16_t>(std::stoul(found[1]));
    }
    return line;
  }
  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  std::string errors() const {
    std::ifstream file(dir_ / "stderr");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool says(const std::string& text) const {
    return eventually(kPatience, [&] { return errors().find(text) != std::string::npos; });
  }
  Process& process() { return process_; }
  std::optional<int> exit_code() { return process_.wait(kPatience); }

 private:
  static ProcessOptions options(std::vector<std::string> arguments,
                                std::vector<std::pair<std::string, std::string>> env, std::vector<std::string> wrapper,
                                const std::filesystem::path& stderr_file) {
    arguments.insert(arguments.begin(), {HOLDFAST_COMMAND, "server"});
    arguments.insert(arguments.begin(), wrapper.begin(), wrapper.end());
    return {.argv = std::move(arguments), .env = std::move(env), .stderr_file = stderr_file};
  }

  TempDir dir_{"server"};
  Process process_;
  std::uint16_t port_ = 0;
};

inline const std::vector<std::string> kAnyPort{"--listen", "127.0.0.1:0"};

inline std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace holdfast::testing
