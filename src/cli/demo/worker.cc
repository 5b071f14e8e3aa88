#include "cli/demo/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

#include "cli/demo/message.h"
#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast::cli::demo {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBusiness{500};  // long enough to be seen
constexpr milliseconds kReport{100};
// A worker that is late hears of its loss from its own clock, at once. This is for a starved machine.
constexpr std::chrono::seconds kToldWithin{20};

// One write per line, so that lines of two threads do not mix.
void say(const WorkerLine& line) {
  const auto text = to_line(line);
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::system_error(errno, std::generic_category(), "the demonstration does not listen");
  }
}

std::string heard() {
  std::string line;
  if (!std::getline(std::cin, line)) throw Error(Errc::cancelled, "the demonstration has ended");
  return line;
}

std::string ask(const WorkerLine& line) {
  say(line);
  return heard();
}

WorkerLine line_of(Says says, const Lease& lease) { return {says, lease.token(), Clock::now(), lease.valid_until()}; }

// Set by the thread that tells of the loss.
class Told {
 public:
  void set() {
    const std::lock_guard guard(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, kToldWithin, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

void hold(Lease lease) {
  Told told;
  const std::stop_callback on_loss(lease.lost(), [&] {
    try {
      say(line_of(Says::lost, lease));
    } catch (const std::exception&) {
      // The parent reads no more: this process is about to end.
    }
    told.set();
  });
  const auto done = Clock::now() + kBusiness;
  ask(line_of(Says::granted, lease));
  while (Clock::now() < done) {
    std::this_thread::sleep_for(kReport);
    if (lease.is_held()) ask(line_of(Says::holding, lease));
  }
  // Like any program that has checked before and is in the middle of something: it does not look at the lease here.
  ask(line_of(Says::write, lease));
  const auto now = Clock::now();
  if (lease.is_held()) {
    say({Says::released, lease.token(), now, lease.valid_until()});
  } else if (!told.wait()) {
    throw Error(Errc::session_lost, "the lock was lost without notice");
  }
  lease.release();
}

constexpr const char* kVerify = "servers are verified";

struct Orders {
  ServiceSettings settings;
  std::string lock;
};

// Those of TLS, SASL and Redis that are texts.
std::array<std::string*, 12> security_of(ServiceSettings& settings) {
  auto& [ca, certificate, key, server_name, verify] = settings.tls;
  auto& [mechanism, user, password_file, service] = settings.zookeeper.sasl;
  auto& redis = settings.redis;
  return {&ca,
          &certificate,
          &key,
          &server_name,
          &mechanism,
          &user,
          &password_file,
          &service,
          &redis.user,
          &redis.password,
          &redis.sentinel_user,
          &redis.sentinel_password};
}

Orders read_orders() {
  Orders orders;
  orders.lock = heard();
  auto& settings = orders.settings;
  settings.url = heard();
  settings.name_space = heard();
  settings.session_timeout = milliseconds(std::stoll(heard()));
  settings.connect_timeout = milliseconds(std::stoll(heard()));
  for (auto left = std::stoul(heard()); left > 0; --left) {
    auto scheme = heard();
    settings.zookeeper.auth.push_back({std::move(scheme), heard()});
  }
  for (auto* text : security_of(settings)) *text = heard();
  settings.tls.verify = heard() == kVerify;
  return orders;
}

}  // namespace

std::string to_orders(const ServiceSettings& settings, const std::string& lock) {
  auto text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", lock, settings.url, settings.name_space, settings.session_timeout.count(),
                  settings.connect_timeout.count(), settings.zookeeper.auth.size());
  for (const auto& auth : settings.zookeeper.auth) text += fmt::format("{}\n{}\n", auth.scheme, auth.credentials);
  auto copy = settings;
  for (const auto* each : security_of(copy)) text += *each + '\n';
  return text + (settings.tls.verify ? kVerify : "any server is believed") + '\n';
}

int work(const std::string& who, int parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) return 1;  // it died before we asked
  ::signal(SIGPIPE, SIG_IGN);
  try {
    const auto orders = read_orders();
    auto client = connect(orders.settings, {.purpose = "demo worker " + who});
    auto mutex = client.mutex(orders.lock);
    while (ask({.says = Says::ready, .at = Clock::now()}) == kGo) hold(mutex.acquire());
    return 0;
  } catch (const std::exception& error) {
    try {
      say({.says = Says::failed, .at = Clock::now(), .reason = error.what()});
    } catch (const std::exception&) {
      return 1;
    }
    return 1;
  }
}

}  // namespace holdfast::cli::demo
