#include "server/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/post.hpp>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/threaded_loop.h"
#include "support/engine/state.h"
#include "support/eventually.h"
#include "support/simulated_disk.h"

namespace holdfast::server {
namespace {

constexpr auto kSoon = std::chrono::seconds(60);
constexpr LineId kHog{LineId::Kind::connection, 1};
constexpr LineId kInnocent{LineId::Kind::connection, 2};
// Longer than a batch may take.
constexpr auto kLong = std::chrono::milliseconds(11);

const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};

// Does what it is told, and writes down what became of it.
class Told final : public Work {
 public:
  struct Story {
    std::vector<std::string> executed;
    std::vector<std::string> settled;
    std::vector<std::string> failed;
  };

  Told(Story& story, std::string name, std::function<engine::Outcome()> act, int pieces = 1)
      : story_(story), name_(std::move(name)), act_(std::move(act)), pieces_(pieces) {}

  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine&, const Turn&) override {
    story_.executed.push_back(name_);
    more_ = pieces_ > 1;
    return act_ ? act_() : engine::Outcome{};
  }
  void settle(engine::Engine&, engine::Outcome&) override {
    --pieces_;
    if (!more_) story_.settled.push_back(name_);
  }
  bool unfinished() const override { return more_; }
  void fail(bool) override { story_.failed.push_back(name_); }

 private:
  Story& story_;
  std::string name_;
  std::function<engine::Outcome()> act_;
  int pieces_;
  bool more_ = false;
};

// A write of the engine.
class Write final : public Work {
 public:
  Write(std::vector<std::string>& results, wire::Request request) : results_(results), request_(std::move(request)) {}

  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override {
    return engine.execute({}, turn.zxid, turn.time, request_);
  }
  void settle(engine::Engine& engine, engine::Outcome& outcome) override {
    engine.settle({}, request_, outcome, [](engine::ConnectionId, const wire::Event&) {});
    results_.push_back(outcome.code == wire::Code::ok ? "done" : "refused");
  }
  void fail(bool unknown) override { results_.push_back(unknown ? "unknown" : "failed"); }

 private:
  std::vector<std::string>& results_;
  wire::Request request_;
};

class NothingToRecover final : public store::Recovery {
 public:
  tl::expected<void, std::string> snapshot_record(std::string_view) override { return {}; }
  tl::expected<void, std::string> log_record(store::Index, std::string_view) override { return {}; }
};

class PipelineTest : public ::testing::Test {
 protected:
  void begin(bool kept) {
    if (kept) {
      NothingToRecover recovery;
      auto opened = store::Store::open(disk_, {.data_directory = "/data"}, recovery);
      ASSERT_TRUE(opened) << opened.error().message;
      store_ = std::move(*opened);
    }
    pipeline_ = std::make_unique<Pipeline>(loop_, engine_, store_.get(), 0,
                                           Pipeline::Events{.at_rest = [] {}, .stuck = [](bool) {}});
    loop_.start();
  }
  template <class Function>
  auto in_loop(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    asio::post(loop_.context(), std::move(task));
    EXPECT_EQ(result.wait_for(kSoon), std::future_status::ready);
    return result.get();
  }
  void TearDown() override {
    in_loop([this] { pipeline_->halt(); });
    loop_.context().stop();
    loop_.join();
  }
  // In one turn of the loop, so that it is one batch as far as a batch goes.
  void push_all(std::vector<std::pair<LineId, std::unique_ptr<Work>>> all) {
    in_loop([&] {
      for (auto& [client, work] : all) pipeline_->push(client, std::move(work));
    });
  }
  void wait_until_idle() {
    ASSERT_TRUE(testing::eventually(kSoon, [&] { return in_loop([this] { return pipeline_->idle(); }); }));
  }
  std::unique_ptr<Work> told(std::string name, std::function<engine::Outcome()> act = {}, int pieces = 1) {
    return std::make_unique<Told>(story_, std::move(name), std::move(act), pieces);
  }
  void write_all(std::vector<wire::Request> requests) {
    std::vector<std::pair<LineId, std::unique_ptr<Work>>> all;
    for (auto& request : requests) all.emplace_back(kHog, std::make_unique<Write>(results_, std::move(request)));
    push_all(std::move(all));
    wait_until_idle();
  }
  engine::Outcome take_long() const {
    const auto end = loop_.now() + kLong;
    while (loop_.now() < end) {
    }
    return {};
  }

  testing::SimulatedDisk disk_;
  std::unique_ptr<store::Store> store_;
  engine::Engine engine_;
  ThreadedLoop loop_;
  std::unique_ptr<Pipeline> pipeline_;
  Told::Story story_;
  std::vector<std::string> results_;
};

wire::Request create(std::string path, std::string data) {
  return wire::Create{.op = wire::Op::create, .path = std::move(path), .data = std::move(data), .acl = kOpen};
}

