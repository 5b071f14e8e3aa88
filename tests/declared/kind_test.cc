// Kinds of declared locks, and what settings say about them.
#include <thread>

#include "declared.h"

namespace holdfast::testing {
namespace {

using DeclaredKind = Declared;

TEST_F(DeclaredKind, is_a_re_entrant_mutex_by_default) {
  auto outer = locked(client, "a", [&] {
    EXPECT_FALSE(rival.mutex("a").try_acquire());
    return with_lock(client, "a", [] { return true; });
  });
  EXPECT_TRUE(outer());
}

TEST_F(DeclaredKind, non_reentrant_waits_for_itself) {
  const LockSpec once{.name = "a", .type = LockType::non_reentrant, .wait = kNotLong};
  EXPECT_FALSE(with_lock(client, once, [&] {
    return with_lock(
        client, once, [] {}, skip);
  }));
}

TEST_F(DeclaredKind, read_admits_readers_and_a_writer_may_read) {
  const LockSpec read{.name = "a", .type = LockType::read, .wait = kNotLong};
  const LockSpec write{.name = "a", .type = LockType::write, .wait = kNotLong};
  with_lock(client, read, [&] {
    EXPECT_TRUE(with_lock(
        rival, read, [] {}, skip));
    EXPECT_FALSE(with_lock(
        rival, write, [] {}, skip));
  });
  EXPECT_TRUE(with_lock(client, write, [&] {
    return with_lock(
        client, read, [] {}, skip);
  }));
  EXPECT_EQ(code_of([&] {
              with_lock(client, read, [&] {
                with_lock(
                    client, write, [] {}, skip);
              });
            }),
            Errc::deadlock);
}

TEST_F(DeclaredKind, semaphore_takes_a_permit_for_each_call) {
  const LockSpec two{.name = "a", .type = LockType::semaphore, .wait = kNotLong, .permits = 2};
  EXPECT_TRUE(with_lock(client, two, [&] {
    return with_lock(client, two, [&] {
      return !with_lock(
          client, two, [] {}, skip);
    });
  }));
}

TEST_F(DeclaredKind, multi_re_enters_too) {
  const LockSpec both{.names = {"a", "b"}};
  EXPECT_TRUE(with_lock(client, both, [&] { return with_lock(client, both, [] { return true; }); }));
}

TEST_F(DeclaredKind, leaves_to_settings_what_it_does_not_say) {
  const auto rules = std::make_shared<LockRules>(
      std::vector<LockRules::Rule>{{"jobs/*", {.type = LockType::semaphore, .wait = kNotLong, .permits = 1}}});
  auto ours = Client::connect("memory:", {.locks = rules});
  const auto is_semaphore = [&](int job) { return rival.inspect(lock_name("jobs/{}", job)).semaphore; };
  auto run = locked(ours, "jobs/{0}", is_semaphore, skip);
  auto firm = locked(ours, {.name = "jobs/{0}", .type = LockType::mutex}, is_semaphore);
  EXPECT_EQ(run(1), true);
  EXPECT_FALSE(firm(3)) << "the code has said what it is";

  const auto theirs = rival.semaphore("jobs/1", 1).acquire();
  EXPECT_EQ(run(1), std::nullopt)
      << "the wait is from the settings: an hour of the default would be too long for this test";

  rules->replace({{"jobs/*", {.type = LockType::read}}});
  EXPECT_EQ(run(2), false) << "a change counts for the next call";
  rules->replace({{"jobs/*", {.type = LockType::semaphore}}});
  EXPECT_EQ(sentence_of([&] { run(1); }), "the semaphore jobs/1 is declared without permits");
}

}  // namespace
}  // namespace holdfast::testing
