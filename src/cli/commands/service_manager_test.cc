#include "cli/commands/service_manager.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/notify_socket.h"
#include "support/temp_dir.h"

namespace holdfast::cli {
namespace {

using testing::NotifySocket;
using namespace std::chrono_literals;

TEST(ServiceManager, is_told_at_a_path) {
  const testing::TempDir dir("notify");
  NotifySocket socket(dir / "notify");
  const ServiceManager manager(dir / "notify");
  EXPECT_TRUE(manager.ready("serving on 127.0.0.1:2181").has_value());
  EXPECT_EQ(socket.received(10s), "READY=1\nSTATUS=serving on 127.0.0.1:2181\n");
  EXPECT_TRUE(manager.stopping("bye").has_value());
  EXPECT_EQ(socket.received(10s), "STOPPING=1\nSTATUS=bye\n");
}

TEST(ServiceManager, is_told_at_an_abstract_name) {
  const auto name = "@holdfast-test-" + std::to_string(::getpid());
  NotifySocket socket(name);
  EXPECT_TRUE(ServiceManager(name).ready("x").has_value());
  EXPECT_EQ(socket.received(10s), "READY=1\nSTATUS=x\n");
}

TEST(ServiceManager, nobody_is_told_where_nobody_waits) { EXPECT_TRUE(ServiceManager("").ready("x").has_value()); }

TEST(ServiceManager, that_cannot_be_reached_is_an_error_for_the_log) {
  const testing::TempDir dir("notify");
  const auto gone = ServiceManager(dir / "gone").ready("x");
  ASSERT_FALSE(gone.has_value());
  EXPECT_NE(gone.error().find("cannot notify"), std::string::npos) << gone.error();
  EXPECT_FALSE(ServiceManager("relative").ready("x").has_value());
  EXPECT_FALSE(ServiceManager("vsock:2:1234").ready("x").has_value());
  EXPECT_FALSE(ServiceManager("/" + std::string(200, 'x')).ready("x").has_value());
}

TEST(ServiceManager, that_reads_nothing_does_not_hold_us_up) {
  const testing::TempDir dir("notify");
  const NotifySocket socket(dir / "notify");
  const ServiceManager manager(dir / "notify");
  bool full = false;
  for (int i = 0; i < 100'000 && !full; ++i) full = !manager.ready("x").has_value();
  EXPECT_TRUE(full);
}

}  // namespace
}  // namespace holdfast::cli
