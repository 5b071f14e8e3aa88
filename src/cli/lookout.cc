#include "cli/lookout.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

namespace holdfast::cli {
namespace {

using Steady = std::chrono::steady_clock;

// A look costs two round trips per level of names, which nobody should pay more often to watch.
constexpr std::chrono::seconds kPause{1};
// To say goodbye to a service that answers takes milliseconds.
constexpr std::chrono::milliseconds kGoodbye{500};

}  // namespace

Lookout::Lookout(ServiceSettings settings, std::string name)
    : settings_(std::move(settings)), name_(std::move(name)), ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (ready_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { run(); });
}

Lookout::~Lookout() {
  stop();
  if (thread_.joinable()) thread_.join();
  ::close(ready_);
}

void Lookout::run() {
  std::optional<Client> client;
  for (bool first = true;; first = false) {
    const auto begin = Steady::now();
    Look look;
    try {
      look_around(client, look);
    } catch (const std::exception& error) {
      look.trouble = error.what();
      if (first) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
    }
    look.at = std::chrono::system_clock::now();
    const bool failed = look.trouble.has_value();
    post(std::move(look));
    // After it was told: to say goodbye to a service that does not answer takes a while.
    if (failed) client.reset();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::max<Steady::duration>(kPause, Steady::now() - begin),
                          [this] { return stopping_ || failure_; })) {
      break;
    }
  }
  client.reset();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Lookout::look_around(std::optional<Client>& client, Look& look) const {
  if (!client) client.emplace(connect(settings_, {.purpose = "holdfast watch"}));
  if (name_.empty()) {
    look.locks = client->inspect_all();
  } else if (auto lock = client->inspect(name_); !lock.tickets.empty()) {
    look.locks.push_back(std::move(lock));
  }
}

void Lookout::post(Look look) {
  const std::lock_guard lock(mutex_);
  newest_ = std::move(look);
  const std::uint64_t one = 1;
  // An eventfd takes 2^64 - 2 of these before somebody reads them.
  [[maybe_unused]] const auto written = ::write(ready_, &one, sizeof one);
}

std::optional<Look> Lookout::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(ready_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return std::exchange(newest_, std::nullopt);
}

bool Lookout::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, kGoodbye, [this] { return ended_; });
}

}  // namespace holdfast::cli
