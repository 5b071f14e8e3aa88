#include <gtest/gtest.h>

#include <future>
#include <new>

#include "lock/loop.h"
#include "support/failing_memory.h"

namespace holdfast::lock {
namespace {

using testing::FailingMemory;

// Whether there was memory for it.
bool post(Loop& loop, std::size_t allocations, Loop::Function f) {
  const FailingMemory failing(allocations);
  try {
    loop.post(std::move(f));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

TEST(LoopWithoutMemory, does_not_run_what_it_could_not_take_and_runs_what_is_posted_later) {
  std::size_t refusals = 0;
  for (bool taken = false; !taken; ++refusals) {
    Loop loop;
    bool ran = false;
    taken = post(loop, refusals, [&ran] { ran = true; });
    std::promise<void> later;
    loop.post([&later] { later.set_value(); });
    EXPECT_EQ(later.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready) << refusals;
    loop.stop();
    EXPECT_EQ(ran, taken) << refusals;
  }
  EXPECT_GT(refusals, 2u) << "of its list, and of the machinery below it";
}

}  // namespace
}  // namespace holdfast::lock
