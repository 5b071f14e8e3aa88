#include "net/frame_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/descriptor.h"
#include "base/unix_socket.h"
#include "support/free_port.h"
#include "support/temp_dir.h"
#include "wire/records.h"

namespace holdfast::net {
namespace {

// A server on this machine that takes what comes as it comes.
class Peer {
 public:
  Peer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }

  std::string port() const { return std::to_string(port_); }
  void accept() { peer_ = base::Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void say(std::string_view bytes) {
    EXPECT_EQ(::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string hear(std::size_t size) {
    std::string bytes(size, '\0');
    const auto got = ::recv(peer_.get(), bytes.data(), size, MSG_WAITALL);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  bool hears_something() {
    char byte = 0;
    return ::recv(peer_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  }
  void hang_up() { peer_.reset(); }

 private:
  base::Descriptor listener_;
  base::Descriptor peer_;
  std::uint16_t port_ = 0;
};

// Until something has happened on it.
void wait_for(FrameSocket& socket) {
  const short wanted = socket.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
  pollfd polled{socket.fd(), wanted, 0};
  EXPECT_EQ(::poll(&polled, 1, 10'000), 1);
  socket.on_ready();
}

class FrameSocketTest : public ::testing::Test {
 protected:
  FrameSocketTest() { peer_.accept(); }

  Peer peer_;
  FrameSocket socket_{ServerAddress{"127.0.0.1", peer_.port()}};
};

TEST_F(FrameSocketTest, sends_what_was_given_to_it_before_it_was_connected) {
  socket_.send("abc");
  while (socket_.connecting()) wait_for(socket_);
  socket_.on_ready();
  EXPECT_EQ(peer_.hear(7), std::string("\0\0\0\3abc", 7));
}

TEST_F(FrameSocketTest, keeps_what_is_held_and_sends_it_in_one_piece) {
  while (socket_.connecting()) wait_for(socket_);
  socket_.hold(true);
  socket_.send("a");
  socket_.on_ready();
  EXPECT_FALSE(peer_.hears_something());
  socket_.send("b");
  socket_.hold(false);
  EXPECT_EQ(peer_.hear(10), std::string("\0\0\0\1a\0\0\0\1b", 10));
}

TEST_F(FrameSocketTest, gives_frames_whole_however_they_come) {
  while (socket_.connecting()) wait_for(socket_);
  const std::string two("\0\0\0\3abc\0\0\0\0", 11);
  for (const char byte : two.substr(0, 6)) {
    peer_.say({&byte, 1});
    wait_for(socket_);
    EXPECT_EQ(socket_.next_frame(), std::nullopt);
  }
  peer_.say(two.substr(6));
  wait_for(socket_);
  EXPECT_EQ(socket_.next_frame(), "abc");
  EXPECT_EQ(socket_.next_frame(), "");
  EXPECT_EQ(socket_.next_frame(), std::nullopt);
}

TEST_F(FrameSocketTest, gives_very_many_small_ones) {
  while (socket_.connecting()) wait_for(socket_);
  constexpr int kFrames = 200'000;
  std::thread writer([&] {
    std::string all;
    for (int i = 0; i < kFrames; ++i) all += wire::frame(std::to_string(i));
    peer_.say(all);
  });
  int got = 0;
  while (got < kFrames && !socket_.closed()) {
    wait_for(socket_);
    while (const auto each = socket_.next_frame()) ASSERT_EQ(*each, std::to_string(got++));
  }
  writer.join();
  EXPECT_EQ(got, kFrames);
}

TEST_F(FrameSocketTest, gives_what_came_before_the_end) {
  while (socket_.connecting()) wait_for(socket_);
  peer_.say(std::string("\0\0\0\1x", 5));
  peer_.hang_up();
  while (!socket_.closed()) wait_for(socket_);
  EXPECT_EQ(socket_.next_frame(), "x");
  EXPECT_EQ(socket_.reason(), "closed by the server");
  EXPECT_EQ(socket_.fd(), -1);
}

TEST_F(FrameSocketTest, is_closed_by_a_length_that_no_server_sends) {
  while (socket_.connecting()) wait_for(socket_);
  peer_.say("\xff\xff\xff\xff");
  wait_for(socket_);
  EXPECT_EQ(socket_.next_frame(), std::nullopt);
  EXPECT_TRUE(socket_.closed());
}

TEST_F(FrameSocketTest, keeps_what_the_other_side_does_not_take_yet) {
  while (socket_.connecting()) wait_for(socket_);
  const std::string much(8 << 20, 'x');
  socket_.send(much);
  EXPECT_TRUE(socket_.wants_to_write());
  std::string heard;
  std::thread reader([&] { heard = peer_.hear(much.size() + 4); });
  while (socket_.wants_to_write()) wait_for(socket_);
  reader.join();
  EXPECT_EQ(heard.substr(4), much);
}

TEST(FrameSocketNobody, says_why_there_is_no_connection) {
  FrameSocket socket({"127.0.0.1", std::to_string(testing::free_port())});
  while (!socket.closed()) wait_for(socket);
  EXPECT_EQ(socket.reason(), "Connection refused");
  FrameSocket nowhere({"no such host", "1"});
  EXPECT_TRUE(nowhere.closed());
  EXPECT_FALSE(nowhere.reason().empty());
}

// By a path that is too long for an address, as a state directory may have one.
TEST(FrameSocketOfPath, speaks_to_a_server_of_ours) {
  const testing::TempDir dir("socket");
  const auto path = (dir / std::string(100, 'd') / "socket").string();
  std::filesystem::create_directory(dir / std::string(100, 'd'));
  EXPECT_EQ(FrameSocket({path, ""}).reason(), "No such file or directory");
  const auto address = base::UnixAddress::of(path);
  const base::Descriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(server.get(), address->get(), base::UnixAddress::size()), 0);
  EXPECT_EQ(FrameSocket({path, ""}).reason(), "Connection refused");
  ASSERT_EQ(::listen(server.get(), 1), 0);

  FrameSocket socket({path, ""});
  ASSERT_FALSE(socket.closed()) << socket.reason();
  EXPECT_FALSE(socket.connecting());
  socket.send("hello");
  const base::Descriptor peer(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
  std::string heard(9, '\0');
  EXPECT_EQ(::recv(peer.get(), heard.data(), heard.size(), MSG_WAITALL), 9);
  EXPECT_EQ(heard, std::string("\0\0\0\5hello", 9));
  EXPECT_EQ(::send(peer.get(), heard.data(), heard.size(), MSG_NOSIGNAL), 9);
  wait_for(socket);
  EXPECT_EQ(socket.next_frame(), "hello");
}

// The process that begins to listen is the user that a client sees: become another one for that moment.
TEST(FrameSocketOfPath, says_nothing_to_a_server_of_another_user) {
  ASSERT_EQ(::geteuid(), 0U) << "this test must be root to become another user";
  const testing::TempDir dir("socket");
  const auto path = (dir / "socket").string();
  const auto address = base::UnixAddress::of(path);
  const base::Descriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(server.get(), address->get(), base::UnixAddress::size()), 0);
  ASSERT_EQ(::seteuid(65534), 0);
  EXPECT_EQ(::listen(server.get(), 1), 0);
  ASSERT_EQ(::seteuid(0), 0);
  FrameSocket socket({path, ""});
  EXPECT_TRUE(socket.closed());
  EXPECT_EQ(socket.reason(), "it belongs to another user");
  EXPECT_EQ(socket.fd(), -1);
}

}  // namespace
}  // namespace holdfast::net
