// `holdfast break`.
#include <regex>
#include <stop_token>

#include "cli/lock_command.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Break : public LockCommand {
 protected:
  Client client_ = connect({.purpose = "monthly run"});
};

TEST_F(Break, a_holder_that_listens_gives_it_back) {
  auto lease = client_.mutex("m").acquire();
  const std::stop_callback obey(lease.revoked(), [&] { lease.release(); });
  const auto ran = run({"break", "m"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "m: asked 1, gave it back 1, removed 0; now free\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(Break, a_holder_that_does_not_keeps_it_without_force) {
  auto lease = client_.mutex("m").acquire();
  const auto ran = run({"break", "m", "--grace", "200ms"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.out.starts_with("m: asked 1, gave it back 0, removed 0; now held by ")) << ran.out;
  EXPECT_EQ(ran.err, "holdfast: 1 holder did not give m back within 200ms; --force would remove it\n");
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Break, a_holder_that_is_removed_by_force_is_told_and_the_next_one_holds) {
  auto lease = client_.mutex("m").acquire();
  Waiting next(connect({.purpose = "the next"}), "m");
  wait_for_queue(client_, "m", 2);
  const auto ran = run({"break", "m", "--grace", "100ms", "--force", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("m: asked 1, gave it back 0, removed 1; now held by ")) << ran.out;
  EXPECT_TRUE(has(ran.out, ": the next for ")) << ran.out;
  EXPECT_TRUE(has(ran.err, "only a fencing token keeps it from writing")) << ran.err;
  EXPECT_TRUE(next.has_it());
  EXPECT_TRUE(eventually(kLong, [&] { return lease.lost().stop_requested(); }));
}

TEST_F(Break, who_holds_stays_to_be_seen_after_asking) {
  auto lease = client_.mutex("m").acquire();
  const auto before = run({"show", "m", "--json"}).json()["holders"][0];
  const auto ran = run({"break", "m", "--grace", "0"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.out, ": monthly run (asked to give it back) for ")) << ran.out;
  const auto after = run({"show", "m", "--json"}).json()["holders"][0];
  EXPECT_EQ(after["asked"], true);
  for (const auto* key : {"host", "pid", "thread", "program", "purpose", "address", "recipe", "id", "token"}) {
    EXPECT_EQ(after[key], before[key]) << key;
  }
  EXPECT_TRUE(has(run({"ls"}).out, ": monthly run (asked to give it back)")) << run({"ls"}).out;
  EXPECT_TRUE(lease.revoked().stop_requested() || eventually(kLong, [&] { return lease.revoked().stop_requested(); }))
      << "also a holder that begins to listen later is told";
}

TEST_F(Break, what_a_strangers_ticket_said_is_shown_after_asking) {
  make_foreign("c", "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-0000000001", "10.0.0.7", 0);
  const auto ran = run({"break", "c", "--grace", "0"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.out, "now held by 10.0.0.7 (Curator) (asked to give it back) for ")) << ran.out;
}

TEST_F(Break, all_readers_are_asked) {
  auto other = connect();
  auto first = client_.shared_mutex("m").acquire_shared();
  auto second = other.shared_mutex("m").acquire_shared();
  const std::stop_callback obey(first.revoked(), [&] { first.release(); });
  const auto ran = run({"break", "m", "--grace", "500ms", "--force", "-y"});
  EXPECT_EQ(ran.out, "m: asked 2, gave it back 1, removed 1; now free\n") << ran.err;
  EXPECT_EQ(ran.code, 0);
}

TEST_F(Break, a_strangers_ticket_can_be_removed) {
  make_foreign("k", "0f0e8a3c2b1d4c5e8f90123456789abc__lock__0000000001", "worker-7", 0);
  const auto ran = run({"break", "k", "--grace", "0s", "--force", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "k: asked 1, gave it back 0, removed 1; now free\n");
}

TEST_F(Break, force_without_a_terminal_has_to_be_confirmed_in_words) {
  auto lease = client_.mutex("m").acquire();
  const auto ran = run({"break", "m", "--force"});
  EXPECT_EQ(ran.code, 64);
  EXPECT_EQ(ran.err, "holdfast: --force without a terminal to confirm it needs --yes, too\n");
  EXPECT_FALSE(client_.inspect("m").tickets.at(0).revoked) << "not even asked";
}

TEST_F(Break, what_nobody_holds_is_broken_already) {
  const auto ran = run({"break", "m"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "holdfast: m is not held\n");
}

TEST_F(Break, says_that_permits_cannot_be_asked_for) {
  auto permit = client_.semaphore("pool", 2).acquire();
  const auto ran = run({"break", "pool", "--force", "--yes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.starts_with("holdfast: pool is a semaphore, held by ")) << ran.err;
  EXPECT_TRUE(has(ran.err, "permits cannot be asked for: stop the processes that have them")) << ran.err;
  EXPECT_TRUE(permit.is_held());
}

TEST_F(Break, says_in_json_what_it_did) {
  auto lease = client_.mutex("m").acquire();
  const auto document = run({"break", "m", "--grace", "0s", "--force", "--yes", "--json"}).json();
  EXPECT_EQ(document["name"], "m");
  EXPECT_EQ(document["asked"], 1);
  EXPECT_EQ(document["gave_back"], 0);
  EXPECT_EQ(document["removed"], 1);
  EXPECT_EQ(document["still_holding"], 0);
  EXPECT_EQ(document["holders"].size(), 0U);
}

TEST_F(Break, a_grace_that_makes_no_sense_is_one_sentence) {
  const auto ran = run({"break", "m", "--grace", "soon"});
  EXPECT_EQ(ran.code, 64);
  EXPECT_EQ(ran.err, "holdfast: --grace: write a time from 0s to 1d, such as 2s or 500ms\n");
}

TEST_F(Break, asks_a_person_first_and_does_what_was_said) {
  auto lease = client_.mutex("m").acquire();
  Pty tty(words({"break", "m", "--grace", "100ms", "--force"}));
  ASSERT_TRUE(tty.expect(
      std::regex("break m, held by .*: monthly run for [0-9ms]+, by force after 100ms\\? \\[y/N\\] "), kLong))
      << tty.text();
  EXPECT_TRUE(lease.is_held());
  tty.send("y\n");
  EXPECT_EQ(tty.wait(kLong), 0) << tty.text();
  EXPECT_TRUE(tty.expect("removed 1", kLong)) << tty.text();
  EXPECT_TRUE(client_.inspect("m").tickets.empty());
}

TEST_F(Break, leaves_it_alone_unless_the_answer_is_yes) {
  auto lease = client_.mutex("m").acquire();
  for (const auto* answer : {"\n", "n\n", "what?\n", "\x04"}) {
    Pty tty(words({"break", "m", "--grace", "0s", "--force"}));
    ASSERT_TRUE(tty.expect("? [y/N] ", kLong)) << tty.text();
    tty.send(answer);
    EXPECT_EQ(tty.wait(kLong), 1) << tty.text();
    EXPECT_TRUE(tty.expect("nothing was done", kLong)) << tty.text();
  }
  EXPECT_FALSE(client_.inspect("m").tickets.at(0).revoked);
}

TEST_F(Break, leaves_it_alone_when_somebody_else_holds_it_by_the_time_of_the_answer) {
  auto lease = client_.mutex("m").acquire();
  Waiting next(connect({.purpose = "the next"}), "m");
  wait_for_queue(client_, "m", 2);
  Pty tty({.argv = words({"break", "m", "--grace", "0s", "--force"}), .columns = 300});
  ASSERT_TRUE(tty.expect("? [y/N] ", kLong)) << tty.text();
  lease.release();
  ASSERT_TRUE(next.has_it());
  tty.send("y\n");
  EXPECT_EQ(tty.wait(kLong), 1) << tty.text();
  EXPECT_TRUE(tty.expect("nothing was done: m is now held by ", kLong)) << tty.text();
  EXPECT_EQ(client_.inspect("m").tickets.size(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
