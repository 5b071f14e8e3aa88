#include "declare/locks.h"

#include <gtest/gtest.h>

#include <thread>

namespace holdfast::declare {
namespace {

using namespace std::chrono_literals;

Wanted wanted(std::string name, LockOptions options = {}) {
  Wanted made;
  made.names.push_back(std::move(name));
  made.wait = 0ms;
  made.options = std::move(options);
  return made;
}

class LocksTest : public ::testing::Test {
 protected:
  Client client_ = Client::connect("memory:");
  std::shared_ptr<Locks> locks_ = Locks::of(client_);
};
using LocksOfAClient = LocksTest;

TEST_F(LocksOfAClient, are_one_object_for_each_name_and_kind) {
  const auto a = locks_->find(wanted("a"));
  EXPECT_EQ(locks_->find(wanted("a")), a);
  EXPECT_NE(locks_->find(wanted("b")), a);
  auto write = wanted("a");
  write.type = LockType::write;
  auto read = wanted("a");
  read.type = LockType::read;
  EXPECT_NE(locks_->find(write), a);
  EXPECT_EQ(locks_->find(write), locks_->find(read)) << "both sides are one SharedMutex";
  EXPECT_EQ(Locks::of(client_), locks_);
  auto moved = std::move(client_);
  EXPECT_EQ(Locks::of(moved), locks_);
}

TEST_F(LocksOfAClient, differ_by_options_unless_this_thread_holds_one) {
  const auto limited = locks_->find(wanted("a", {.max_hold = 1h}));
  const auto held = limited->acquire(wanted("a"), {});
  ASSERT_TRUE(held);
  EXPECT_EQ(locks_->find(wanted("a")), limited);
  std::shared_ptr<LockObject> plain;
  std::jthread([&] { plain = locks_->find(wanted("a")); }).join();
  EXPECT_NE(plain, limited);
  EXPECT_EQ(locks_->find(wanted("a")), limited) << "which this thread still holds";
}

TEST_F(LocksOfAClient, are_dropped_when_many_are_not_in_use) {
  const auto used = locks_->find(wanted("used"));
  const std::weak_ptr<LockObject> idle = locks_->find(wanted("idle"));
  EXPECT_FALSE(idle.expired());
  for (int i = 0; i < 5'000; ++i) locks_->find(wanted("orders/" + std::to_string(i)));
  EXPECT_TRUE(idle.expired());
  EXPECT_LE(locks_->size(), 1'025U);
  EXPECT_EQ(locks_->find(wanted("used")), used);
}

TEST_F(LocksOfAClient, are_not_the_client) {
  locks_->find(wanted("a"));
  locks_.reset();
  { const auto again = Locks::of(client_); }
  EXPECT_EQ(client_.state(), ConnectionState::connected);
}

}  // namespace
}  // namespace holdfast::declare
