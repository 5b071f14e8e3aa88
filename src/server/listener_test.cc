#include "server/listener.h"

#include <gtest/gtest.h>

#include "server/environment.h"
#include "server/recording_host.h"
#include "support/eventually.h"
#include "support/socket_client.h"

namespace holdfast::server {
namespace {

using testing::eventually;
using testing::framed;
using testing::SocketClient;
using namespace std::chrono_literals;

constexpr auto kSoon = 10s;

TEST(Listener, hands_on_a_frame_that_comes_byte_by_byte) {
  RecordingServer server;
  SocketClient client(server.port());
  for (const char byte : framed("hello") + framed("") + framed("world")) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 3; }));
  EXPECT_EQ(server.frames(), (std::vector<std::string>{"hello", "", "world"}));
}

TEST(Listener, hands_on_many_frames_of_one_packet_in_their_order) {
  constexpr int kFrames = 5'000;
  RecordingServer server;
  SocketClient client(server.port());
  std::string bytes;
  for (int i = 0; i < kFrames; ++i) bytes += framed(std::to_string(i));
  ASSERT_TRUE(client.send(bytes));
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == kFrames; }));
  const auto frames = server.frames();
  for (int i = 0; i < kFrames; ++i) ASSERT_EQ(frames[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST(Listener, answers_in_the_order_of_sending) {
  constexpr int kFrames = 2'000;
  RecordingServer server;
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string& f) { peer.send(framed(f)); }; });
  SocketClient client(server.port());
  std::string bytes;
  for (int i = 0; i < kFrames; ++i) bytes += framed(std::to_string(i) + std::string(i % 100 == 0 ? 50'000 : 0, '.'));
  std::thread writer([&] { client.send(bytes); });
  for (int i = 0; i < kFrames; ++i) EXPECT_TRUE(client.receive_frame().starts_with(std::to_string(i))) << i;
  writer.join();
  EXPECT_EQ(server.inside([&] { return server.host.peers.begin()->second->unsent(); }), 0U);
}

TEST(Listener, tells_where_a_client_comes_from) {
  RecordingServer server;
  SocketClient client(server.port());
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 1; }));
  const Origin origin = server.inside([&] { return server.host.origins.front(); });
  EXPECT_EQ(origin.ip, "127.0.0.1");
  EXPECT_EQ(origin.address, "127.0.0.1:" + std::to_string(origin.port));
  EXPECT_FALSE(origin.tls);
}

TEST(Listener, knows_an_ipv4_client_on_a_socket_for_both) {
  EngineOptions options;
  options.listen = {{.host = "::"}};
  RecordingServer server(options);
  SocketClient client(server.port());
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 1; }));
  EXPECT_EQ(server.inside([&] { return server.host.origins.front().ip; }), "127.0.0.1");
  EXPECT_TRUE(server.inside([&] { return server.listener->addresses(); }).front().starts_with("[::]:"));
}

TEST(Listener, tells_when_a_client_is_gone) {
  RecordingServer server;
  {
    SocketClient client(server.port());
    client.send_frame("hello");
    ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
  EXPECT_EQ(server.connections(), 0U);
}

TEST(Listener, closes_after_what_was_sent_is_out_and_does_not_tell_who_asked_for_it) {
  constexpr std::size_t kSize = 8 << 20;
  RecordingServer server;
  server.inside([&] {
    server.host.on_frame = [](Peer& peer, const std::string&) {
      peer.send(framed(std::string(kSize, 'a')));
      peer.send(framed("bye"));
      peer.close();
      peer.send(framed("too late"));
    };
  });
  SocketClient client(server.port());
  client.send_frame("go");
  EXPECT_EQ(client.receive_frame().size(), kSize);
  EXPECT_EQ(client.receive_frame(), "bye");
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.gone_count(), 0U);
}

