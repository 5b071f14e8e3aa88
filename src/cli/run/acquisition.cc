#include "cli/run/acquisition.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "holdfast/handlers.h"

namespace holdfast::cli {
namespace {

// Longer ones are not seen.
constexpr std::size_t kLongestProgram = 64;
constexpr auto kForEver = std::chrono::hours::max();

template <typename Try, typename TryFor>
AcquireResult within(const std::optional<std::chrono::nanoseconds>& wait, Try at_once, TryFor waiting) {
  if (!wait) return waiting(kForEver);
  if (wait->count() == 0) return at_once();
  return waiting(*wait);
}

}  // namespace

Acquisition::Acquisition(const RunOptions& options, const ServiceSettings& settings,
                         std::function<void(const Client&)> connected)
    : options_(options), settings_(settings), tell_connected_(std::move(connected)) {
  thread_ = std::thread([this] { work(); });
}

Acquisition::~Acquisition() {
  give_up();
  if (thread_.joinable()) thread_.join();
}

AcquireResult& Acquisition::result() {
  if (thread_.joinable()) thread_.join();  // it has nothing left to do
  if (failure_) std::rethrow_exception(failure_);
  return *result_;
}

void Acquisition::work() {
  try {
    // The command without its arguments, which may be confidential.
    const auto program = std::filesystem::path(options_.command.front()).filename().string();
    // Connecting is a part of the wait. A caller that does not want to wait for a rival still has to connect.
    const bool limited = options_.wait && options_.wait->count() > 0;
    const auto deadline = limited ? deadline_after(*options_.wait) : Clock::time_point::max();
    ClientOptions client{.purpose = options_.purpose, .program = program.substr(0, kLongestProgram)};
    if (!options_.access_log.empty()) client.handlers.push_back(AccessLog::to_file(options_.access_log));
    client_.emplace(connect(settings_, std::move(client), deadline));
    connected_ = &*client_;
    tell_connected_(*client_);
    auto wait = options_.wait;
    if (limited) wait = std::max<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(1));
    result_.emplace(acquire(wait));
  } catch (...) {
    failure_ = std::current_exception();
  }
  done_.set();
}

AcquireResult Acquisition::acquire(const std::optional<std::chrono::nanoseconds>& wait) {
  const auto stop = stop_.get_token();
  if (options_.permits) {
    auto semaphore = client_->semaphore(options_.names.front(), options_.permits->of);
    const auto wanted = options_.permits->wanted;
    return within(
        wait, [&] { return semaphore.try_acquire(wanted); },
        [&](auto time) { return semaphore.try_acquire_for(time, wanted, stop); });
  }
  if (options_.names.size() > 1) {
    std::vector<LockItem> items;
    const auto kind = options_.shared      ? LockItem::Kind::read
                      : options_.exclusive ? LockItem::Kind::write
                                           : LockItem::Kind::mutex;
    for (const auto& name : options_.names) items.push_back({name, kind});
    auto all = client_->multi_lock(std::move(items));
    return within(
        wait, [&] { return all.try_acquire(); }, [&](auto time) { return all.try_acquire_for(time, stop); });
  }
  if (options_.shared) {
    auto mutex = client_->shared_mutex(options_.names.front());
    return within(
        wait, [&] { return mutex.try_acquire_shared(); },
        [&](auto time) { return mutex.try_acquire_shared_for(time, stop); });
  }
  if (options_.exclusive) {
    auto mutex = client_->shared_mutex(options_.names.front());
    return within(
        wait, [&] { return mutex.try_acquire(); }, [&](auto time) { return mutex.try_acquire_for(time, stop); });
  }
  auto mutex = client_->mutex(options_.names.front());
  return within(
      wait, [&] { return mutex.try_acquire(); }, [&](auto time) { return mutex.try_acquire_for(time, stop); });
}

}  // namespace holdfast::cli
