// Ten thousand sessions that do nothing but stay.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "session_client.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"
#include "witness.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kSessions = 10'000;
// Long against the time that a round of pings takes, short against the patience of a test.
constexpr milliseconds kTimeout{10'000};
constexpr milliseconds kSoon{60'000};
// At once, so that no socket has to buffer more than it can.
constexpr std::size_t kChunk = 500;
// Beside the sessions' own.
constexpr rlim_t kOtherDescriptors = 200;

// Here, and in the server, which inherits it.
void allow_many_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = kSessions + kOtherDescriptors;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = needed;
  if (limit.rlim_max < needed) limit.rlim_max = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw std::runtime_error(fmt::format("this test needs {} open files; raise the limit (ulimit -n)", needed));
  }
}

class Crowd {
 public:
  explicit Crowd(std::uint16_t port) {
    for (std::size_t i = 0; i < kSessions; ++i) members_.push_back(std::make_unique<RawClient>(port));
    Handshake hello;
    hello.timeout = static_cast<std::int32_t>(kTimeout.count());
    const auto frame = RawClient::framed(hello.bytes());
    exchange([&](std::size_t) { return frame; });
  }

  // A node each.
  void create_nodes() {
    exchange([](std::size_t i) {
      const auto ask = create(fmt::format("/crowd/{}", i), "", kEphemeral);
      return RawClient::framed(JuteWriter().i32(1).i32(static_cast<std::int32_t>(ask.op)).raw(ask.payload).bytes());
    });
  }

  void ping() {
    const auto frame = RawClient::framed(JuteWriter().i32(-2).i32(11).bytes());
    exchange([&](std::size_t) { return frame; });
  }

  // Whose connection was closed, or who was not answered.
  std::size_t lost() const { return lost_; }

 private:
  template <typename Frame>
  void exchange(Frame frame) {
    for (std::size_t begin = 0; begin < members_.size(); begin += kChunk) {
      for (auto i = begin; i < begin + kChunk; ++i) members_[i]->send(frame(i));
      for (auto i = begin; i < begin + kChunk; ++i) {
        if (members_[i]->receive().outcome != RawClient::Outcome::frame) ++lost_;
      }
    }
  }

  std::vector<std::unique_ptr<RawClient>> members_;
  std::size_t lost_ = 0;
};

TEST(Crowd, of_ten_thousand_idle_sessions_is_held_by_pings_and_goes_at_once_without_holding_anybody_up) {
  static_assert(kSessions % kChunk == 0);
  allow_many_descriptors();
  ZooKeeperServer server({.make = ServerMake::engine, .tick_time = milliseconds(1'000)});
  SessionClient observer(server.port(), {.timeout = kSoon});
  ASSERT_TRUE(observer.call(create("/crowd")).ok());
  const auto memory_before = memory_of(server.pid(), "VmRSS");

  auto begin = steady_clock::now();
  Crowd crowd(server.port());
  ASSERT_EQ(crowd.lost(), 0U);
  fmt::print("{} sessions came in {} ms, {:.1f} KiB each", kSessions,
             std::chrono::round<milliseconds>(steady_clock::now() - begin).count(),
             static_cast<double>(memory_of(server.pid(), "VmRSS") - memory_before) / kSessions);
  crowd.create_nodes();
  ASSERT_EQ(crowd.lost(), 0U);
  fmt::print("; {:.1f} KiB with a node\n",
             static_cast<double>(memory_of(server.pid(), "VmRSS") - memory_before) / kSessions);

  // Longer than a session lasts without pings.
  begin = steady_clock::now();
  const auto processor_before = processor_time_of(server.pid());
  int beats = 0;
  while (steady_clock::now() - begin < kTimeout + kTimeout / 4) {
    const auto next = steady_clock::now() + kTimeout / 4;
    crowd.ping();
    ++beats;
    ASSERT_TRUE(eventually(kSoon, [&] { return steady_clock::now() >= next; }));
    ASSERT_TRUE(observer.call(asking::ping()).ok());
  }
  EXPECT_EQ(crowd.lost(), 0U);
  const auto held = std::chrono::round<milliseconds>(steady_clock::now() - begin);
  const auto processor = processor_time_of(server.pid()) - processor_before;
  fmt::print("held for {} ms by {} pings each, which took {} ms of a processor\n", held.count(), beats,
             processor.count());
  EXPECT_LT(processor, held / 4);
  EXPECT_EQ(parse_children2(observer.call(get_children2("/crowd")).body).names.size(), kSessions);

  Witness witness(server.port());
  begin = steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] {
    const auto count = observer.call(exists("/crowd"));
    JuteReader in(count.body);
    return count.ok() && parse_stat(in).children == 0;
  }));
  const auto testimony = witness.stop();
  fmt::print("all gone after {} ms; witness: {} rounds, {} us, at most {} us\n",
             std::chrono::round<milliseconds>(steady_clock::now() - begin).count(), testimony.rounds,
             testimony.usual.count(), testimony.longest.count());
  EXPECT_EQ(testimony.trouble, "");
  EXPECT_LT(testimony.longest, kTimeout / 3);
  EXPECT_EQ(parse_mntr(server.four_letter_word("mntr")).at("zk_ephemerals_count"), "0");
  EXPECT_TRUE(parse_ephemerals(server.four_letter_word("dump")).empty());
}

}  // namespace
}  // namespace holdfast::testing::asking
