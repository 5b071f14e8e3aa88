#include "holdfast/client.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "base/name.h"
#include "base/text.h"
#include "holdfast/error.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/core.h"
#include "lock/count.h"
#include "lock/entry.h"
#include "lock/inspector.h"
#include "lock/options.h"
#include "lock/owner.h"
#include "lock/permits.h"
#include "lock/revoke.h"
#include "lock/session_key.h"
#include "lock/unusable.h"

namespace holdfast {
namespace {

std::string checked_name(std::string_view name) {
  auto parsed = base::parse_name(name);
  if (!parsed) throw Error(Errc::invalid_argument, parsed.error());
  return std::move(*parsed);
}

}  // namespace

std::string_view to_string(ConnectionState state) noexcept {
  switch (state) {
    case ConnectionState::connected: return "connected";
    case ConnectionState::jeopardy: return "jeopardy";
    case ConnectionState::reconnected: return "reconnected";
    case ConnectionState::lost: return "lost";
    case ConnectionState::closed: return "closed";
  }
  return "unknown";
}

Client Client::connect(const BackendFactory& make, ClientOptions options) {
  const auto deadline = deadline_after(options.connection_timeout);
  return connect_until(make, deadline, std::move(options));
}

Client Client::connect_until(const BackendFactory& make, Clock::time_point deadline, ClientOptions options) {
  return open_until(make, deadline, std::move(options));
}

Client Client::open_until(const OwnBackendFactory& make, Clock::time_point deadline, ClientOptions options) {
  Client client(base::make_shared_here<lock::Core>(make, lock::checked(std::move(options))));
  client.core_->open(deadline);
  return client;
}

Client::Client(std::shared_ptr<lock::Core> core) noexcept : core_(std::move(core)) {}
Client::Client(Client&&) noexcept = default;

Client& Client::operator=(Client&& other) noexcept {
  if (this != &other) {
    close();
    core_ = std::move(other.core_);
    declared_ = std::move(other.declared_);
  }
  return *this;
}

Client::~Client() { close(); }

namespace {

using lock::Call;
using lock::Outcome;
using lock::Owner;
using spi::Mode;

// Acquires through the local queue of a name.
Owner::Acquire through(const std::shared_ptr<lock::Core>& core, const std::string& name, Mode mode) {
  return [core, queue = core->local_queue(core->full_name(name)), mode](Call call) {
    call.mode = mode;
    return core->acquire(*queue, std::move(call));
  };
}

lock::Subject subject_of(const lock::Core& core, const std::string& name, LockMode mode) {
  return {{name}, core.path(name), mode};
}

}  // namespace

Mutex Client::mutex(std::string_view name, LockOptions options) {
  const auto checked = checked_name(name);
  return Mutex(base::make_shared_here<Owner>(core(), subject_of(*core(), checked, LockMode::exclusive),
                                             /*reentrant=*/true, lock::checked_options(options),
                                             through(core(), checked, Mode::exclusive)));
}

NonReentrantMutex Client::non_reentrant_mutex(std::string_view name, LockOptions options) {
  const auto checked = checked_name(name);
  return NonReentrantMutex(base::make_shared_here<Owner>(core(), subject_of(*core(), checked, LockMode::exclusive),
                                                         /*reentrant=*/false, lock::checked_options(options),
                                                         through(core(), checked, Mode::exclusive)));
}

SharedMutex Client::shared_mutex(std::string_view name, LockOptions options) {
  const auto checked = checked_name(name);
  const auto path = core()->path(checked);
  lock::checked_options(options);
  // Each side has to know what this thread holds on the other. Both live as long as the SharedMutex, from which alone they are
  // entered.
  struct Sides {
    std::weak_ptr<Owner> writing;
    std::weak_ptr<Owner> reading;
  };
  const auto sides = std::make_shared<Sides>();
  auto writing = base::make_shared_here<Owner>(
      core(), subject_of(*core(), checked, LockMode::write), /*reentrant=*/true, options,
      [sides, path, acquire = through(core(), checked, Mode::write)](Call call) -> Outcome {
        const auto reading = sides->reading.lock();
        if (!reading || !reading->kept_by_this_thread()) return acquire(std::move(call));
        return tl::unexpected(lock::Refusal{
            Errc::deadlock, fmt::format("this thread holds {} to read, and would wait for itself to write; release it "
                                        "first, or write from the start",
                                        path)});
      });
  auto reading = base::make_shared_here<Owner>(
      core(), subject_of(*core(), checked, LockMode::read), /*reentrant=*/true, options,
      [sides, core = core(), acquire = through(core(), checked, Mode::shared)](Call call) -> Outcome {
        const auto owner = sides->writing.lock();
        const auto writing_hold = owner ? owner->kept_by_this_thread() : nullptr;
        if (!writing_hold) return acquire(std::move(call));
        call.mode = Mode::shared;
        return core->acquire_beside(*writing_hold, std::move(call));
      });
  sides->writing = writing;
  sides->reading = reading;
  return SharedMutex(std::move(writing), std::move(reading));
}

MultiLock Client::multi_lock(std::vector<LockItem> items, LockOptions options) {
  if (items.empty() || items.size() > MultiLock::kMaxNames) {
    throw Error(Errc::invalid_argument, fmt::format("a multi-lock of {} names; it must have between 1 and {}",
                                                    items.size(), MultiLock::kMaxNames));
  }
  std::vector<lock::QueueRequest> wanted;
  std::set<std::string> different;
  lock::Subject subject;
  for (const auto& item : items) {
    const auto name = checked_name(item.name);
    if (!different.insert(name).second) {
      throw Error(Errc::invalid_argument, fmt::format("\"{}\" is named twice in one multi-lock", name));
    }
    const auto mode = item.kind == LockItem::Kind::mutex   ? Mode::exclusive
                      : item.kind == LockItem::Kind::write ? Mode::write
                                                           : Mode::shared;
    wanted.push_back({.queue = core()->full_name(name), .mode = mode});
    subject.names.push_back(name);
  }
  subject.path = core()->path(subject.names.front());
  subject.mode = items.front().kind == LockItem::Kind::mutex   ? LockMode::exclusive
                 : items.front().kind == LockItem::Kind::write ? LockMode::write
                                                               : LockMode::read;
  return MultiLock(base::make_shared_here<Owner>(
      core(), std::move(subject), /*reentrant=*/true, lock::checked_options(options, false),
      [core = core(), wanted = std::move(wanted)](Call call) {
        call.mode = wanted.front().mode;
        return core->acquire(*core->cohort(wanted), std::move(call));
      },
      /*may_delay=*/false));
}

Semaphore Client::semaphore(std::string_view name, std::int64_t permits, LockOptions options) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  if (permits < 1 || permits > kMost) {
    throw Error(Errc::invalid_argument,
                fmt::format("a semaphore of {} permits; it must have between 1 and {}", permits, kMost));
  }
  return Semaphore(std::make_shared<lock::Permits>(core(), checked_name(name), static_cast<std::size_t>(permits),
                                                   lock::checked_options(options, false)));
}

