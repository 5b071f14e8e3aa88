#include "client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::simulation {

using namespace std::chrono_literals;
using spi::Mode;

namespace {

// Names that all clients want: alone; shared or alone; alone with a lock delay; some permits of.
constexpr auto kMutex = "m";
constexpr auto kShared = "rw";
constexpr auto kDelayed = "d";
constexpr auto kSemaphore = "s";
constexpr std::size_t kPermits = 3;
constexpr std::chrono::milliseconds kDelay{400};

const lock::Refusal kClosed{Errc::cancelled, "the client was closed"};

}  // namespace

Client::Client(World world, std::string name, std::shared_ptr<Way> way, Drift clock, std::size_t threads,
               ClientOptions options)
    : world_(world),
      name_(std::move(name)),
      options_(std::move(options)),
      executor_(world.timeline, clock, [this] { look(); }),
      backend_(std::make_unique<zookeeper::ZooKeeperBackend>(
          executor_, zookeeper::Address{.called = "the simulated engine"}, options_,
          [this, way](const net::ServerAddress&, Clock::duration patience, zk::Line::Events events) {
            return world_.network.dial(executor_, way, patience, std::move(events));
          })),
      session_(executor_, *this),
      sweeper_(executor_, *backend_, session_),
      context_{executor_, *backend_, session_, sweeper_, options_.retry, options_.connection_timeout},
      cohorts_{context_, [](const std::function<void()>& tell) { tell(); }, options_.hand_over,
               [](const lock::Waiter&, const std::string&) { return std::nullopt; }},
      threads_(threads) {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].number = i + 1;
    begin_later(i);
  }
  executor_.post([this] { backend_->open(session_); });
}

Client::~Client() {
  if (closed_) return;
  for (auto& thread : threads_) {
    if (!thread.hold) continue;
    world_.oracle.ends_without_release(*thread.hold);
    world_.oracle.over(*thread.hold);
  }
  // What its cohorts and claims would still do nobody hears of: the lines are cut.
  closed_ = true;
  (void)backend_->close();
  session_.close();
  for_each_cohort([](lock::Cohort& cohort) { cohort.close(kClosed); });
  sweeper_.close();
}

void Client::close() {
  for (auto& thread : threads_) {
    if (thread.hold) world_.oracle.over(*thread.hold);
  }
  closed_ = true;
  world_.oracle.note(name_ + " closes");
  const auto outside = backend_->close();
  session_.close();
  for_each_cohort([](lock::Cohort& cohort) { cohort.close(kClosed); });
  sweeper_.close();
  if (outside) outside();
}

// ------------------------------------------------------------------------------------- what lock::Core does for cohorts

template <class F>
void Client::for_each_cohort(F&& f) {
  std::vector<std::shared_ptr<lock::Cohort>> cohorts;
  for (const auto& weak : all_cohorts_) {
    if (auto cohort = weak.lock()) cohorts.push_back(std::move(cohort));
  }
  for (const auto& cohort : cohorts) f(*cohort);
}

std::shared_ptr<lock::LocalQueue> Client::queue(const std::string& name) {
  auto& queue = queues_[name];
  if (!queue) {
    // As Permits does, the turns of a semaphore are not kept.
    const bool may_keep = name != backend_->semaphore(kSemaphore).turns;
    queue = std::make_shared<lock::LocalQueue>(
        executor_, lock::LocalQueue::Options{.queue = name, .may_keep = may_keep, .hand_over = options_.hand_over},
        [this](lock::QueueRequest request, std::shared_ptr<lock::KeepPolicy> keeping) {
          return cohort({std::move(request)}, std::move(keeping));
        });
  }
  return queue;
}

std::shared_ptr<lock::Cohort> Client::cohort(std::vector<lock::QueueRequest> wanted,
                                             std::shared_ptr<lock::KeepPolicy> keeping) {
  std::erase_if(all_cohorts_, [](const auto& each) { return each.expired(); });
  auto made = std::make_shared<lock::Cohort>(cohorts_, std::move(wanted), std::move(keeping));
  all_cohorts_.push_back(made);
  return made;
}

void Client::state_changed(ConnectionState state) {
  world_.oracle.note(fmt::format("{} is {}", name_, static_cast<int>(state)));
  if (state == ConnectionState::reconnected) for_each_cohort([](lock::Cohort& cohort) { cohort.session_is_good(); });
}

