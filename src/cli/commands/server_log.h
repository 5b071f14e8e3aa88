// server_log.h -- where `holdfast server` writes what happens, one line each:
//
//   2026-11-18T00:43:37.123Z warning 10.0.0.1:40312 failed to log in as "orders"
//
// Time in UTC, level (info, warning, error, critical), text. What the library logs goes here, too.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/config/setting_value.h"

namespace spdlog {
class logger;
}

namespace holdfast::cli {

class LogFile;

// Make it before the library is used; there is one in a process.
class ServerLog {
 public:
  // To stderr if `file` is empty. Else to its end; made if it is not there, readable by its owner and group only.
  static Parsed<ServerLog> open(const std::string& file);
  ~ServerLog();
  ServerLog(ServerLog&&) noexcept;
  ServerLog& operator=(ServerLog&&) = delete;

  void info(std::string_view line);
  void warning(std::string_view line);
  void error(std::string_view line);

  // After the file was renamed (logrotate): a new one is begun. If that fails, goes on with the old one and says so.
  void reopen();

  bool to_file() const { return file_ != nullptr; }
  // A line as it would be written now, without its end: for what is said elsewhere in the same format.
  static std::string formatted(std::string_view level, std::string_view line);

 private:
  ServerLog(std::shared_ptr<spdlog::logger> logger, std::shared_ptr<LogFile> file);

  std::shared_ptr<spdlog::logger> logger_;
  std::shared_ptr<LogFile> file_;
};

}  // namespace holdfast::cli
