// run_command.h -- `holdfast run` as a child of a test, and an engine for it to lock on.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {

// For a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kRunPatience{60};

// Ours, with sessions as short as a test likes. One for all tests of a program.
inline ZooKeeperServer& engine() {
  static ZooKeeperServer server([] {
    ZooKeeperOptions options;
    options.make = ServerMake::engine;
    options.tick_time = std::chrono::milliseconds(100);
    return options;
  }());
  return server;
}

inline std::string engine_url() { return "zk://" + engine().address(); }

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string trimmed_content(const std::filesystem::path& path) {
  std::string text = content(path);
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

// Alive, and no zombie.
inline bool runs(pid_t pid) {
  const std::string stat = content("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.size() > name_end + 2 && stat[name_end + 2] != 'Z' &&
         stat[name_end + 2] != 'X';
}

// The number in a file that somebody is about to write: "<number>\n".
inline pid_t pid_in(const std::filesystem::path& path) {
  if (!eventually(kRunPatience, [&] { return content(path).find('\n') != std::string::npos; })) return 0;
  return static_cast<pid_t>(std::stol(content(path)));
}

class RunCommand {
 public:
  explicit RunCommand(std::vector<std::string> arguments, const std::string& url = engine_url(),
                      std::vector<std::pair<std::string, std::string>> env = {})
      : process_(options(std::move(arguments), url, std::move(env), dir_ / "stderr")) {}

  Process& process() { return process_; }
  pid_t pid() const { return process_.pid(); }
  std::optional<int> exit_code() { return process_.wait(kRunPatience); }
  std::optional<std::string> line() { return process_.read_line(kRunPatience); }
  std::string errors() const { return content(dir_ / "stderr"); }
  bool says(const std::string& text) const {
    return eventually(kRunPatience, [&] { return errors().find(text) != std::string::npos; });
  }
  // The guardian: the wrapper's only child.
  pid_t guardian() const {
    pid_t found = 0;
    const auto task = std::filesystem::path("/proc") / std::to_string(pid()) / "task";
    std::istringstream(content(task / std::to_string(pid()) / "children")) >> found;
    return found;
  }

 private:
  static ProcessOptions options(std::vector<std::string> arguments, const std::string& url,
                                std::vector<std::pair<std::string, std::string>> env,
                                const std::filesystem::path& stderr_file) {
    arguments.insert(arguments.begin(), {HOLDFAST_COMMAND, "run"});
    env.emplace_back("HOLDFAST_URL", url);
    return {.argv = std::move(arguments), .env = std::move(env), .stderr_file = stderr_file};
  }

  TempDir dir_{"run"};
  Process process_;
};

// A name that no other test uses.
inline std::string fresh_name() {
  static int count = 0;
  return "run/" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace holdfast::testing
