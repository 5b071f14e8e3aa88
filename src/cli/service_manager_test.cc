#include "cli/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "support/temp_dir.h"

namespace holdfast::cli {
namespace {

// As systemd's: a datagram socket at a path, or with an abstract name.
class NotifySocket {
 public:
  explicit NotifySocket(std::string name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name[0] == '@') name[0] = '\0';
    std::memcpy(address.sun_path, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  ~NotifySocket() { ::close(fd_); }

  // A datagram is there as soon as it was sent.
  std::string received() {
    std::array<char, 512> buffer{};
    const auto got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    return got < 0 ? "nothing" : std::string(buffer.data(), static_cast<std::size_t>(got));
  }

 private:
  int fd_;
};

TEST(ServiceManager, is_told_at_a_path) {
  const testing::TempDir dir("notify");
  NotifySocket socket(dir / "notify");
  const ServiceManager manager(dir / "notify");
  EXPECT_TRUE(manager.ready("serving on 127.0.0.1:2181").has_value());
  EXPECT_EQ(socket.received(), "READY=1\nSTATUS=serving on 127.0.0.1:2181\n");
  EXPECT_TRUE(manager.stopping("bye").has_value());
  EXPECT_EQ(socket.received(), "STOPPING=1\nSTATUS=bye\n");
}

TEST(ServiceManager, is_told_at_an_abstract_name) {
  const auto name = "@holdfast-test-" + std::to_string(::getpid());
  NotifySocket socket(name);
  EXPECT_TRUE(ServiceManager(name).ready("x").has_value());
  EXPECT_EQ(socket.received(), "READY=1\nSTATUS=x\n");
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
