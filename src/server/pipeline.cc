#include "server/pipeline.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "engine/cost.h"

namespace holdfast::server {
namespace {

// Enough for one sync to serve many, few enough that no client waits long for the others of its batch: by number, by the time they take
// to be executed and settled, and by the bytes of their answers and of what they change.
constexpr std::size_t kBatch = 4'096;
constexpr engine::Moment kBatchTime = std::chrono::milliseconds(10);
constexpr std::size_t kBatchBytes = std::size_t{8} << 20;
// After one that took longer than this, what has come meanwhile is read before the next begins.
constexpr engine::Moment kLongBatch = std::chrono::milliseconds(1);
// Of what was expected: so much more is its client's to pay at most.
constexpr int kMostOverExpected = 16;
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
  (void)queue_.take_all();
}

void Pipeline::push(const LineId& client, std::unique_ptr<Work> work) {
  HOLDFAST_ASSERT(work != nullptr, client.id);
  queue_.push(client, std::move(work));
  schedule();
}

void Pipeline::go_on(const LineId& client, FairQueue::Hold why) {
  queue_.release(client, why);
  schedule();
}

// Not at once: what else came in this turn of the loop shares a sync with it. After a long batch in the turn after the next one: in the
// next one the loop finds out which sockets have something to read, and reads them after whatever waits for that turn already.
void Pipeline::schedule() {
  if (scheduled_ || under_way_ || stuck_ || !queue_.any_ready()) return;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    scheduled_ = false;
    if (std::exchange(long_, false)) return schedule();
    run();
  });
  scheduled_ = true;  // unless there was no memory for it: then the next push tries again
}

bool Pipeline::weigh_next(engine::Moment now) {
  if (queue_.is_weighed()) return true;
  const auto client = queue_.next();
  const auto seemed = queue_.expected();
  if (queue_.expect(queue_.next_work().weigh(engine_))) return true;
  charge(client, seemed, loop_.now() - now);
  return false;
}

// Time is measured. But if this thread had no processor meanwhile, that is not for its client to pay: others could keep it waiting for as
// long as that, times their number.
void Pipeline::charge(const LineId& client, engine::Moment expected, engine::Moment cost) {
  queue_.charge(client, std::min(cost, kMostOverExpected * std::max(expected, kLittle)), expected);
}

Pipeline::Step Pipeline::execute_next(engine::Moment now, std::int64_t time) {
  const auto client = queue_.next();
  const auto expected = queue_.expected();
  auto work = queue_.take();
  const bool writes = work->writes();
  if (writes) ++last_;
  if (writes && !work->silent()) shown_ = last_;
  // No client is told of more than there is.
  HOLDFAST_ASSERT(settled_ <= shown_ && shown_ <= last_, settled_, shown_, last_);
  auto outcome = work->execute(engine_, {writes ? last_ : shown_, time, now});
  HOLDFAST_ASSERT(writes || !outcome.changed(), outcome.zxid);
  // Nothing of that client before its next piece.
  if (work->unfinished()) queue_.hold(client, FairQueue::Hold::unfinished);
  return {
      .client = client, .work = std::move(work), .outcome = std::move(outcome), .shown = shown_, .expected = expected};
}

void Pipeline::run() {
  if (under_way_ || stuck_) return;
  HOLDFAST_ASSERT(batch_.empty(), batch_.size());
  under_way_ = true;
  Group group;
  const auto time = loop_.wall_time();
  const auto began = loop_.now();
  auto now = began;
  engine::Moment to_come{0};  // of settling, as far as it is known
  std::size_t bytes = 0;
  std::size_t executed = 0;
  for (std::size_t count = 0; count < kBatch && bytes < kBatchBytes && queue_.any_ready(); ++count) {
    if (!weigh_next(now)) {
      now = loop_.now();
      if (now - began > kBatchTime) break;
      continue;
    }
    // What is likely to take long begins a batch of its own, so that the answers of the others leave before.
    const auto used = now - began + to_come;
    if (executed > 0 && (used > kBatchTime || used + queue_.expected() > kBatchTime)) break;
    ++executed;
    engine_.advance(now);
    auto step = execute_next(now, time);
    const auto client = step.client;
    const auto expected = step.expected;
    bytes += step.outcome.body.size();
    if (step.outcome.changed()) bytes += note(step, group);
    if (group.empty() || store_ == nullptr) {
      finish(step);
    } else {
      to_come += engine::kPerEvent * step.outcome.events;
      batch_.push_back(std::move(step));
    }
    const auto after = loop_.now();
    charge(client, expected, after - now);
    now = after;
  }
  long_ = now - began > kLongBatch;
  changes_ += group.size();
  if (batch_.empty()) {
    rest();
  } else {
    commit_began_ = loop_.now();
    log(std::move(group), [this](const Logged& result) { logged(result); });
  }
}

