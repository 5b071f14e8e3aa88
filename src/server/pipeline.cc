#include "server/pipeline.h"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <utility>

#include "base/log.h"
#include "server/now.h"

namespace holdfast::server {
namespace {

// Enough for one sync to serve many, few enough that nobody waits long for the others of his batch to be executed.
constexpr std::size_t kBatch = 4'096;
// Between two attempts to find out what is in the log.
constexpr auto kRepairPause = std::chrono::seconds(1);

}  // namespace

Pipeline::Pipeline(Loop& loop, engine::Engine& engine, store::Store* store, wire::Zxid last, Events events)
    : loop_(loop),
      engine_(engine),
      events_(std::move(events)),
      store_(store),
      last_(last),
      shown_(last),
      settled_(last) {}

Pipeline::~Pipeline() { halt(); }

void Pipeline::halt() {
  *alive_ = false;
  loop_.wait_for_slow();
  queue_.clear();
}

void Pipeline::push(std::unique_ptr<Work> work) {
  queue_.push_back(std::move(work));
  schedule();
}

// Not at once: what else came in this turn of the loop shares a sync with it.
void Pipeline::schedule() {
  if (scheduled_ || under_way_ || stuck_ || queue_.empty()) return;
  scheduled_ = true;
  asio::post(loop_.context(), [this, alive = alive_] {
    if (!*alive) return;
    scheduled_ = false;
    run();
  });
}

void Pipeline::run() {
  if (under_way_ || stuck_) return;
  under_way_ = true;
  Group group;
  const auto time = wall_time();
  while (!queue_.empty() && batch_.size() < kBatch) {
    auto work = std::move(queue_.front());
    queue_.pop_front();
    const bool writes = work->writes();
    if (writes) ++last_;
    if (writes && !work->silent()) shown_ = last_;
    const auto zxid = writes ? last_ : shown_;
    auto outcome = work->execute(engine_, {zxid, time, monotonic_time()});
    if (outcome.changed()) {
      group.push_back({static_cast<store::Index>(zxid), encode(outcome.transaction)});
    }
    batch_.push_back({std::move(work), std::move(outcome)});
  }
  changes_ += group.size();
  if (group.empty() || store_ == nullptr) {
    settle();
  } else {
    commit_began_ = monotonic_time();
    log(std::move(group), [this](const Logged& result) { logged(result); });
  }
}

void Pipeline::log(Group group, std::function<void(const Logged&)> done) {
  loop_.step_out([store = store_, group = std::move(group), alive = alive_, done = std::move(done)]() -> Loop::Rest {
    std::vector<store::Record> records;
    records.reserve(group.size());
    for (const auto& record : group) records.push_back({record.index, record.bytes});
    return [alive, done, result = store->append(records)] {
      if (*alive) done(result);
    };
  });
}

void Pipeline::logged(const Logged& result) {
  commit_time_.add((monotonic_time() - commit_began_) / std::chrono::milliseconds(1));
  if (result) {
    if (std::exchange(refused_, false)) base::log().info("the log can be written again");
    settle();
  } else {
    take_back(result.error());
  }
}

void Pipeline::settle() {
  for (auto& step : batch_) step.work->settle(engine_, step.outcome);
  settled_ = shown_;
  rest();
}

// The last one first, until the nodes are as they were when the batch began. Writes that would have failed fail too: what made
// them fail may never have happened.
void Pipeline::take_back(const store::AppendFailure& failure) {
  // Once, however many ask in vain.
  if (!std::exchange(refused_, true)) base::log().error("{}; writes are refused", failure.message);
  const bool unknown = failure.kind == store::AppendFailure::Kind::unknown;
  for (auto step = batch_.rbegin(); step != batch_.rend(); ++step) engine_.take_back(step->outcome);
  for (auto& step : batch_) {
    if (step.work->writes() || unknown) {
      step.work->fail(unknown);
      continue;
    }
    auto outcome = step.work->execute(engine_, {settled_, wall_time(), monotonic_time()});
    step.work->settle(engine_, outcome);
  }
  if (unknown) get_stuck();
  rest();
}

// Who reads now might see less than what is there after a crash. So nobody is answered until the log is known again.
void Pipeline::get_stuck() {
  while (!queue_.empty()) {
    auto work = std::move(queue_.front());
    queue_.pop_front();
    work->fail(true);
  }
  if (!std::exchange(stuck_, true)) events_.stuck(true);
  repair_later();
}

void Pipeline::repair_later() {
  auto timer = std::make_shared<asio::steady_timer>(loop_.context(), kRepairPause);
  timer->async_wait([this, alive = alive_, timer](const std::error_code& error) {
    if (error || !*alive) return;
    under_way_ = true;
    log({}, [this](const Logged& known) {
      if (!known) return repair_later();
      stuck_ = false;
      events_.stuck(false);
      rest();
    });
  });
}

void Pipeline::rest() {
  batch_.clear();
  under_way_ = false;
  if (!stuck_) events_.at_rest();
  schedule();
}

}  // namespace holdfast::server