void Client::session_connected(bool replaced) {
  if (replaced) ++world_.counts.sessions;
  sweeper_.session_connected();
  for_each_cohort([](lock::Cohort& cohort) { cohort.session_is_good(); });
}

void Client::session_disconnected() {
  for_each_cohort([](lock::Cohort& cohort) { cohort.session_disconnected(); });
}

void Client::validity_ended() {
  for_each_cohort([](lock::Cohort& cohort) { cohort.validity_ended(); });
}

void Client::beat() {
  backend_->beat([](const auto&) {});
  for_each_cohort([](lock::Cohort& cohort) { cohort.beat(); });
}

void Client::session_refused(const std::string& why) { world_.oracle.object(name_ + " was refused: " + why); }

// ------------------------------------------------------------------------------------------------------------- threads

std::string Client::who(const Thread& thread) const { return fmt::format("{}/{}", name_, thread.number); }

std::string Client::wants(const Thread& thread) { return fmt::format("{}", fmt::join(thread.names, " and ")); }

void Client::begin_later(std::size_t thread) {
  const auto pause = world_.chance.between(0ms, world_.chance.percent(20) ? Moment(3s) : Moment(50ms));
  executor_.at(executor_.now() + pause, [this, thread] { begin(thread); });
}

// What it wants, and how.
LockOptions Client::choose(Thread& thread) {
  auto& chance = world_.chance;
  LockOptions options;
  thread.call = {.thread = thread.number};
  switch (chance.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: thread.names = {kMutex}; break;
    case 4:
    case 5:
      thread.names = {kShared};
      thread.call.mode = chance.percent(50) ? Mode::shared : Mode::write;
      break;
    case 6: thread.names = {kMutex, kShared}; break;
    case 7:
      thread.names = {kDelayed};
      options.lock_delay = kDelay;
      return options;
    default:
      thread.names = {kSemaphore};
      thread.call.permits = 1 + chance.below(kPermits - 1);
      return options;
  }
  if (chance.percent(5)) options.max_hold = std::chrono::milliseconds(200);
  return options;
}

void Client::begin(std::size_t index) {
  if (finishing_ || closed_) return;
  auto& thread = threads_[index];
  auto& chance = world_.chance;
  const auto options = choose(thread);
  auto& call = thread.call;
  if (chance.percent(40)) call.deadline = executor_.now() + chance.between(1ms, 4s);
  // Does not wait; but no program asks before it is connected.
  if (chance.percent(10) && session_.id() != 0) call.deadline = Clock::time_point();
  ++world_.counts.acquires;
  world_.oracle.note(fmt::format("{} wants {}", who(thread), wants(thread)));
  const auto turn = ++thread.turn;
  if (thread.names.front() == kSemaphore) {
    enter(index, queue(backend_->semaphore(kSemaphore).turns), call);
  } else {
    call.options = options;
    std::shared_ptr<lock::Entrance> entrance;
    if (thread.names.size() == 1) {
      entrance = queue(thread.names.front());
    } else {
      entrance = cohort({{.queue = kMutex}, {.queue = kShared, .mode = Mode::write}});
    }
    enter(index, std::move(entrance), call);
  }
  if (call.deadline == Clock::time_point::max()) return;
  const auto gives_up = call.patient() ? call.deadline : executor_.now() + options_.connection_timeout;
  executor_.at(gives_up, [this, index, turn] {
    auto& mine = threads_[index];
    if (mine.turn == turn && mine.waiter && !mine.waiter->settled()) give_up(mine);
  });
}

void Client::enter(std::size_t index, std::shared_ptr<lock::Entrance> entrance, const lock::Call& call) {
  auto& thread = threads_[index];
  thread.entrance = std::move(entrance);
  thread.waiter = std::make_shared<lock::Waiter>(call);
  thread.entrance->enter(thread.waiter);
}

// As lock::Core does when the time has come.
void Client::give_up(Thread& thread) {
  auto outcome = thread.waiter->wait(Clock::time_point(), {});
  thread.entrance->leave(thread.waiter, outcome.error());
}

