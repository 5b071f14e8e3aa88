// The command on locks of one key each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command_run.h"
#include "support/redis_server.h"

namespace holdfast::testing {
namespace {

class CellCommand : public ::testing::Test {
 protected:
  Said run(std::vector<std::string> arguments, const std::string& mode = "cell") const {
    return run_command(std::move(arguments),
                       {{"HOLDFAST_URL", fmt::format("redis://{}?mode={}&key=lock:%s", server_.address(), mode)}});
  }
  RedisServer server_;
};

TEST_F(CellCommand, run_holds_the_key_while_the_command_runs) {
  for (const auto* mode : {"cell", "redisson"}) {
    const auto said =
        run({"run", "m", "--", "redis-cli", "-p", std::to_string(server_.port()), "EXISTS", "lock:m"}, mode);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, "1\n") << said.err;
    EXPECT_EQ(server_.ask("EXISTS lock:m"), ":0\r\n");
  }
}

TEST_F(CellCommand, run_does_not_run_while_another_library_has_the_lock) {
  server_.ask("SET lock:m 3f2504e04f8911d39a0c0305e82c3301 PX 60000");
  const auto said = run({"run", "-w", "100ms", "m", "--", "true"});
  EXPECT_EQ(said.exit_code, 75) << said.err;
  EXPECT_NE(said.err.find("3f2504e04f8911d39a0c0305e82c3301"), std::string::npos) << said.err;
}

TEST_F(CellCommand, show_and_ls_tell_what_other_libraries_have_written) {
  server_.ask("SET lock:py 3f2504e04f8911d39a0c0305e82c3301 PX 60000");
  server_.ask("HSET lock:java 8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42 2");
  const auto py = run({"show", "py"});
  EXPECT_EQ(py.exit_code, 0) << py.err;
  EXPECT_NE(py.out.find("py (mutex) at lock:py"), std::string::npos) << py.out;
  EXPECT_NE(py.out.find("3f2504e04f8911d39a0c0305e82c3301"), std::string::npos) << py.out;
  EXPECT_NE(py.out.find("redis-py"), std::string::npos) << py.out;
  EXPECT_NE(py.out.find("since    unknown"), std::string::npos) << py.out;
  for (const auto* mode : {"cell", "redisson"}) {
    const auto java = run({"show", "java"}, mode);
    EXPECT_NE(java.out.find("8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42"), std::string::npos) << java.out << java.err;
    EXPECT_NE(java.out.find("Redisson"), std::string::npos) << java.out;
    EXPECT_NE(java.out.find("an orphan, which stays until it is removed"), std::string::npos) << java.out;
  }
  const auto one = run({"ls", "py"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("py"), std::string::npos) << one.out;
  const auto all = run({"ls"});
  EXPECT_EQ(all.exit_code, 69);
  EXPECT_NE(all.err.find("ask for one by its name"), std::string::npos) << all.err;
}

TEST_F(CellCommand, break_removes_a_lock_of_another_library_only_by_force) {
  server_.ask("SET lock:py 3f2504e04f8911d39a0c0305e82c3301");
  const auto asked = run({"break", "py", "--yes", "--grace", "10ms"});
  EXPECT_NE(asked.exit_code, 0) << asked.out;
  EXPECT_EQ(server_.ask("EXISTS lock:py"), ":1\r\n");
  const auto broken = run({"break", "py", "--yes", "--force", "--grace", "10ms"});
  EXPECT_EQ(broken.exit_code, 0) << broken.err;
  EXPECT_EQ(server_.ask("EXISTS lock:py"), ":0\r\n");
}

}  // namespace
}  // namespace holdfast::testing
