#include "redis_server.h"

#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "eventually.h"
#include "four_letter_word.h"

namespace holdfast::testing {
namespace {

// Losing the race for a port this often is no accident.
constexpr int kPortAttempts = 5;
// An orderly end takes milliseconds; after this it is no longer asked but killed.
constexpr std::chrono::milliseconds kStopTimeout{10'000};
// A server that does not answer in this time counts as not serving.
constexpr std::chrono::milliseconds kPatience{1'000};
constexpr std::size_t kLogTail = 4'000;

// The end of the connection is the end of the answer. Sentinels know no QUIT; what is not the protocol ends any connection.
struct Ending {
  std::string_view command;
  std::string_view answer;
};
constexpr Ending kQuit{"QUIT\r\n", "+OK\r\n"};
constexpr Ending kNonsense{"*x\r\n", "-ERR Protocol error: invalid multibulk length\r\n"};
const Ending& ending_of(const RedisOptions& options) { return options.sentinel ? kNonsense : kQuit; }

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "<sign><number>\r\n" at `at`, which moves behind it.
std::size_t parse_length(const std::string& bytes, std::size_t& at, char sign) {
  const auto end = bytes.find("\r\n", at);
  if (end == std::string::npos || bytes[at] != sign) {
    throw std::runtime_error(fmt::format("append-only file: no {} at {}", sign, at));
  }
  const auto length = std::stoul(bytes.substr(at + 1, end - at - 1));
  at = end + 2;
  return length;
}

}  // namespace

RedisServer::RedisServer(RedisOptions options) : options_(std::move(options)) {
  if (options_.settable_clock) set_clock({});
  for (int attempt = 1;; ++attempt) {
    port_ = free_port();
    write_config();
    start();
    try {
      wait_until_serving();
      return;
    } catch (const PortTaken&) {
      if (attempt == kPortAttempts) throw;
    }
  }
}

void RedisServer::write_config() const {
  std::ofstream config(dir_ / "redis.conf");
  config << "bind 127.0.0.1\n"
         << "port " << port_ << '\n'
         << "dir " << dir_.path().string() << '\n'
         << "daemonize no\n";
  if (!options_.sentinel) config << "save \"\"\n";
  if (options_.keeps == RedisKeeps::all) {
    // Without rewrites the file is the whole history.
    config << "appendonly yes\nappendfsync always\nauto-aof-rewrite-percentage 0\n";
  }
  for (const std::string& line : options_.config_lines) config << line << '\n';
  if (!config.flush()) throw std::runtime_error("cannot write " + (dir_ / "redis.conf").string());
}

void RedisServer::start() {
  std::vector<std::string> words{"redis-server", (dir_ / "redis.conf").string()};
  if (options_.sentinel) words.emplace_back("--sentinel");
  ProcessOptions process{
      .argv = std::move(words), .working_dir = dir_.path(), .stdout_file = dir_ / "log", .stderr_file = dir_ / "log"};
  if (options_.settable_clock) {
    process.env = {{"LD_PRELOAD", HOLDFAST_WALL_CLOCK_PRELOAD}, {"HOLDFAST_WALL_CLOCK", (dir_ / "clock").string()}};
  }
  process_ = std::make_unique<Process>(process);
}

void RedisServer::set_clock(std::chrono::microseconds ahead) const {
  if (!options_.settable_clock) throw std::logic_error("the clock of this Redis cannot be set");
  const std::int64_t microseconds = ahead.count();
  // In place: the file is mapped there.
  std::fstream file(dir_ / "clock", std::ios::binary | std::ios::in | std::ios::out);
  if (!file) file.open(dir_ / "clock", std::ios::binary | std::ios::out);
  if (!file.write(reinterpret_cast<const char*>(&microseconds), sizeof microseconds).flush()) {
    throw std::runtime_error("cannot write " + (dir_ / "clock").string());
  }
}

std::string RedisServer::address() const { return fmt::format("127.0.0.1:{}", port_); }

pid_t RedisServer::pid() const {
  if (!process_) throw std::logic_error("Redis is down");
  return process_->pid();
}

void RedisServer::stop() {
  if (!process_) return;
  process_->signal(SIGTERM);
  process_->resume();  // in case it is paused; a stopped process does not see SIGTERM
  (void)process_->wait(kStopTimeout);
  kill();
}

void RedisServer::kill() {
  process_.reset();  // SIGKILL and reaps
}

void RedisServer::pause() {
  if (process_) process_->pause();
}

void RedisServer::resume() {
  if (process_) process_->resume();
}

void RedisServer::restart() {
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  for (;;) {
    kill();
    start();
    try {
      wait_until_serving();
      return;
    } catch (const PortTaken&) {
      // Whoever has it got it while we were down; the address is what clients know, so wait for it.
      if (std::chrono::steady_clock::now() >= deadline) throw;
    }
  }
}

void RedisServer::wait_until_serving() {
  const bool up = eventually(kStartTimeout, [&] { return serving() || !process_->running(); });
  // The exit counts more than an answer: with the port taken, another server may have given that.
  if (up && process_->running()) return;
  const std::string log = log_tail();
  const std::string what =
      fmt::format("Redis on port {} {}. Its log ends:\n{}", port_, up ? "ended" : "does not serve", log);
  if (log.find("Address already in use") != std::string::npos) throw PortTaken(what);
  throw std::runtime_error(what);
}

bool RedisServer::serving() const {
  const auto& ending = ending_of(options_);
  return ask_or_nothing(port_, fmt::format("PING\r\n{}", ending.command), kPatience) ==
         fmt::format("+PONG\r\n{}", ending.answer);
}

std::string RedisServer::ask(std::string_view command) const {
  const auto& ending = ending_of(options_);
  std::string answer = testing::ask(port_, fmt::format("{}\r\n{}", command, ending.command));
  if (!answer.ends_with(ending.answer)) throw std::runtime_error("Redis was cut short: " + answer);
  return answer.substr(0, answer.size() - ending.answer.size());
}

std::vector<std::vector<std::string>> RedisServer::changes() const {
  if (options_.keeps != RedisKeeps::all) throw std::logic_error("this Redis keeps no append-only file");
  const std::string bytes = content_of(dir_ / "appendonlydir" / "appendonly.aof.1.incr.aof");
  std::vector<std::vector<std::string>> commands;
  for (std::size_t at = 0; at < bytes.size();) {
    auto& words = commands.emplace_back(parse_length(bytes, at, '*'));
    for (auto& word : words) {
      const auto length = parse_length(bytes, at, '$');
      word = bytes.substr(at, length);
      at += length + 2;
    }
  }
  return commands;
}

std::string RedisServer::log_tail() const {
  const std::string text = content_of(dir_ / "log");
  return text.size() <= kLogTail ? text : text.substr(text.size() - kLogTail);
}

std::vector<std::string> texts_of(std::string_view answer) {
  std::vector<std::string> texts;
  while (!answer.empty()) {
    const auto end = answer.find("\r\n");
    if (end == std::string_view::npos) throw std::runtime_error("Redis was cut short");
    const bool text = answer[0] == '$' && answer[1] != '-';
    const auto length = text ? std::stoul(std::string(answer.substr(1, end - 1))) : 0;
    answer.remove_prefix(end + 2);
    if (!text) continue;
    texts.emplace_back(answer.substr(0, length));
    answer.remove_prefix(length + 2);
  }
  return texts;
}

}  // namespace holdfast::testing
