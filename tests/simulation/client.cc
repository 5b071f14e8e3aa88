#include "client.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace holdfast::simulation {

using namespace std::chrono_literals;
using spi::Mode;

namespace {

// Names that all clients want: the first alone, the second shared or alone.
constexpr auto kMutex = "m";
constexpr auto kShared = "rw";

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
  for (auto& thread : threads_) {
    if (thread.hold) world_.oracle.over(*thread.hold);
  }
  if (closed_) return;
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
    queue = std::make_shared<lock::LocalQueue>(name, false, [this](lock::QueueRequest request) {
      std::erase_if(all_cohorts_, [](const auto& each) { return each.expired(); });
      auto cohort = std::make_shared<lock::Cohort>(cohorts_, std::vector<lock::QueueRequest>{std::move(request)});
      all_cohorts_.push_back(cohort);
      return cohort;
    });
  }
  return queue;
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

void Client::begin_later(std::size_t thread) {
  const auto pause = world_.chance.between(0ms, world_.chance.percent(20) ? Moment(3s) : Moment(50ms));
  executor_.at(executor_.now() + pause, [this, thread] { begin(thread); });
}

void Client::begin(std::size_t index) {
  if (finishing_ || closed_) return;
  auto& thread = threads_[index];
  auto& chance = world_.chance;
  const bool alone = chance.percent(60);
  thread.wants = alone ? kMutex : kShared;
  thread.mode = alone ? Mode::exclusive : chance.percent(50) ? Mode::shared : Mode::write;
  const auto turn = ++thread.turn;
  auto deadline = Clock::time_point::max();
  if (chance.percent(40)) deadline = executor_.now() + chance.between(1ms, 4s);
  if (chance.percent(10)) deadline = Clock::time_point();  // does not wait
  ++world_.counts.acquires;
  world_.oracle.note(fmt::format("{} wants {}", who(thread), thread.wants));
  LockOptions options;
  if (chance.percent(5)) options.max_hold = std::chrono::milliseconds(200);
  thread.waiter = std::make_shared<lock::Waiter>(
      lock::Call{.deadline = deadline, .options = options, .thread = thread.number, .mode = thread.mode});
  queue(thread.wants)->enter(thread.waiter);
  if (deadline == Clock::time_point::max()) return;
  const auto gives_up = deadline == Clock::time_point() ? executor_.now() + options_.connection_timeout : deadline;
  executor_.at(gives_up, [this, index, turn] {
    auto& mine = threads_[index];
    if (mine.turn == turn && mine.waiter && !mine.waiter->settled()) give_up(mine);
  });
}

// As lock::Core does when the time has come.
void Client::give_up(Thread& thread) {
  auto outcome = thread.waiter->wait(Clock::time_point(), {});
  queue(thread.wants)->leave(thread.waiter, outcome.error());
}

void Client::look() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    auto& thread = threads_[i];
    if (thread.waiter && thread.waiter->settled()) {
      const auto waiter = std::exchange(thread.waiter, nullptr);
      const auto outcome = waiter->wait(Clock::time_point(), {});
      if (!outcome) {
        const bool in_time = outcome.error().code == Errc::timed_out;
        ++(in_time ? world_.counts.timeouts : world_.counts.refusals);
        world_.oracle.note(fmt::format("{} has not got {}: {}", who(thread), thread.wants,
                                       in_time ? std::string("in time") : outcome.error().message));
        begin_later(i);
        continue;
      }
      ++world_.counts.grants;
      thread.hold = *outcome;
      thread.lost = false;
      world_.oracle.granted({.name = thread.wants,
                             .who = who(thread),
                             .client = name_,
                             .shared = thread.mode == Mode::shared,
                             .hold = thread.hold,
                             .clock = &executor_,
                             .process = &executor_});
      const auto turn = thread.turn;
      const auto for_that_long = world_.chance.between(0ms, world_.chance.percent(10) ? Moment(8s) : Moment(200ms));
      executor_.at(executor_.now() + for_that_long, [this, i, turn] {
        auto& mine = threads_[i];
        if (mine.turn != turn || !mine.hold) return;
        release(mine);
        begin_later(i);
      });
    }
    if (thread.hold && !thread.lost && thread.hold->lost().stop_requested()) {
      thread.lost = true;
      ++world_.counts.losses;
      world_.oracle.note(fmt::format("{} has lost {}", who(thread), thread.wants));
    }
  }
  world_.oracle.look();
}

void Client::release(Thread& thread) {
  const auto hold = std::exchange(thread.hold, nullptr);
  const auto error = hold->cohort().release(hold, {});
  world_.oracle.note(fmt::format("{} releases {}{}", who(thread), thread.wants, error ? ", which was lost" : ""));
  world_.oracle.over(*hold);
}

bool Client::idle() const {
  return sweeper_.idle() && std::all_of(threads_.begin(), threads_.end(),
                                        [](const Thread& thread) { return !thread.waiter && !thread.hold; });
}

std::string Client::busy() const {
  std::string text;
  for (const auto& thread : threads_) {
    if (thread.waiter) text += fmt::format(" {} waits for {}", who(thread), thread.wants);
    if (thread.hold) text += fmt::format(" {} has {}", who(thread), thread.wants);
  }
  return text + (sweeper_.idle() ? "" : " a ticket of " + name_ + " is not swept");
}

}  // namespace holdfast::simulation
