// What comes while a slow disk is being written, and what becomes of it when the disk then refuses.
#include "slow_disk.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/runtime.h"
#include "session_client.h"
#include "support/eventually.h"
#include "support/simulated_disk.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSoon{20'000};
constexpr milliseconds kLong{60'000};
// Longer than the engine waits before it tries again to end a session.
constexpr milliseconds kTimeout{2'500};

class SlowDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options{.data_dir = "/data", .listen = {Listen{}}, .max_session_timeout = kLong};
    options.min_session_timeout = milliseconds(100);
    auto started = server::Runtime::start(options, &slow_);
    ASSERT_TRUE(started) << started.error();
    runtime_ = std::move(*started);
    const auto& address = runtime_->addresses().front();
    port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
    observer_ = std::make_unique<SessionClient>(port_, Who{.timeout = kLong});
  }
  void TearDown() override { slow_.let_go(); }

  // The end of the only session that is due is on its way to the disk.
  void await_the_end_of_a_session() {
    slow_.hold();
    ASSERT_TRUE(eventually(kSoon, [&] { return slow_.somebody_waits(); }));
  }
  void refuse() {
    disk_.fail(disk_.calls() + 1, SimulatedDisk::Fault::no_space);
    slow_.let_go();
  }
  // How long the node was there from then on.
  milliseconds lasts(const std::string& path, steady_clock::time_point since) {
    EXPECT_TRUE(eventually(kSoon, [&] { return observer_->call(exists(path)).err == -101; }));
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
  }

  SimulatedDisk disk_;
  SlowDisk slow_{disk_};
  std::unique_ptr<server::Runtime> runtime_;
  std::uint16_t port_ = 0;
  std::unique_ptr<SessionClient> observer_;
};

// It counts on its whole timeout from when it sent what was answered.
TEST_F(SlowDiskTest, that_refuses_the_end_of_a_session_gives_it_its_whole_timeout_if_it_is_answered) {
  SessionClient client(port_, {.timeout = kTimeout});
  ASSERT_TRUE(client.call(create("/mine", "", kEphemeral)).ok());
  await_the_end_of_a_session();
  const auto sent = steady_clock::now();
  client.send(exists("/mine"));
  EXPECT_TRUE(observer_->call(ping()).ok());  // so that it has come
  refuse();
  ASSERT_TRUE(client.receive().ok());
  EXPECT_GE(lasts("/mine", sent), kTimeout);
}

TEST_F(SlowDiskTest, that_refuses_the_end_of_a_session_gives_it_its_whole_timeout_if_it_is_resumed) {
  auto client = std::make_unique<SessionClient>(port_, Who{.timeout = kTimeout});
  ASSERT_TRUE(client->call(create("/mine", "", kEphemeral)).ok());
  await_the_end_of_a_session();
  const auto sent = steady_clock::now();
  const auto who = client->who();
  RawClient again(port_);
  Handshake hello;
  hello.session = who.session;
  hello.password = who.password;
  hello.timeout = static_cast<std::int32_t>(kTimeout.count());
  again.send_frame(hello.bytes());
  EXPECT_TRUE(observer_->call(ping()).ok());
  refuse();
  const auto received = again.receive();
  ASSERT_EQ(received.outcome, RawClient::Outcome::frame);
  ASSERT_EQ(parse_handshake_reply(received.frame).session, who.session);
  EXPECT_GE(lasts("/mine", sent), kTimeout);
}

}  // namespace
}  // namespace holdfast::testing::asking
