#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <fstream>
#include <set>

#include "eventually.h"
#include "free_port.h"
#include "temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(Eventually, is_true_as_soon_as_the_predicate_is) {
  int asked = 0;
  EXPECT_TRUE(eventually(10s, [&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

TEST(Eventually, gives_up_when_the_time_is_up) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(eventually(30ms, [] { return false; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
}

TEST(FreePort, gives_distinct_ports) {
  const auto ports = free_ports(20);
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), 20u);
}

TEST(FreePort, is_claimed_for_us_and_open_to_our_server) {
  asio::io_context context;
  using asio::ip::tcp;
  const auto port = free_port();
  tcp::socket rival(context, tcp::v4());
  std::error_code error;
  rival.bind({asio::ip::make_address("127.77.0.1"), port}, error);
  EXPECT_EQ(error, asio::error::address_in_use);
  EXPECT_NO_THROW(tcp::acceptor(context, {asio::ip::address_v4::loopback(), port}));
  EXPECT_NO_THROW(tcp::acceptor(context, {tcp::v4(), port}));
}

TEST(TempDir, is_removed_with_all_that_is_in_it) {
  std::filesystem::path path;
  {
    TempDir dir("parts");
    path = dir.path();
    std::filesystem::create_directories(dir / "a/b");
    std::ofstream(dir / "a/b/file") << "x";
    EXPECT_TRUE(std::filesystem::exists(path / "a/b/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDir, moves_with_its_owner) {
  TempDir first;
  const auto path = first.path();
  {
    const TempDir second = std::move(first);
    EXPECT_EQ(second.path(), path);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace holdfast::testing
