#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <optional>

#include "base/log.h"
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
constexpr auto kHandshake = 100ms;

EngineOptions impatient() {
  EngineOptions options;
  options.limits.handshake = kHandshake;
  return options;
}

TEST(ListenerLimits, a_frame_that_is_too_long_closes_its_connection_and_no_other) {
  EngineOptions options;
  options.limits.frame = 1'000;
  RecordingServer server(options);
  SocketClient good(server.port());
  SocketClient bad(server.port());
  good.send_frame(std::string(1'000, 'x'));
  bad.send(framed(std::string(1'001, 'x')).substr(0, 4));
  EXPECT_TRUE(bad.ended());
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
  good.send_frame("still here");
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 2; }));
}

TEST(ListenerLimits, a_negative_length_closes_the_connection) {
  RecordingServer server;
  SocketClient client(server.port());
  client.send_frame("hello");
  client.send("\xff\xff\xff\xff");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.frame_count(), 1U);
}

TEST(ListenerLimits, a_client_that_says_nothing_is_closed) {
  RecordingServer server(impatient());
  SocketClient client(server.port());
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
}

TEST(ListenerLimits, a_client_that_drips_its_first_frame_is_closed) {
  RecordingServer server(impatient());
  SocketClient client(server.port());
  const std::string frame = framed(std::string(10'000, 'x'));
  const auto begin = std::chrono::steady_clock::now();
  std::size_t sent = 0;
  // A byte every now and then does not count as progress.
  EXPECT_TRUE(eventually(kSoon, [&] {
    client.send(std::string_view(frame).substr(sent++, 1));
    return server.gone_count() == 1;
  }));
  EXPECT_LT(sent, frame.size());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kHandshake);
}

TEST(ListenerLimits, a_client_that_is_silent_between_frames_stays) {
  RecordingServer server(impatient());
  const std::uint16_t port = server.port();
  std::optional<SocketClient> client;
  server.while_it_stands_still([&] { client.emplace(port).send_frame("hello"); });
  EXPECT_FALSE(eventually(3 * kHandshake, [&] { return server.gone_count() > 0; }));
  client->send_frame("again");
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 2; }));
}

TEST(ListenerLimits, what_came_in_time_but_is_read_late_is_not_late) {
  RecordingServer server(impatient());
  std::promise<void> stands;
  std::promise<void> go_on;
  server.inside([&] {
    server.host.on_connected = [&] {
      server.post([&] {
        stands.set_value();
        go_on.get_future().wait();
      });
    };
  });
  SocketClient client(server.port());
  stands.get_future().wait();
  client.send_frame("hello");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually(kSoon, [&] { return std::chrono::steady_clock::now() - begin > 2 * kHandshake; }));
  go_on.set_value();
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
}

TEST(ListenerLimits, a_frame_that_has_begun_must_end_in_time) {
  RecordingServer server(impatient());
  SocketClient client(server.port());
  client.send(framed("hello") + framed("again").substr(0, 6));
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.frames(), std::vector<std::string>{"hello"});
}

TEST(ListenerLimits, a_client_that_is_held_back_is_not_late) {
  RecordingServer server(impatient());
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string&) { peer.hold_back(true); }; });
  const std::uint16_t port = server.port();
  std::optional<SocketClient> client;
  server.while_it_stands_still([&] { client.emplace(port).send(framed("hello") + framed("again").substr(0, 6)); });
  EXPECT_FALSE(eventually(3 * kHandshake, [&] { return server.gone_count() > 0; }));
  client->send(framed("again").substr(6));
  server.inside([&] { server.host.peers.begin()->second->hold_back(false); });
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 2; }));
}

