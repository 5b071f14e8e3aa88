#include "zookeeper_server.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "eventually.h"
#include "server_command.h"

namespace holdfast::testing {
namespace {

// Losing the race for a port this often is no accident.
constexpr int kPortAttempts = 5;
// An orderly end takes milliseconds; after this it is no longer asked but killed.
constexpr std::chrono::milliseconds kStopTimeout{10'000};
// A server that does not answer in this time counts as not serving.
constexpr std::chrono::milliseconds kPatience{1'000};
constexpr std::chrono::milliseconds kLeastPatience{50};
constexpr std::size_t kLogTail = 4'000;

// As the two makes log it, each with its own capitals.
bool tells_of_taken_port(std::string_view log) {
  constexpr std::string_view kComplaint = "address already in use";
  return std::search(log.begin(), log.end(), kComplaint.begin(), kComplaint.end(), [](char theirs, char ours) {
           return std::tolower(static_cast<unsigned char>(theirs)) == ours;
         }) != log.end();
}

}  // namespace

ZooKeeperServer::ZooKeeperServer(ZooKeeperOptions options) : options_(std::move(options)) {
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

ZooKeeperServer::ZooKeeperServer(ZooKeeperOptions options, QuorumMember member)
    : options_(std::move(options)), member_(std::move(member)), port_(member_->client_port) {
  write_config();
  start();
}

void ZooKeeperServer::write_config() const {
  std::filesystem::create_directories(dir_ / "data");
  if (member_) std::ofstream(dir_ / "data" / "myid") << member_->id << '\n';
  std::ofstream config(dir_ / "zoo.cfg");
  config << server_config(options_, member_, port_, dir_ / "data");
  if (!config.flush()) throw std::runtime_error("cannot write " + (dir_ / "zoo.cfg").string());
}

void ZooKeeperServer::start() {
  process_ = std::make_unique<Process>(ProcessOptions{.argv = server_command(options_, dir_ / "zoo.cfg"),
                                                      .working_dir = dir_.path(),
                                                      .stdout_file = dir_ / "log",
                                                      .stderr_file = dir_ / "log"});
}

std::string ZooKeeperServer::address() const { return fmt::format("127.0.0.1:{}", port_); }

pid_t ZooKeeperServer::pid() const {
  if (!process_) throw std::logic_error("ZooKeeper is down");
  return process_->pid();
}

void ZooKeeperServer::stop() {
  if (!process_) return;
  process_->signal(SIGTERM);
  process_->resume();  // in case it is paused; a stopped process does not see SIGTERM
  (void)process_->wait(kStopTimeout);
  kill();
}

void ZooKeeperServer::kill() {
  process_.reset();  // SIGKILL and reaps
}

void ZooKeeperServer::pause() {
  if (process_) process_->pause();
}

void ZooKeeperServer::resume() {
  if (process_) process_->resume();
}

void ZooKeeperServer::restart() {
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  for (;;) {
    kill();
    start();
    if (member_) return;
    try {
      wait_until_serving();
      return;
    } catch (const PortTaken&) {
      // Whoever has it got it while we were down; the address is what clients know, so wait for it.
      if (std::chrono::steady_clock::now() >= deadline) throw;
    }
  }
}

void ZooKeeperServer::wait_until_serving(std::chrono::milliseconds timeout) {
  if (!process_) throw std::logic_error("ZooKeeper is down");
  // A question that comes between binding the port and loading the data is never answered (ZooKeeper trips over
  // its own missing database). So patience grows with the time it took so far: short at first, long enough for a
  // starved machine later.
  const auto start = std::chrono::steady_clock::now();
  const bool up = eventually(timeout, [&] {
    const auto elapsed = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    return !mode_within(std::clamp(elapsed / 4, kLeastPatience, kPatience)).empty() || !process_->running();
  });
  // The exit counts more than an answer: with the port taken, another server may have given that.
  if (up && process_->running()) return;
  const std::string log = log_tail();
  const std::string what = fmt::format("ZooKeeper on port {} {}. Its log ends:\n{}", port_,
                                       up ? "ended" : fmt::format("does not serve after {} ms", timeout.count()), log);
  if (tells_of_taken_port(log)) throw PortTaken(what);
  throw std::runtime_error(what);
}

bool ZooKeeperServer::serving() const { return !mode().empty(); }

std::string ZooKeeperServer::mode() const { return mode_within(kPatience); }

std::string ZooKeeperServer::mode_within(std::chrono::milliseconds patience) const {
  return parse_mode(ask_or_nothing(port_, "srvr", patience));
}

std::map<std::string, std::set<SessionId>> ZooKeeperServer::watches() const {
  // The nodes first: one that goes meanwhile takes its watches along.
  const auto nodes = parse_ephemerals(four_letter_word("dump"));
  auto found = parse_watches(four_letter_word("wchp"));
  for (const auto& [session, paths] : nodes) {
    for (const auto& path : paths) {
      const auto watched = found.find(path);
      if (watched == found.end()) continue;
      watched->second.erase(session);
      if (watched->second.empty()) found.erase(watched);
    }
  }
  return found;
}

std::size_t ZooKeeperServer::own_watch_count() const {
  const auto count = [](const auto& watches) {
    std::size_t all = 0;
    for (const auto& [path, sessions] : watches) all += sessions.size();
    return all;
  };
  const auto others = watches();
  const auto all = count(parse_watches(four_letter_word("wchp")));
  return all - std::min(all, count(others));
}

std::size_t ZooKeeperServer::watch_count() const {
  const auto own = own_watch_count();
  const auto all = std::stoul(parse_mntr(four_letter_word("mntr")).at("zk_watch_count"));
  return all - std::min<std::size_t>(all, own);
}

std::string ZooKeeperServer::log_tail() const {
  std::ifstream file(dir_ / "log", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.size() <= kLogTail ? text : text.substr(text.size() - kLogTail);
}

}  // namespace holdfast::testing
