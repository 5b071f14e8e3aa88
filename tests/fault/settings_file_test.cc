// docs/settings.md: a client by a file, on a real server.
#include <filesystem>
#include <fstream>
#include <mutex>

#include "holdfast/settings.h"
#include "network.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

class FromFileOnZooKeeper : public ::testing::Test {
 protected:
  std::string path() const { return (dir_ / "locks.yaml").string(); }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  void replace(const std::string& text) const {
    std::ofstream(dir_ / "new") << text;
    std::filesystem::rename(dir_ / "new", path());
  }
  Client connect() {
    return Client::from_file(path(), [this](ClientSettings& settings) {
      settings.news = [this](const SettingsNews& news) {
        const std::lock_guard guard(mutex_);
        news_.push_back(news.sentence);
      };
    });
  }
  std::vector<std::string> news() {
    const std::lock_guard guard(mutex_);
    return news_;
  }

  ZooKeeperServer server_{ZooKeeperOptions{.min_session_timeout = 1s, .max_session_timeout = 10s}};
  const TempDir dir_{"settings"};
  std::mutex mutex_;
  std::vector<std::string> news_;
};

TEST_F(FromFileOnZooKeeper, tells_that_the_server_grants_another_session_timeout) {
  write("zk-lock:\n  address: " + server_.address() +
        "\n  connection-timeout: 1500000000\n  session-timeout: 600000\n  retry-policy: retry-forever\n"
        "  retry_forever:\n    retry-interval-ms: 3000\n");
  auto client = connect();
  EXPECT_EQ(client.session_timeout(), 10s);
  EXPECT_EQ(news(),
            std::vector<std::string>{path() + ":4:20: the session timeout is 10m, but the service granted 10s, which "
                                              "counts"});
  EXPECT_TRUE(client.mutex("a").try_acquire_for(30s));
}

TEST_F(FromFileOnZooKeeper, changes_what_counts_for_locks_while_the_client_lives) {
  const auto text = [&](const std::string& locks) {
    return "url: zk://" + server_.address() + "\nsession-timeout: 10s\nlocks: " + locks + "\n";
  };
  write(text("{jobs/*: {max-hold: 1h}}"));
  auto client = connect();
  auto rival = Client::connect("zk://" + server_.address());
  auto mutex = client.mutex("jobs/1");
  auto lease = mutex.acquire();
  replace(text("{jobs/*: {max-hold: 100ms}}"));
  ASSERT_TRUE(eventually(30s, [&] { return news().size() == 1; }));
  EXPECT_FALSE(rival.mutex("jobs/1").try_lock()) << "a hold that exists ends as it would have";
  lease.release();
  lease = mutex.acquire();
  EXPECT_TRUE(rival.mutex("jobs/1").try_acquire_for(30s));
  EXPECT_FALSE(lease.is_held());

  write("url: [\n");
  ASSERT_TRUE(eventually(30s, [&] { return news().size() == 2; }));
  EXPECT_EQ(client.lock_settings("jobs/1").max_hold, 100ms);
}

}  // namespace
}  // namespace holdfast::testing