Semaphore Client::semaphore(std::string_view name, const SharedCount& permits, LockOptions options) {
  lock::check_usable(permits.core_.get());
  return Semaphore(std::make_shared<lock::Permits>(core(), checked_name(name), permits.name_,
                                                   lock::checked_options(options, false)));
}

SharedCount Client::shared_count(std::string_view name, std::int32_t initial) {
  const auto checked = checked_name(name);
  if (initial < 0) {
    throw Error(Errc::invalid_argument, fmt::format("a shared count of {} permits; it cannot be negative", initial));
  }
  lock::create_count(*core(), core()->full_name(checked), initial);
  return SharedCount(core(), core()->full_name(checked), core()->path(checked));
}

LockSettings Client::lock_settings(std::string_view name) const {
  const auto checked = checked_name(name);
  const auto& rules = core()->options().locks;
  return rules ? rules->find(checked) : LockSettings{};
}

Revocation Client::revoke(std::string_view name, std::chrono::milliseconds grace, Force force) {
  const auto checked = checked_name(name);
  if (grace.count() < 0) {
    throw Error(Errc::invalid_argument, fmt::format("a grace of {} ms; it cannot be negative", grace.count()));
  }
  return lock::revoke(*core(), core()->full_name(checked), deadline_after(grace), force == Force::yes);
}

LockInfo Client::inspect(std::string_view name) {
  const auto checked = checked_name(name);
  auto lock = lock::inspect(*core(), core()->full_name(checked));
  lock.name = checked;
  return lock;
}

std::vector<LockInfo> Client::inspect_all(std::string_view root) {
  const auto& name_space = core()->options().name_space;
  auto locks = lock::inspect_below(*core(), root.empty() ? name_space : core()->full_name(checked_name(root)));
  if (!name_space.empty()) {
    for (auto& lock : locks) lock.name.erase(0, name_space.size() + 1);
  }
  return locks;
}

void Client::commit(const Lease& lease, const Transaction& transaction) {
  const auto& core = this->core();
  if (transaction.steps().empty()) throw Error(Errc::invalid_argument, "a transaction without steps");
  if (!lease.is_held()) throw Error(Errc::session_lost, "the lease is not held any more; nothing was changed");
  std::vector<spi::Change> changes;
  for (const auto& step : transaction.steps()) {
    const auto name = base::parse_name(step.path);
    if (!step.path.starts_with('/') || !name) {
      throw Error(Errc::invalid_argument,
                  name ? fmt::format("\"{}\" is not a path; it must begin with a slash", base::printable(step.path))
                       : name.error());
    }
    changes.push_back({static_cast<spi::Change::What>(step.what), core->path_outside(*name), step.data, step.version});
  }
  const auto reply = core->ask<spi::Nothing>([&](spi::QueueBackend& backend, auto done) {
    backend.commit(lease.entry_->hold().grant().tickets, changes, std::move(done));
  });
  if (reply) return;
  if (reply.status == spi::Status::unknown) {
    throw Error(Errc::not_connected, "the changes may or may not have been made: " + reply.detail);
  }
  throw Error(lock::errc_of(reply.status), reply.detail);
}

ConnectionState Client::state() const noexcept {
  return lock::unusable(core_.get()) ? ConnectionState::closed : core_->state();
}

std::chrono::milliseconds Client::session_timeout() const {
  lock::check_usable(core_.get());
  return std::chrono::duration_cast<std::chrono::milliseconds>(core_->session_timeout());
}

lock::SessionKey lock::session_key(const Client& client) { return client.core()->session_key(); }

void Client::close() noexcept {
  if (const auto core = core_) core->close();  // a copy: a callback may destroy us meanwhile
}

const std::shared_ptr<lock::Core>& Client::core() const {
  lock::check_usable(core_.get());
  return core_;
}

}  // namespace holdfast
