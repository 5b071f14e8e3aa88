// A server that keeps nothing, started again and again under the clients of the lives before.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/server_command.h"
#include "holdfast/client.h"
#include "holdfast/error.h"
#include "session_client.h"
#include "support/free_port.h"

namespace holdfast::testing {
namespace {

constexpr int kLives = 6;

std::vector<std::string> in_memory_on(std::uint16_t port) { return {"--listen", "127.0.0.1:" + std::to_string(port)}; }

// A new one, when there is one again.
Lease acquire(Client& client) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    try {
      return client.mutex("restarted").acquire();
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() > deadline) throw;
    }
  }
}

TEST(InMemoryServer, gives_growing_tokens_over_restarts) {
  const auto port = free_port();
  std::vector<Token> tokens;
  for (int life = 0; life < kLives; ++life) {
    Server server(in_memory_on(port));
    ASSERT_NE(server.serves().find("in memory"), std::string::npos) << server.errors();
    auto client = Client::connect("zk://" + server.address());
    for (int hold = 0; hold < 3; ++hold) tokens.push_back(client.mutex("restarted").acquire().token());
  }
  for (std::size_t i = 1; i < tokens.size(); ++i) EXPECT_GT(tokens[i], tokens[i - 1]) << "hold " << i;
}

TEST(InMemoryServer, never_repeats_a_session_id) {
  const auto port = free_port();
  std::set<std::int64_t> seen;
  std::int64_t last = 0;
  for (int life = 0; life < kLives; ++life) {
    Server server(in_memory_on(port));
    server.serves();
    for (int i = 0; i < 5; ++i) {
      const asking::SessionClient client(port);
      ASSERT_TRUE(client.accepted());
      EXPECT_TRUE(seen.insert(client.session()).second) << client.session() << " was given before";
      EXPECT_GT(client.session(), last);
      last = client.session();
    }
  }
}

// Its session is gone, as it must be. But no client has seen more than what the next life begins with, so none is turned away.
TEST(InMemoryServer, serves_the_clients_of_the_life_before) {
  const auto port = free_port();
  auto server = std::make_unique<Server>(in_memory_on(port));
  server->serves();
  auto client = Client::connect("zk://" + server->address());
  auto last = acquire(client).token();
  std::optional<asking::SessionClient> raw(std::in_place, port);
  ASSERT_TRUE(raw->call(asking::create("/a")).ok());
  for (int life = 1; life < kLives; ++life) {
    const auto before = raw->who();
    server->process().signal(SIGKILL);
    server->exit_code();
    server = std::make_unique<Server>(in_memory_on(port));
    server->serves();

    asking::SessionClient of_before(port, before);
    ASSERT_TRUE(of_before.greeting()) << "turned away for what it saw; on stderr: " << server->errors();
    EXPECT_EQ(of_before.session(), 0) << "a session of a life that is over";

    const auto token = acquire(client).token();
    EXPECT_GT(token, last);
    last = token;

    raw.emplace(port, asking::Who{.last_zxid = before.last_zxid});
    ASSERT_TRUE(raw->accepted());
    ASSERT_TRUE(raw->call(asking::create("/a")).ok());
  }
}

}  // namespace
}  // namespace holdfast::testing
