// docs/semantics.md, "Death", for permits and several names at once.
#include <future>

#include "family_network.h"
#include "support/peer.h"

namespace holdfast::testing {
namespace {

class FamilyKilled : public FamilyNetwork {
 protected:
  static constexpr auto kSession = 2s;
  static constexpr auto kTick = 500ms;  // of the server: expiry is rounded up to it

  void expect_in_time(const std::string& kind, const std::function<AcquireResult(Client&)>& want) {
    Peer holder({HOLDFAST_FAMILY_HOLDER, server_.address(), kind, "x", "2000"}, "holder");
    holder.acquire();
    auto client = connect_directly({.session_timeout = 10s});
    auto waiting = std::async(std::launch::async, [&] { return want(client); });
    ASSERT_TRUE(eventually(kSoon, [&] { return server_.watch_count() == 1; }));
    holder.kill9();
    const auto killed = Clock::now();
    const auto result = waiting.get();
    const auto took = Clock::now() - killed;
    ASSERT_TRUE(result) << result.message();
    std::printf("granted %.0f ms after kill -9, session 2000 ms\n",
                std::chrono::duration<double, std::milli>(took).count());
    EXPECT_LE(took, kSession + 1s + kTick);
  }
};

TEST_F(FamilyKilled, the_permits_of_a_dead_holder_come_back_in_time) {
  expect_in_time("permits", [](Client& client) { return client.semaphore("x", 1).try_acquire_for(20s); });
}

TEST_F(FamilyKilled, the_names_of_a_dead_holder_come_back_in_time) {
  expect_in_time("several", [](Client& client) { return client.multi_lock({{"x/b"}, {"x/a"}}).try_acquire_for(20s); });
}

}  // namespace
}  // namespace holdfast::testing
