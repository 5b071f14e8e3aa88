#include "server/pipeline.h"

#include <asio/io_context.hpp>
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

Pipeline::Pipeline(asio::io_context& context, engine::Engine& engine, store::Store* store, wire::Zxid last,
                   Events events)
    : context_(context), engine_(engine), events_(std::move(events)), last_(last), shown_(last), settled_(last) {
  if (store != nullptr) committer_ = std::make_unique<Committer>(*store);
}

Pipeline::~Pipeline() { halt(); }

void Pipeline::halt() {
  *alive_ = false;
  committer_.reset();
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
  asio::post(context_, [this, alive = alive_] {
    if (!*alive) return;
    scheduled_ = false;
    run();
  });
}

void Pipeline::run() {
  if (under_way_ || stuck_) return;
  under_way_ = true;
  Committer::Group group;
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
  if (group.empty() || committer_ == nullptr) {
    settle();
  } else {
    commit(std::move(group));
  }
}

void Pipeline::commit(Committer::Group group) {
  commit_began_ = monotonic_time();
  committer_->commit(std::move(group), [this, alive = alive_](const Committer::Result& result) {
    asio::post(context_, [this, alive, result] {
      if (*alive) committed(result);
    });
  });
}

void Pipeline::committed(const Committer::Result& result) {
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
  auto timer = std::make_shared<asio::steady_timer>(context_, kRepairPause);
  timer->async_wait([this, alive = alive_, timer](const std::error_code& error) {
    if (error || !*alive) return;
    under_way_ = true;
    committer_->commit({}, [this, alive](const Committer::Result& result) {
      asio::post(context_, [this, alive, known = result.has_value()] {
        if (!*alive) return;
        if (!known) return repair_later();
        stuck_ = false;
        events_.stuck(false);
        rest();
      });
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
