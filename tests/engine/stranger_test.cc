// Who has to log in and does not.
#include <gtest/gtest.h>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/plain_client.h"

namespace holdfast::testing {
namespace {

constexpr std::chrono::milliseconds kSoon{20'000};

EngineOptions that_asks_for_a_login() {
  return {.listen = {Listen{}}, .require_auth = {"u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ="}};
}

std::uint16_t port_of(const Engine& engine) {
  const auto& address = engine.addresses().front();
  return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

TEST(EngineStranger, leaves_no_session_behind) {
  const Engine engine(that_asks_for_a_login());
  FaultProxy proxy(port_of(engine));
  const PlainClient stranger(proxy.address());
  EXPECT_EQ(engine.sessions(), 1u);
  proxy.refuse(true);
  proxy.cut_all();
  EXPECT_TRUE(eventually(kSoon, [&] { return engine.sessions() == 0; }));
}

TEST(EngineStranger, is_not_who_has_logged_in_and_lost_the_connection) {
  const Engine engine(that_asks_for_a_login());
  FaultProxy proxy(port_of(engine));
  auto client = Client::connect("zk://" + proxy.address(), {.auth = {{"digest", "u:p"}}});
  const auto lease = client.mutex("a").acquire();
  for (int round = 0; round < 3; ++round) {
    const auto before = proxy.accepted();
    proxy.cut_all();
    ASSERT_TRUE(
        eventually(kSoon, [&] { return proxy.accepted() > before && client.state() != ConnectionState::jeopardy; }));
    EXPECT_EQ(engine.sessions(), 1u);
    EXPECT_TRUE(lease.is_held());
  }
}

}  // namespace
}  // namespace holdfast::testing
