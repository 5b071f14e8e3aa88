// Memory ends at every place where it can end when the next login of an address has its turn.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/service.h"
#include "support/failing_memory.h"
#include "support/manual_loop.h"
#include "support/recorded_peer.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::server {
namespace {

using testing::FailingMemory;
using testing::RecordedPeer;

// One that guesses.
std::shared_ptr<RecordedPeer> guess(Service& service, testing::ManualLoop& loop,
                                    const std::shared_ptr<Address>& source) {
  auto peer = std::make_shared<RecordedPeer>();
  const auto id = service.connected(peer, {.address = "10.0.0.1:4711", .ip = "10.0.0.1", .source = source});
  wire::Writer hello;
  encode(hello, wire::ConnectRequest{.timeout = 5'000, .password = std::string(16, '\0')});
  service.received(id, hello.take());
  loop.run_for();
  wire::Writer login;
  encode(login, wire::AuthRequest{"digest", "ann:guess"});
  service.received(id, wire::request(wire::kAuthXid, wire::Op::auth, login.bytes()));
  loop.run_for();
  return peer;
}

TEST(LoginsWithoutMemory, leave_no_client_waiting) {
  bool failed = true;
  for (std::size_t after = 0; failed; ++after) {
    testing::ManualLoop loop;
    engine::Engine engine;
    Service service(loop, {.require_auth = {"ann:secret"}}, engine, nullptr);
    const auto source = service.quotas()->addresses.find("10.0.0.1", loop.now());
    std::vector<std::shared_ptr<RecordedPeer>> peers;
    for (int i = 0; i < kLoginBurst + 4; ++i) peers.push_back(guess(service, loop, source));
    ASSERT_GE(source->waiting_logins.size(), 2U);
    const auto waiting = source->waiting_logins.size();
    loop.run_for(source->failed_logins.next(loop.now()) - loop.now() - engine::Moment(1));
    ASSERT_EQ(source->waiting_logins.size(), waiting);
    {
      const FailingMemory memory(after);
      ASSERT_TRUE(loop.step()) << "the turn of the first has not come";
      failed = memory.allocations() > after;
    }
    ASSERT_LT(source->waiting_logins.size(), waiting) << "this was not the turn of the first";
    loop.run_for(2 * kLoginStep * static_cast<int>(waiting));
    EXPECT_TRUE(source->waiting_logins.empty()) << after;
    EXPECT_EQ(source->logins_under_way, 0U) << after;
    // Each was welcomed; and answered then, or turned away.
    for (const auto& peer : peers) {
      EXPECT_TRUE(peer->frames.size() > 1 || peer->closed > 0) << after << " allocations, and it waits for ever";
    }
  }
}

}  // namespace
}  // namespace holdfast::server