TEST_F(PipelineTest, undoes_several_writes_to_one_node_when_the_log_refuses_their_batch) {
  begin(true);
  write_all({create("/a", "old"), create("/b", "old"), create("/d", "")});
  ASSERT_EQ(results_, (std::vector<std::string>{"done", "done", "done"}));
  results_.clear();
  const auto before = in_loop([this] { return testing::describe(engine_); });
  disk_.fail(disk_.calls() + 1, testing::SimulatedDisk::Fault::no_space, 1);
  const auto acl = wire::SetAcl{"/a", {{wire::permission::kRead, {"world", "anyone"}}}};
  write_all({create("/c", "1"), wire::SetData{"/c", "2"}, wire::SetData{"/c", "3"}, create("/c/d", ""),
             wire::SetData{"/c/d", "x"}, wire::Remove{"/c/d"}, wire::Remove{"/c"}, create("/c", "again"),
             wire::SetData{"/a", "1"}, acl, wire::SetData{"/a", "2"}, wire::Remove{"/a"}, create("/a", "new"),
             wire::SetData{"/a", "newer"}, wire::Remove{"/b"}, create("/d/e", ""), create("/d/f", ""),
             wire::Remove{"/d/e"}});
  EXPECT_EQ(results_, std::vector<std::string>(18, "failed"));
  EXPECT_EQ(in_loop([this] { return testing::describe(engine_); }), before);
  EXPECT_EQ(in_loop([this] { return testing::faults(engine_); }), std::vector<std::string>{});
  results_.clear();
  write_all({wire::SetData{"/a", "after"}});
  EXPECT_EQ(results_, std::vector<std::string>{"done"});
}

TEST_F(PipelineTest, gives_the_loop_its_turn_before_it_goes_on_with_what_takes_long) {
  begin(false);
  constexpr int kRequests = 30;
  std::vector<std::pair<LineId, std::unique_ptr<Work>>> all;
  for (int i = 0; i < kRequests; ++i) {
    // While each is executed, a client that asks for little sends something.
    all.emplace_back(kHog, told("hog", [this] {
                       asio::post(loop_.context(), [this] { pipeline_->push(kInnocent, told("beat")); });
                       return take_long();
                     }));
  }
  push_all(std::move(all));
  wait_until_idle();
  ASSERT_EQ(story_.executed.size(), 2U * kRequests);
  EXPECT_EQ(story_.executed, story_.settled) << "in the order they are executed in";
  for (std::size_t i = 0; i < story_.executed.size(); ++i) EXPECT_EQ(story_.executed[i], i % 2 == 0 ? "hog" : "beat");
}

// Sixty of them, each with one request at a time, as clients do that wait for their answers.
TEST_F(PipelineTest, lets_who_asks_for_little_wait_for_one_request_of_a_whole_crowd) {
  begin(false);
  constexpr std::uint64_t kCrowd = 20;
  int rounds = 0;
  std::function<void(std::uint64_t)> ask = [&](std::uint64_t id) {
    pipeline_->push({LineId::Kind::connection, 100 + id}, told("hog", [&, id] {
                      if (++rounds < 100) asio::post(loop_.context(), [&, id] { ask(id); });
                      // Once all have shown what they are like.
                      if (rounds == 60)
                        asio::post(loop_.context(), [this] { pipeline_->push(kInnocent, told("beat")); });
                      return take_long();
                    }));
  };
  in_loop([&] {
    for (std::uint64_t id = 0; id < kCrowd; ++id) ask(id);
  });
  wait_until_idle();
  const auto beat = std::find(story_.executed.begin(), story_.executed.end(), "beat") - story_.executed.begin();
  EXPECT_EQ(beat, 60);
}

TEST_F(PipelineTest, ends_a_batch_whose_answers_are_long_enough) {
  begin(false);
  std::size_t turns = 0;
  std::vector<std::size_t> executed_in;
  bool running = true;
  std::function<void()> count = [&] {
    ++turns;
    if (running) asio::post(loop_.context(), count);
  };
  std::vector<std::pair<LineId, std::unique_ptr<Work>>> all;
  for (int i = 0; i < 20; ++i) {
    all.emplace_back(kHog, told("hog", [&] {
                       executed_in.push_back(turns);
                       return engine::Outcome{.body = std::string(std::size_t{5} << 20, 'x')};
                     }));
  }
  in_loop(count);
  push_all(std::move(all));
  wait_until_idle();
  in_loop([&] { running = false; });
  in_loop([] {});  // the last count is behind us
  ASSERT_EQ(executed_in.size(), 20U);
  for (std::size_t i = 2; i < executed_in.size(); ++i) EXPECT_GT(executed_in[i], executed_in[i - 2]) << i;
}

TEST_F(PipelineTest, does_work_in_pieces_with_others_in_between_and_nothing_of_the_same_client) {
  begin(false);
  std::vector<std::pair<LineId, std::unique_ptr<Work>>> all;
  all.emplace_back(kHog, told("long", {}, 3));
  all.emplace_back(kHog, told("after"));
  all.emplace_back(kInnocent, told("other"));
  push_all(std::move(all));
  wait_until_idle();
  const auto& executed = story_.executed;
  EXPECT_EQ(std::count(executed.begin(), executed.end(), "long"), 3);
  EXPECT_EQ(executed.front(), "long");
  EXPECT_EQ(executed[1], "other");
  EXPECT_EQ(executed.back(), "after");
}

TEST_F(PipelineTest, lets_requests_of_who_does_not_read_wait_and_nobody_else) {
  begin(false);
  std::vector<std::pair<LineId, std::unique_ptr<Work>>> all;
  in_loop([this] { pipeline_->wait_for_reader(kHog); });
  all.emplace_back(kHog, told("unread"));
  all.emplace_back(kInnocent, told("read"));
  push_all(std::move(all));
  ASSERT_TRUE(testing::eventually(kSoon, [&] { return in_loop([this] { return !story_.settled.empty(); }); }));
  EXPECT_EQ(in_loop([this] { return story_.settled; }), std::vector<std::string>{"read"});
  EXPECT_FALSE(in_loop([this] { return pipeline_->idle(); }));
  in_loop([this] { pipeline_->has_read(kHog); });
  wait_until_idle();
  EXPECT_EQ(story_.settled, (std::vector<std::string>{"read", "unread"}));
}

}  // namespace
}  // namespace holdfast::server
