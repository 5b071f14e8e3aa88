#include "cli/commands/server_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/descriptor.h"

namespace holdfast::cli {
namespace {

constexpr const char* kPattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";

base::Descriptor open_to_append(const std::string& path) {
  return base::Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
}

std::string why() { return std::generic_category().message(errno); }

}  // namespace

// Whole lines by write(2), so that a line is there when the process is killed right after it.
class LogFile final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  LogFile(std::string path, base::Descriptor descriptor) : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  // Empty: done.
  std::string reopen() {
    const std::lock_guard lock(mutex_);
    auto fresh = open_to_append(path_);
    if (!fresh) return fmt::format("cannot open the log {} again: {}; the old file is written to still", path_, why());
    descriptor_ = std::move(fresh);
    return {};
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // A full disk must not stop the server.
    (void)base::write_all(descriptor_.get(), {line.data(), line.size()});
  }
  void flush_() override {}

 private:
  std::string path_;
  base::Descriptor descriptor_;
};

Parsed<ServerLog> ServerLog::open(const std::string& file) {
  std::shared_ptr<LogFile> ours;
  std::shared_ptr<spdlog::sinks::sink> sink;
  if (file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    auto descriptor = open_to_append(file);
    if (!descriptor) return tl::unexpected(fmt::format("cannot write the log {}: {}", file, why()));
    sink = ours = std::make_shared<LogFile>(file, std::move(descriptor));
  }
  auto logger = std::make_shared<spdlog::logger>("holdfast", std::move(sink));
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(kPattern, spdlog::pattern_time_type::utc));
  logger->set_level(spdlog::level::info);
  logger->flush_on(spdlog::level::info);
  spdlog::drop("holdfast");
  spdlog::register_logger(logger);
  return ServerLog(std::move(logger), std::move(ours));
}

ServerLog::ServerLog(std::shared_ptr<spdlog::logger> logger, std::shared_ptr<LogFile> file)
    : logger_(std::move(logger)), file_(std::move(file)) {}
ServerLog::~ServerLog() = default;
ServerLog::ServerLog(ServerLog&&) noexcept = default;

void ServerLog::info(std::string_view line) { logger_->info("{}", line); }
void ServerLog::warning(std::string_view line) { logger_->warn("{}", line); }
void ServerLog::error(std::string_view line) { logger_->error("{}", line); }

void ServerLog::reopen() {
  if (!file_)
    return info(
        "SIGHUP: the log goes to stderr, there is no file to open again (settings are read once, at the start)");
  const auto trouble = file_->reopen();
  if (!trouble.empty()) return error(trouble);
  info("SIGHUP: the log was opened again");
}

std::string ServerLog::formatted(std::string_view level, std::string_view line) {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} {}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                     milliseconds, level, line);
}

}  // namespace holdfast::cli