TEST(Listener, does_not_let_unread_bytes_of_the_client_reset_its_last_answer) {
  RecordingServer server;
  server.inside([&] {
    server.host.on_frame = [](Peer& peer, const std::string&) {
      peer.send(framed(std::string(1 << 20, 'a')));
      peer.close();
    };
  });
  SocketClient client(server.port());
  client.send_frame("go");
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  client.send(std::string(200'000, 'x'));
  EXPECT_EQ(client.receive_frame().size(), 1U << 20);
  EXPECT_TRUE(client.ended());
}

TEST(Listener, receives_nothing_while_held_back_and_everything_afterwards) {
  RecordingServer server;
  server.inside([&] {
    server.host.on_frame = [](Peer& peer, const std::string& frame) {
      if (frame == "stop") peer.hold_back(true);
    };
  });
  SocketClient client(server.port());
  client.send(framed("one") + framed("stop") + framed("two") + framed("three"));
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 2; }));
  client.send(framed("four"));
  EXPECT_FALSE(eventually(50ms, [&] { return server.frame_count() > 2; }));
  server.inside([&] { server.host.peers.begin()->second->hold_back(false); });
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 5; }));
  EXPECT_EQ(server.frames().back(), "four");
}

TEST(Listener, makes_a_client_that_is_held_back_wait) {
  RecordingServer server;
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string&) { peer.hold_back(true); }; });
  SocketClient client(server.port());
  std::atomic<std::size_t> sent = 0;
  const std::string frame = framed(std::string(100'000, 'x'));
  constexpr std::size_t kFrames = 300;  // 30 MB: more than the kernel takes for two loopback sockets
  std::thread writer([&] {
    while (sent < kFrames && client.send(frame)) ++sent;
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  EXPECT_FALSE(eventually(200ms, [&] { return sent == kFrames; }));
  server.inside([&] {
    server.host.on_frame = nullptr;
    server.host.peers.begin()->second->hold_back(false);
  });
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == kFrames; }));
  writer.join();
}

TEST(Listener, closes_a_connection_that_the_host_refuses) {
  RecordingServer server;
  server.inside([&] { server.host.refuses = true; });
  SocketClient client(server.port());
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.connections(), 0U);
}

TEST(Listener, says_which_address_is_taken) {
  RecordingServer server;
  EngineOptions options;
  options.listen = {{.port = server.port()}};
  try {
    RecordingServer second(options);
    FAIL() << "listens twice";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot listen on 127.0.0.1:" + std::to_string(server.port()) + ": address already in use");
  }
}

TEST(Listener, says_which_host_it_does_not_find) {
  EngineOptions options;
  options.listen = {{.host = "300.300.300.300", .port = 1}};
  try {
    RecordingServer server(options);
    FAIL() << "listens nowhere";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("cannot listen on 300.300.300.300:1: host not found"));
  }
}

TEST(Listener, listens_on_a_port_again_that_it_has_just_left) {
  std::uint16_t port = 0;
  {
    RecordingServer server;
    port = server.port();
    server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string&) { peer.close(); }; });
    SocketClient client(port);
    client.send_frame("hello");
    EXPECT_TRUE(client.ended());  // the server closed first: its side of the port is in TIME_WAIT
  }
  EngineOptions options;
  options.listen = {{.port = port}};
  RecordingServer again(options);
  EXPECT_EQ(again.port(), port);
}

TEST(Listener, leaks_no_descriptors) {
  EngineOptions options;
  options.limits.connections_per_address = 0;
  RecordingServer server(options);
  { SocketClient first(server.port()); }
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 0; }));
  const auto before = open_file_descriptors();
  for (int round = 0; round < 10; ++round) {
    std::vector<SocketClient> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(server.port());
    for (auto& client : clients) client.send_frame("hello");
    const auto all = static_cast<std::size_t>(round + 1) * 100;
    ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == all; }));
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server.connections() == 0; }));
  // That of the first one may have been open still when they were counted; a connection is gone before its descriptor.
  EXPECT_TRUE(eventually(kSoon, [&] { return open_file_descriptors() <= before; })) << before;
  EXPECT_TRUE(server.inside([&] { return server.host.peers.empty(); }));
}

}  // namespace
}  // namespace holdfast::server
