#include "tcp_relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "free_port.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Long enough to see that nothing comes.
constexpr auto kAWhile = 100ms;

class Socket {
 public:
  explicit Socket(int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Socket() { close(); }

  static Socket listening(std::uint16_t port) {
    Socket socket;
    const auto address = loopback(port);
    const int on = 1;
    ::setsockopt(socket.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    EXPECT_EQ(::bind(socket.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.fd_, 10), 0);
    return socket;
  }
  static Socket connected(std::uint16_t port) {
    Socket socket;
    const auto address = loopback(port);
    EXPECT_EQ(::connect(socket.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  bool readable(std::chrono::milliseconds within) const {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, static_cast<int>(within.count())) == 1;
  }
  Socket accept() const { return readable(10s) ? Socket(::accept(fd_, nullptr, nullptr)) : Socket(-1); }
  void send(std::string_view text) const {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // `size` bytes, or what there was before the end; nothing at all if the connection was reset.
  std::optional<std::string> receive(std::size_t size) const {
    std::string text;
    while (text.size() < size && readable(10s)) {
      std::array<char, 4'096> buffer{};
      const auto n = ::recv(fd_, buffer.data(), std::min(buffer.size(), size - text.size()), 0);
      if (n < 0) return std::nullopt;
      if (n == 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return text;
  }
  bool ended() const { return readable(10s) && receive(1).value_or("").empty(); }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  int fd_;
};

class TcpRelayTest : public ::testing::Test {
 protected:
  const std::uint16_t target_port_ = free_port();
  Socket target_ = Socket::listening(target_port_);
  TcpRelay relay_{target_port_};
  Socket near_ = Socket::connected(relay_.port());
  Socket far_ = target_.accept();
};

TEST_F(TcpRelayTest, passes_bytes_both_ways_and_the_end_of_each) {
  std::string much(1'000'000, '\0');
  for (std::size_t i = 0; i < much.size(); ++i) much[i] = static_cast<char>(i * 7 / 5);
  std::thread sender([&] { near_.send(much); });
  EXPECT_EQ(far_.receive(much.size()), much);
  sender.join();
  near_.end_sending();
  EXPECT_TRUE(far_.ended());
  far_.send("still");
  EXPECT_EQ(near_.receive(5), "still");
  far_.close();
  EXPECT_TRUE(near_.ended());
}

TEST_F(TcpRelayTest, stalled_it_passes_nothing_and_once_healed_everything_in_order) {
  far_.send("0");
  EXPECT_EQ(near_.receive(1), "0");
  relay_.stall();
  near_.send("a");
  near_.send("b");
  far_.send("c");
  EXPECT_FALSE(far_.readable(kAWhile));
  EXPECT_FALSE(near_.readable(kAWhile));
  relay_.heal();
  EXPECT_EQ(far_.receive(2), "ab");
  EXPECT_EQ(near_.receive(1), "c");
  near_.send("d");
  EXPECT_EQ(far_.receive(1), "d");
}

TEST_F(TcpRelayTest, stalled_it_keeps_the_end_of_a_connection_to_itself) {
  relay_.stall();
  near_.send("last words");
  near_.close();
  EXPECT_FALSE(far_.readable(kAWhile));
  relay_.heal();
  EXPECT_EQ(far_.receive(10), "last words");
  EXPECT_TRUE(far_.ended());
}

TEST_F(TcpRelayTest, stalled_it_accepts_connections_and_does_not_pass_them_on) {
  relay_.stall();
  const auto another = Socket::connected(relay_.port());
  another.send("hello");
  EXPECT_FALSE(target_.readable(kAWhile));
  EXPECT_FALSE(another.readable(kAWhile));
  relay_.heal();
  EXPECT_EQ(target_.accept().receive(5), "hello");
}

TEST_F(TcpRelayTest, cuts_all_connections_also_while_stalled) {
  relay_.stall();
  near_.send("never");
  EXPECT_FALSE(far_.readable(kAWhile));
  relay_.cut_all();
  EXPECT_TRUE(near_.ended());
  EXPECT_TRUE(far_.ended());
  relay_.heal();
  const auto next = Socket::connected(relay_.port());
  next.send("next");
  EXPECT_EQ(target_.accept().receive(4), "next");
}

TEST_F(TcpRelayTest, cuts_at_a_byte_once) {
  relay_.cut_after(TcpRelay::Direction::to_target, 3);
  far_.send("unharmed");
  EXPECT_EQ(near_.receive(8), "unharmed") << "the other way is not counted";
  near_.send("abc");
  EXPECT_EQ(far_.receive(3), "abc");
  EXPECT_FALSE(relay_.cut());
  near_.send("def");
  EXPECT_TRUE(far_.ended());
  EXPECT_TRUE(near_.ended());
  EXPECT_TRUE(relay_.cut());
  const auto next = Socket::connected(relay_.port());
  next.send("next");
  EXPECT_EQ(target_.accept().receive(4), "next");
  EXPECT_EQ(relay_.passed(TcpRelay::Direction::to_target), 7U);
  EXPECT_EQ(relay_.passed(TcpRelay::Direction::from_target), 8U);
}

TEST(TcpRelay, asks_a_target_again_that_refuses_at_first) {
  const auto port = free_port();
  TcpRelay relay(port);
  const auto near = Socket::connected(relay.port());
  near.send("early");
  EXPECT_FALSE(near.readable(kAWhile));
  const auto target = Socket::listening(port);
  EXPECT_EQ(target.accept().receive(5), "early");
}

}  // namespace
}  // namespace holdfast::testing