// What comes before the first byte is written may run out of memory; the store looks after what comes after it.
Pipeline::Logged Pipeline::append(store::Store& store, const Group& group) {
  std::vector<store::Record> records;
  try {
    records.reserve(group.size());
  } catch (const std::bad_alloc&) {
    return tl::unexpected(store::AppendFailure{store::AppendFailure::Kind::refused,
                                               std::make_error_code(std::errc::not_enough_memory),
                                               "there is no memory to write to the log"});
  }
  for (const auto& record : group) records.push_back({record.index, record.bytes});
  return store.append(records);
}

// Without memory for it, it is taken back: nothing has come after it yet.
std::size_t Pipeline::note(Step& step, Group& group) {
  try {
    const base::SpareReserve spare(base::SpareReserve::Part::half);
    // The log's indexes grow.
    HOLDFAST_ASSERT(group.empty() || group.back().index < static_cast<store::Index>(step.outcome.zxid),
                    step.outcome.zxid);
    group.push_back({static_cast<store::Index>(step.outcome.zxid), encode(step.outcome.transaction)});
    return group.back().bytes.size();
  } catch (const std::bad_alloc&) {
    engine_.take_back(step.outcome);
    step.taken_back = true;
    return 0;
  }
}

void Pipeline::log(Group group, std::function<void(const Logged&)> done) {
  loop_.step_out([store = store_, group = std::move(group), alive = alive_, done = std::move(done)]() -> Loop::Rest {
    return [alive, done, result = append(*store, group)] {
      if (*alive) done(result);
    };
  });
}

void Pipeline::logged(const Logged& result) {
  HOLDFAST_ASSERT(under_way_ && !stuck_ && !batch_.empty(), under_way_, stuck_, batch_.size());
  sync_time_.add((loop_.now() - commit_began_) / std::chrono::milliseconds(1));
  if (result) {
    if (std::exchange(refused_, false)) base::log().info("the log can be written again");
    settle(0);
  } else {
    take_back(result.error());
  }
}

// It is safe.
void Pipeline::finish(Step& step) {
  if (step.taken_back) {
    step.work->fail(false);
  } else {
    step.work->settle(engine_, step.outcome);
  }
  HOLDFAST_ASSERT(settled_ <= step.shown && step.shown <= last_, settled_, step.shown, last_);
  settled_ = step.shown;
  if (!step.work->unfinished()) return queue_.release(step.client, FairQueue::Hold::unfinished);
  const auto expected = step.work->weigh(engine_);
  queue_.push_first(step.client, std::move(step.work), expected);
  queue_.release(step.client, FairQueue::Hold::unfinished);
}

// From that one on. If it takes long, the loop has its turn in between: pings are answered, and what is settled leaves.
void Pipeline::settle(std::size_t first) {
  HOLDFAST_ASSERT(under_way_ && first <= batch_.size(), under_way_, first, batch_.size());
  const auto began = loop_.now();
  auto now = began;
  for (auto i = first; i < batch_.size(); ++i) {
    if (now - began > kBatchTime) {
      loop_.post([this, i, alive = alive_] {
        if (*alive) settle(i);
      });
      return;
    }
    const auto client = batch_[i].client;
    const auto expected = batch_[i].expected;
    finish(batch_[i]);
    const auto after = loop_.now();
    charge(client, expected, after - now);
    now = after;
  }
  long_ = long_ || now - began > kLongBatch;
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
      queue_.release(step.client, FairQueue::Hold::unfinished);
      continue;
    }
    step.outcome = step.work->execute(engine_, {settled_, loop_.wall_time(), loop_.now()});
    step.shown = settled_;
    finish(step);
  }
  if (unknown) get_stuck();
  rest();
}

// A client that reads now might see less than what is there after a crash. So none is answered until the log is known again.
void Pipeline::get_stuck() {
  for (auto& work : queue_.take_all()) work->fail(true);
  if (!std::exchange(stuck_, true)) events_.stuck(true);
  repair_later();
}

void Pipeline::repair_later() {
  loop_.at(loop_.now() + kRepairPause, [this, alive = alive_] {
    if (!*alive) return;
    under_way_ = true;
    HOLDFAST_ASSERT(stuck_ && batch_.empty(), stuck_, batch_.size());
    log({}, [this](const Logged& known) {
      if (!known) return repair_later();
      stuck_ = false;
      events_.stuck(false);
      rest();
    });
  });
}

void Pipeline::rest() {
  HOLDFAST_ASSERT(under_way_, settled_);
  batch_.clear();
  under_way_ = false;
  if (!stuck_) events_.at_rest();
  schedule();
}

}  // namespace holdfast::server
