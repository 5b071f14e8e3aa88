// Who has to log in and does not.
#include <gtest/gtest.h>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "holdfast/error.h"
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

// Not that the service does not answer.
TEST(EngineStranger, is_told_that_it_was_refused_with_a_wrong_login_and_with_none) {
  const Engine engine(that_asks_for_a_login());
  const std::vector<std::vector<Auth>> logins{{}, {{"digest", "u:wrong"}}, {{"nonsense", "u:p"}}};
  for (const auto& login : logins) {
    try {
      (void)Client::connect("zk://" + engine.addresses().front(),
                            {.connection_timeout = kSoon, .zookeeper = {.auth = login}});
      FAIL() << "it was let in";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::refused) << error.what();
      EXPECT_NE(std::string(error.what()).find("credentials"), std::string::npos) << error.what();
    }
  }
}

TEST(EngineStranger, is_not_who_has_logged_in_and_lost_the_connection) {
  const Engine engine(that_asks_for_a_login());
  FaultProxy proxy(port_of(engine));
  auto client = Client::connect("zk://" + proxy.address(), {.zookeeper = {.auth = {{"digest", "u:p"}}}});
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
