// What commands on local: say when the disk of its engine is full: support/small_disk.h.
#include <gtest/gtest.h>

#include "cli/local_world.h"
#include "support/small_disk.h"

namespace holdfast::testing {
namespace {

class LocalFullDisk : public LocalWorld {
 protected:
  // A shell script where 8 MiB are all there is for the engine, and `$holdfast` is the command. It ends the engine.
  Said run_script(const std::string& script) {
    const TempDir out("said");
    const SmallDisk disk(dir_.path());
    const std::string command = disk.by_itself(HOLDFAST_COMMAND, out / "holdfast");
    Process process({.argv = disk.around({"sh", "-c", "holdfast=\"$1\"\n" + script + "\n$holdfast local stop >&2",
                                          dir_.path().string(), command}),
                     .env = {{"HOLDFAST_COMMAND", command}},
                     .stdout_file = out / "out",
                     .stderr_file = out / "err"});
    process.close_stdin();
    const auto code = process.wait(kLocalPatience);
    return {code, contents(out / "out"), contents(out / "err")};
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(LocalFullDisk, is_named_by_a_run_that_gets_no_session) {
  // The log's segment has room of its own, which is used up by ever smaller nodes.
  const auto said = run_script(R"(
    $holdfast run --connect-timeout 60s x -- echo before
    dd if=/dev/zero of="$0/filler" bs=4k 2>/dev/null
    for size in 60000 6000 600 60 6; do
      data=$(head -c $size /dev/zero | tr '\0' x)
      for i in $(seq 150); do echo "create /n-$size-$i $data"; done
    done | $holdfast shell --keep-going 2>&1 >/dev/null | grep -c "could not do that: .* MiB are free in" >/dev/null &&
      echo refused
    $holdfast run x -- echo never
    echo "code $?"
    $holdfast ls --connect-timeout 1s
    echo "code $?"
    $holdfast shell --connect-timeout 1s -- ls /
    echo "code $?"
    rm "$0/filler"
    $holdfast run --connect-timeout 60s x -- echo after)");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out, "before\nrefused\ncode 69\ncode 69\ncode 69\nafter\n") << said.err;
  const auto room = "only 0 MiB are free in " + state().string() + "; make room";
  EXPECT_NE(said.err.find("holdfast: " + room), std::string::npos) << "while it waits: " << said.err;
  EXPECT_EQ(count(said.err, "; " + room), 3U) << "and why it gave up: " << said.err;
}

TEST_F(LocalFullDisk, is_named_once_by_a_run_that_waits_for_its_turn) {
  const auto said = run_script(R"(
    $holdfast run --connect-timeout 60s x -- sh -c "$holdfast run --connect-timeout 60s -v -w 2 x -- echo never")");
  EXPECT_EQ(count(said.err, "MiB are free in " + state().string()), 2U) << "and why it gave up: " << said.err;
  EXPECT_NE(said.err.find("the command was not run; only "), std::string::npos) << said.err;
}

TEST_F(LocalFullDisk, is_not_suspected_where_there_is_room) {
  Process other(holder("x"));
  ASSERT_TRUE(first_line(other).starts_with("token "));
  const auto said = run({"run", "--connect-timeout", "60s", "-v", "-w", "1", "x", "--", "true"});
  EXPECT_EQ(said.exit_code, 75);
  EXPECT_NE(said.err.find("waiting for x"), std::string::npos) << said.err;
  EXPECT_EQ(said.err.find("MiB"), std::string::npos) << said.err;
}

}  // namespace
}  // namespace holdfast::testing
