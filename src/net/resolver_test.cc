#include "net/resolver.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

// Collects what is posted, from any thread; the test runs it.
class Inbox final : public spi::Executor {
 public:
  Clock::time_point now() const noexcept override { return Clock::now(); }
  void post(Function f) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(f));
    changed_.notify_one();
  }
  TimerId at(Clock::time_point, Function) override { return kNoTimer; }
  void cancel(TimerId) override {}

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return posted_.size();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, 30s, [&] { return !posted_.empty(); }));
    const auto f = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    f();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Function> posted_;
};

class ResolverTest : public ::testing::Test {
 protected:
  void resolve(const std::string& hosts) {
    resolver_.emplace(inbox_);
    resolver_->resolve(*parse_servers(hosts), [this](const ServerAddresses& found, const std::string& trouble) {
      result_ = {to_text(found), trouble};
    });
  }

  Inbox inbox_;
  std::optional<Resolver> resolver_;
  std::optional<std::pair<std::string, std::string>> result_;
};

TEST_F(ResolverTest, passes_numbers_on_without_asking_anybody) {
  resolve("10.0.0.1:2181,[::1]:2182");
  EXPECT_EQ(inbox_.size(), 1U) << "an answer that does not wait for a thread";
  EXPECT_FALSE(result_) << "but not before the call has returned";
  inbox_.run_one();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->first, "10.0.0.1:2181,[::1]:2182");
  EXPECT_EQ(result_->second, "");
}

TEST_F(ResolverTest, turns_names_into_numbers) {
  resolve("localhost:2181,10.0.0.1:5");
  inbox_.run_one();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->first.find("127.0.0.1:2181") != std::string::npos ||
              result_->first.find("[::1]:2181") != std::string::npos)
      << result_->first;
  EXPECT_TRUE(result_->first.ends_with(",10.0.0.1:5")) << result_->first;
}

TEST_F(ResolverTest, keeps_names_beside_their_numbers_if_asked_to) {
  const auto found = look_up({{"localhost", "2181"}, {"127.0.0.1", "5"}}, Names::kept).servers;
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found.front().name, "localhost");
  EXPECT_NE(found.front().host, "localhost");
  EXPECT_EQ(found.back(), (ServerAddress{"127.0.0.1", "5"})) << "a number has no name";
}

TEST_F(ResolverTest, says_which_name_it_could_not_find) {
  const std::string impossible(300, 'x');  // longer than a name can be, so no server is asked
  resolve(impossible + ":2181");
  inbox_.run_one();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->first, "");
  EXPECT_NE(result_->second.find(impossible), std::string::npos) << result_->second;
}

TEST_F(ResolverTest, that_is_gone_does_not_answer) {
  resolve("localhost:2181");
  resolver_.reset();
  while (inbox_.size() > 0) inbox_.run_one();
  EXPECT_FALSE(result_);
}

}  // namespace
}  // namespace holdfast::net