// As lock::Permits does: permits are taken by one client at a time, the one whose turn it is.
void Client::has_turn(std::size_t index, std::shared_ptr<lock::Hold> turn) {
  auto& thread = threads_[index];
  thread.in_line = std::move(turn);
  auto call = thread.call;
  call.mode = Mode::permit;
  enter(index,
        cohort({{.queue = backend_->semaphore(kSemaphore).permits,
                 .mode = Mode::permit,
                 .tickets = call.permits,
                 .permits = std::make_shared<lock::Limit>(kPermits)}}),
        call);
}

void Client::has_not_got(std::size_t index, const lock::Refusal& refusal) {
  auto& thread = threads_[index];
  const bool in_time = refusal.code == Errc::timed_out;
  ++(in_time ? world_.counts.timeouts : world_.counts.refusals);
  world_.oracle.note(fmt::format("{} has not got {}: {}", who(thread), wants(thread),
                                 in_time ? std::string("in time") : refusal.message));
  begin_later(index);
}

void Client::has_got(std::size_t index, std::shared_ptr<lock::Hold> hold) {
  auto& thread = threads_[index];
  ++world_.counts.grants;
  thread.hold = std::move(hold);
  thread.lost = false;
  const bool permits = thread.names.front() == kSemaphore;
  for (const auto& name : thread.names) {
    world_.oracle.granted({.name = name,
                           .who = who(thread),
                           .client = name_,
                           .shared = thread.call.mode == Mode::shared,
                           .permits = permits ? thread.call.permits : 0,
                           .of = permits ? kPermits : 0,
                           .delay = thread.call.options.lock_delay,
                           .hold = thread.hold,
                           .clock = &executor_,
                           .process = &executor_});
  }
  const auto for_that_long = world_.chance.between(0ms, world_.chance.percent(10) ? Moment(8s) : Moment(200ms));
  executor_.at(executor_.now() + for_that_long, [this, index, turn = thread.turn] {
    auto& mine = threads_[index];
    if (mine.turn != turn || !mine.hold) return;
    release(mine);
    begin_later(index);
  });
}

void Client::look() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    auto& thread = threads_[i];
    // Permits that are waited for out of turn are not waited for.
    if (thread.in_line && thread.waiter && !thread.waiter->settled() && thread.in_line->lost().stop_requested()) {
      give_up(thread);
    }
    if (thread.waiter && thread.waiter->settled()) {
      const auto waiter = std::exchange(thread.waiter, nullptr);
      thread.entrance.reset();
      auto outcome = waiter->wait(Clock::time_point(), {});
      const bool for_turn = thread.names.front() == kSemaphore && !thread.in_line;
      if (outcome && for_turn) {
        has_turn(i, *outcome);
        continue;
      }
      if (const auto turn = std::exchange(thread.in_line, nullptr)) (void)turn->cohort().release(turn, {});
      outcome ? has_got(i, *outcome) : has_not_got(i, outcome.error());
    }
    if (thread.hold && !thread.lost && thread.hold->lost().stop_requested()) {
      thread.lost = true;
      world_.oracle.ends_without_release(*thread.hold);
      ++world_.counts.losses;
      world_.oracle.note(fmt::format("{} has lost {}", who(thread), wants(thread)));
    }
  }
  world_.oracle.look();
}

void Client::release(Thread& thread) {
  const auto hold = std::exchange(thread.hold, nullptr);
  const auto error = hold->cohort().release(hold, {});
  world_.oracle.note(fmt::format("{} releases {}{}", who(thread), wants(thread), error ? ", which was lost" : ""));
  if (error && !thread.lost) world_.oracle.ends_without_release(*hold);
  world_.oracle.over(*hold);
}

bool Client::idle() const {
  return sweeper_.idle() && std::all_of(threads_.begin(), threads_.end(),
                                        [](const Thread& thread) { return !thread.waiter && !thread.hold; });
}

std::string Client::busy() const {
  std::string text;
  for (const auto& thread : threads_) {
    if (thread.waiter) text += fmt::format(" {} waits for {}", who(thread), wants(thread));
    if (thread.hold) text += fmt::format(" {} has {}", who(thread), wants(thread));
  }
  return text + (sweeper_.idle() ? "" : " a ticket of " + name_ + " is not swept");
}

}  // namespace holdfast::simulation
