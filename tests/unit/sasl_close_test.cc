// A client of ZooKeeper's protocol that is closed while a step of its login by SASL has just been taken, in a thread of its own.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>

#include "lock/loop.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "zk/client.h"
#include "zk/fake_line.h"

namespace holdfast::zk {
namespace {

using namespace std::chrono_literals;

// Counts what is posted.
class CountingExecutor final : public spi::Executor {
 public:
  Clock::time_point now() const noexcept override { return loop.now(); }
  void post(Function f) override {
    loop.post(std::move(f));
    ++posts;
  }
  TimerId at(Clock::time_point when, Function f) override { return loop.at(when, std::move(f)); }
  void cancel(TimerId timer) override { loop.cancel(timer); }

  std::atomic<int> posts = 0;
  lock::Loop loop;
};

TEST(SaslLoginOfAClosedClient, says_nothing_more) {
  const testing::TempDir dir{"sasl-close"};
  const auto password = dir / "password";
  std::ofstream(password) << "secret\n";
  ASSERT_EQ(::chmod(password.c_str(), 0600), 0);
  CountingExecutor executor;
  std::shared_ptr<FakeLine> line;
  const auto client = std::make_shared<Client>(
      executor,
      [&](const net::ServerAddress& server, Clock::duration, Line::Events events) {
        return line = std::make_shared<FakeLine>(server.text(), std::move(events));
      },
      Client::Options{.session_timeout = 9s,
                      .sasl = {.mechanism = "DIGEST-MD5", .user = "ann", .password_file = password.string()}},
      Client::Events{[](Client::State, auto, auto) {}, [](Client::WatchId, auto, const auto&) {}});
  executor.loop.enter([&] {
    client->open(*net::parse_servers("a:1"));
    const auto before = executor.posts.load();
    line->welcome();
    // Nothing that is posted runs before this function has returned.
    EXPECT_TRUE(testing::eventually(60s, [&] { return executor.posts > before; }));
    client->abandon(Code::closing);
  });
  executor.loop.stop();
  EXPECT_TRUE(line->said.empty());
}

}  // namespace
}  // namespace holdfast::zk
