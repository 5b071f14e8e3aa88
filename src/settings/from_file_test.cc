#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "holdfast/error.h"
#include "holdfast/settings.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
namespace fs = std::filesystem;
using Kind = SettingsNews::Kind;

constexpr auto kSoon = 10s;

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

std::size_t threads() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}

class FromFile : public ::testing::Test {
 protected:
  void write(std::string_view text, std::string_view name = "a.yaml") const { std::ofstream(dir_ / name) << text; }
  void replace(std::string_view text) const {
    write(text, "new.yaml");
    fs::rename(dir_ / "new.yaml", path());
  }
  std::string path() const { return (dir_ / "a.yaml").string(); }

  Client connect(const std::function<void(ClientSettings&)>& adjust = {}) {
    return Client::from_file(path(), [this, adjust](ClientSettings& settings) {
      settings.news = [this](const SettingsNews& news) {
        const std::lock_guard guard(mutex_);
        news_.emplace_back(news.kind, news.sentence);
      };
      if (adjust) adjust(settings);
    });
  }

  std::vector<std::pair<Kind, std::string>> news() {
    const std::lock_guard guard(mutex_);
    return news_;
  }
  // The news once there are so many.
  std::vector<std::pair<Kind, std::string>> news(std::size_t count) {
    EXPECT_TRUE(eventually(kSoon, [&] { return news().size() >= count; }));
    return news();
  }
  static bool says(Client& client, std::chrono::milliseconds wait) {
    return eventually(kSoon, [&] { return client.lock_settings("a").wait == wait; });
  }
  std::string applied() const { return "what " + path() + " says about locks counts from now on"; }
  static std::string kept(const std::string& why) { return why + "; what it said about locks before still counts"; }

  const testing::TempDir dir_{"from_file"};
  std::mutex mutex_;
  std::vector<std::pair<Kind, std::string>> news_;
};

TEST_F(FromFile, connects_as_the_file_says_and_code_may_change_it) {
  write("url: 'memory:'\nsession-timeout: 7s\npurpose: from the file\nlocks: {a: {wait: 1s}}\n");
  auto client = connect([](ClientSettings& settings) { settings.options.purpose = "from code"; });
  EXPECT_EQ(client.session_timeout(), 7s);
  EXPECT_EQ(client.lock_settings("a").wait, 1s);
  const auto lease = client.mutex("b").acquire();
  EXPECT_EQ(client.inspect("b").tickets.at(0).card.purpose, "from code");
  EXPECT_TRUE(news().empty());
}

TEST_F(FromFile, that_is_wrong_connects_to_nothing_and_says_what_is_wrong) {
  write("url: 'memory:'\nlocks: {a: {wait: 1}}\n");
  try {
    connect();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.what(), path() +
                                ":2:19: wait is \"1\": a number without a unit could be seconds or milliseconds; "
                                "write 1s or 1ms");
  }
}