TEST(ListenerLimits, a_client_that_does_not_read_is_closed_when_too_much_waits_for_it) {
  EngineOptions options;
  options.limits.unsent_bytes = 1 << 20;
  RecordingServer server(options);
  SocketClient deaf(server.port());
  SocketClient good(server.port());
  deaf.send_frame("hello");
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string& frame) { peer.send(framed(frame)); }; });
  // The kernel takes some megabytes; what it does not take is ours.
  std::size_t most = 0;
  EXPECT_TRUE(eventually(kSoon, [&] {
    return server.inside([&] {
      const auto peer = server.host.peers.find(1);
      if (peer == server.host.peers.end()) return true;
      const auto keep = peer->second;
      keep->send(framed(std::string(300'000, 'x')));
      most = std::max(most, keep->unsent());
      return false;
    });
  }));
  EXPECT_LE(most, options.limits.unsent_bytes);
  EXPECT_EQ(server.inside([&] { return server.host.gone; }), std::vector<ConnectionId>{1});
  good.send_frame("and you?");
  EXPECT_EQ(good.receive_frame(), "and you?");
}

TEST(ListenerLimits, a_client_that_does_not_read_its_last_answer_is_closed) {
  RecordingServer server(impatient());
  server.inside([&] {
    server.host.on_frame = [](Peer& peer, const std::string&) {
      peer.send(framed(std::string(64 << 20, 'x')));
      peer.close();
    };
  });
  SocketClient deaf(server.port());
  deaf.send_frame("hello");
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  EXPECT_TRUE(eventually(kSoon, [&] { return server.connections() == 0; }));
}

TEST(ListenerLimits, a_client_that_does_not_close_is_not_waited_for) {
  RecordingServer server;
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string&) { peer.close(); }; });
  SocketClient client(server.port());
  client.send_frame("hello");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(eventually(kSoon, [&] { return server.connections() == 0; }));  // and the client is still there
}

TEST(ListenerLimits, one_address_may_have_so_many_connections) {
  EngineOptions options;
  options.limits.connections_per_address = 2;
  RecordingServer server(options);
  std::optional<SocketClient> first(server.port());
  SocketClient second(server.port());
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 2; }));
  SocketClient third(server.port());
  EXPECT_TRUE(third.ended());
  EXPECT_EQ(server.inside([&] { return server.listener->rejected(); }), 1U);
  first.reset();
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 1; }));
  SocketClient fourth(server.port());
  fourth.send_frame("hello");
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
}

TEST(ListenerLimits, there_may_be_so_many_connections_in_all) {
  EngineOptions options;
  options.limits.connections = 1;
  options.limits.connections_per_address = 0;
  options.listen = {{}, {}};
  RecordingServer server(options);
  SocketClient first(server.port());
  ASSERT_TRUE(eventually(kSoon, [&] { return server.connections() == 1; }));
  const std::string other = server.inside([&] { return server.listener->addresses().back(); });
  SocketClient second(static_cast<std::uint16_t>(std::stoi(other.substr(other.find(':') + 1))));
  EXPECT_TRUE(second.ended());
}

std::chrono::nanoseconds cpu_time(std::thread& thread) {
  clockid_t clock{};
  timespec used{};
  if (::pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || ::clock_gettime(clock, &used) != 0) std::abort();
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// The process may open one more descriptor while this lives.
class LastDescriptor {
 public:
  LastDescriptor() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDIN_FILENO);
    if (next < 0) std::abort();
    ::close(next);
    auto one = before_;
    one.rlim_cur = static_cast<rlim_t>(next) + 1;
    ::setrlimit(RLIMIT_NOFILE, &one);
  }
  ~LastDescriptor() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  LastDescriptor(const LastDescriptor&) = delete;
  LastDescriptor& operator=(const LastDescriptor&) = delete;

 private:
  rlimit before_{};
};

TEST(ListenerLimits, without_descriptors_nobody_is_accepted_and_nothing_spins_until_there_are_some) {
  RecordingServer server;
  SocketClient early(server.port());
  early.send_frame("early");
  ASSERT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 1; }));
  const std::uint16_t port = server.port();
  // Before: a sanitizer that sees a type for the first time needs descriptors to look at it.
  base::log().warn("a refusal is about to be logged");
  std::optional<LastDescriptor> poverty(std::in_place);
  SocketClient late(port);  // takes it; the connection waits in the kernel
  late.send_frame("late");
  const auto before = cpu_time(server.thread);
  EXPECT_FALSE(eventually(500ms, [&] { return server.frame_count() > 1; }));
  EXPECT_LT(cpu_time(server.thread) - before, 250ms);
  early.send_frame("still here");
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 2; }));
  poverty.reset();
  EXPECT_TRUE(eventually(kSoon, [&] { return server.frame_count() == 3; }));
  EXPECT_EQ(server.frames().back(), "late");
}

}  // namespace
}  // namespace holdfast::server
