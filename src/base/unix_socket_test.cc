#include "base/unix_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace holdfast::base {
namespace {

Descriptor unix_socket() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void expect_to_be_reached_at(const std::string& path) {
  const auto address = UnixAddress::of(path);
  ASSERT_TRUE(address) << path.size();
  const auto server = unix_socket();
  ASSERT_EQ(::bind(server.get(), address->get(), UnixAddress::size()), 0) << path.size();
  ASSERT_EQ(::listen(server.get(), 1), 0);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  const auto again = UnixAddress::of(path);
  const auto client = unix_socket();
  ASSERT_TRUE(again);
  ASSERT_EQ(::connect(client.get(), again->get(), UnixAddress::size()), 0) << path.size();
  EXPECT_EQ(user_at_other_end(client.get()), ::geteuid());
  const Descriptor accepted(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(user_at_other_end(accepted.get()), ::geteuid());
}

TEST(UnixSocket, is_reached_by_paths_of_every_length) {
  const testing::TempDir dir("sockets");
  // Around the limit one by one, then far past it.
  const auto start = dir.path().string().size() + 1;
  for (std::size_t length = 100; length < 115; ++length) {
    ASSERT_GT(length, start + 1);
    expect_to_be_reached_at(dir / std::string(length - start, 's'));
  }
  auto deep = dir.path();
  for (int i = 0; i < 5; ++i) deep /= std::string(200, 'd');
  std::filesystem::create_directories(deep);
  expect_to_be_reached_at(deep / "socket");
}

TEST(UnixSocket, that_cannot_be_named_says_why) {
  const testing::TempDir dir("sockets");
  EXPECT_FALSE(UnixAddress::of(dir / std::string(200, 's')));
  EXPECT_EQ(errno, ENAMETOOLONG);
  EXPECT_FALSE(UnixAddress::of(dir / std::string(200, 'd') / "socket"));
  EXPECT_EQ(errno, ENOENT);
}

TEST(UnixSocket, of_another_kind_has_no_user_at_its_other_end) {
  EXPECT_FALSE(user_at_other_end(-1));
  const Descriptor tcp(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_FALSE(user_at_other_end(tcp.get()));
}

}  // namespace
}  // namespace holdfast::base