TEST_F(FromFile, changes_what_counts_for_locks_while_the_client_lives) {
  write("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
  auto client = connect();
  write("url: 'memory:'\nlocks: {a: {wait: 2s}}\n");
  EXPECT_TRUE(says(client, 2s));
  replace("url: 'memory:'\nlocks: {a: {wait: 3s}}\n");
  EXPECT_TRUE(says(client, 3s));
  fs::remove(path());
  write("url: 'memory:'\nlocks: {a: {wait: 4s}}\n");
  EXPECT_TRUE(says(client, 4s));
  EXPECT_TRUE(
      eventually(kSoon, [&] { return !news().empty() && news().back() == std::pair(Kind::applied, applied()); }));
}

TEST_F(FromFile, reaches_lock_objects_that_exist_already) {
  write("url: 'memory:reached'\nlocks: {a: {max-hold: 1h}}\n");
  auto client = connect();
  auto mutex = client.mutex("a");
  auto cautious = client.mutex("a", {.max_hold = 2h});
  EXPECT_TRUE(mutex.acquire().is_held());
  write("url: 'memory:reached'\nlocks: {a: {max-hold: 1ms}}\n");
  ASSERT_EQ(news(1).front().second, applied());
  const auto lease = mutex.acquire();
  EXPECT_TRUE(eventually(kSoon, [&] { return !lease.is_held(); })) << "it ends by itself now";
  const auto other = cautious.acquire();
  EXPECT_FALSE(eventually(50ms, [&] { return !other.is_held(); })) << "code said how long";
}

TEST_F(FromFile, keeps_what_counted_when_the_file_is_wrong_and_says_so_once) {
  write("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
  auto client = connect();
  write("locks: {a: {wiat: 2s}}\n");
  const auto wrong = kept(path() + ":1:13: there is no setting \"wiat\"; did you mean wait?");
  EXPECT_EQ(news(1), (std::vector{std::pair(Kind::kept, wrong)}));
  fs::last_write_time(path(), fs::file_time_type::clock::now());  // the same version once more
  write("\x01\xff garbage {{{\n");
  EXPECT_EQ(news(2).at(1).first, Kind::kept);
  EXPECT_EQ(news().at(1).second.rfind(path() + ":1:", 0), 0u) << news().at(1).second;
  write("");
  EXPECT_EQ(news(3).at(2), std::pair(Kind::kept, kept(path() + " says nothing any more")));
  fs::remove(path());
  EXPECT_EQ(news(4).at(3), std::pair(Kind::kept, kept("cannot read " + path() + ": No such file or directory")));
  EXPECT_EQ(client.lock_settings("a").wait, 1s);
  fs::create_directory(path());
  EXPECT_EQ(news(5).at(4), std::pair(Kind::kept, kept(path() + " is not a file")));
  fs::remove(path());
  replace("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
  EXPECT_TRUE(eventually(kSoon, [&] { return news().back() == std::pair(Kind::applied, applied()); }))
      << "in order again";
  EXPECT_EQ(client.lock_settings("a").wait, 1s);
}

TEST_F(FromFile, follows_a_link_that_is_switched) {
  const auto make = [&](const std::string& name, const std::string& wait) {
    fs::create_directories(dir_ / name);
    write("url: 'memory:'\nlocks: {a: {wait: " + wait + "}}\n", name + "/a.yaml");
    fs::create_directory_symlink(name, dir_ / "..data_tmp");
    fs::rename(dir_ / "..data_tmp", dir_ / "..data");
  };
  make("..1", "1s");
  fs::create_symlink("..data/a.yaml", path());
  auto client = connect();
  EXPECT_EQ(client.lock_settings("a").wait, 1s);
  make("..2", "2s");
  EXPECT_TRUE(says(client, 2s));
  fs::remove_all(dir_ / "..1");
  make("..3", "3s");
  EXPECT_TRUE(says(client, 3s));
}

TEST_F(FromFile, is_followed_also_when_the_program_changes_its_directory) {
  write("url: 'memory:'\nauth: login\n");
  write("ann:secret\n", "login");
  fs::permissions(dir_ / "login", fs::perms::owner_read);
  const auto before = fs::current_path();
  fs::current_path(dir_.path());
  auto client = Client::from_file("a.yaml");
  fs::current_path(before);
  write("url: 'memory:'\nauth: login\nlocks: {a: {wait: 2s}}\n");
  EXPECT_TRUE(says(client, 2s));
}

// Hears what is logged.
class Listener final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit Listener(std::string_view what) : what_(what) {}
  bool has_heard() const { return heard_; }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (std::string_view(message.payload.data(), message.payload.size()).find(what_) != std::string_view::npos)
      heard_ = true;
  }
  void flush_() override {}

  const std::string what_;
  std::atomic<bool> heard_ = false;
};

TEST_F(FromFile, reports_holds_that_last_too_long) {
  write("url: 'memory:'\nlocks: {a: {slow-hold: 1ms}}\n");
  const auto log = std::make_shared<Listener>("/a has been held for more than 1 ms");
  base::log().sinks().push_back(log);
  {
    auto client = connect();
    const auto lease = client.mutex("a").acquire();
    EXPECT_TRUE(eventually(kSoon, [&] { return log->has_heard(); }));
  }
  std::erase(base::log().sinks(), log);
}

TEST_F(FromFile, says_what_counts_only_after_the_next_start) {
  write("url: 'memory:'\nsession-timeout: 7s\n");
  auto client = connect();
  write("url: 'memory:'\nsession-timeout: 8s\nnamespace: b\n");
  EXPECT_EQ(news(1),
            (std::vector{std::pair(Kind::note, path() + " has changed: namespace, session_timeout; that counts "
                                                        "after the next start")}));
  EXPECT_EQ(client.session_timeout(), 7s);
}

TEST_F(FromFile, serves_acquires_while_it_is_read_again_and_again) {
  write("url: 'memory:busy'\nlocks: {a: {hand-over: {count: 3}}}\n");
  auto client = connect();
  auto mutex = client.mutex("a");
  std::atomic<bool> over = false;
  std::atomic<int> inside = 0;
  std::atomic<int> acquired = 0;
  std::vector<std::thread> crowd;
  for (int i = 0; i < 8; ++i) {
    crowd.emplace_back([&] {
      while (!over) {
        const auto lease = mutex.acquire();
        EXPECT_EQ(++inside, 1);
        --inside;
        ++acquired;
      }
    });
  }
  for (int i = 0; i < 200; ++i)
    replace("url: 'memory:busy'\nlocks: {a: {hand-over: {count: " + std::to_string(i) + "}}}\n");
  EXPECT_TRUE(eventually(kSoon, [&] { return client.lock_settings("a").hand_over == HandOverSettings{.count = 199}; }));
  EXPECT_TRUE(eventually(kSoon, [&] { return acquired > 100; }));
  over = true;
  for (auto& thread : crowd) thread.join();
}

TEST_F(FromFile, leaves_no_thread_and_no_descriptor_behind) {
  write("url: 'memory:'\n");
  connect().close();  // what the first client of a process opens for good
  const auto descriptors_before = descriptors();
  const auto threads_before = threads();
  {
    auto client = connect();
    EXPECT_EQ(threads(), threads_before + 3) << "as any other client";
    client.close();
    EXPECT_EQ(descriptors(), descriptors_before);
    write("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
    EXPECT_EQ(client.state(), ConnectionState::closed);
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return threads() == threads_before; }));
  EXPECT_TRUE(news().empty());
}

TEST_F(FromFile, may_be_closed_by_its_own_news) {
  write("url: 'memory:'\n");
  std::optional<Client> client;
  std::atomic<bool> gone = false;
  std::mutex ready;
  {
    const std::lock_guard not_before_it_is_here(ready);
    client.emplace(Client::from_file(path(), [&](ClientSettings& settings) {
      settings.news = [&](const SettingsNews&) {
        const std::lock_guard guard(ready);
        client.reset();
        gone = true;
      };
    }));
    write("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return gone.load(); }));
}

TEST_F(FromFile, is_the_parents_after_fork) {
  write("url: 'memory:'\nlocks: {a: {wait: 1s}}\n");
  auto client = connect();
  const pid_t child = ::fork();
  if (child == 0) {
    bool refused = false;
    try {
      (void)client.lock_settings("a");
    } catch (const Error& error) {
      refused = error.code() == Errc::forked;
    }
    client.close();
    write("url: 'memory:'\nlocks: {a: {wait: 2s}}\n");
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(says(client, 2s)) << "the parent goes on following the file";
}

}  // namespace
}  // namespace holdfast
