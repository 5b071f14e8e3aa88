// What becomes of a request for a ticket, whatever a server answers: docs/semantics.md, "Refusals".
#include "backend/zookeeper/zookeeper_backend.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "backend/zookeeper/status.h"
#include "support/manual_executor.h"
#include "wire/jute.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;
using spi::Status;

constexpr std::size_t kLength = 4;  // of a frame's length

// A server that answers every kind of request with the code that it is told to.
class ScriptedLine final : public zk::Line, public std::enable_shared_from_this<ScriptedLine> {
 public:
  using Script = std::function<Code(wire::Op op, const std::string& path)>;

  ScriptedLine(spi::Executor& executor, Events events, Script script)
      : executor_(executor), events_(std::move(events)), script_(std::move(script)) {}

  void send(std::string frame) override {
    wire::Reader reader(frame);
    if (!std::exchange(greeted_, true)) {
      wire::Writer writer;
      encode(writer, wire::ConnectResponse{.timeout = 9'000, .session = 7});
      return tell(writer.take());
    }
    const auto xid = reader.i32();
    const auto op = static_cast<wire::Op>(reader.i32());
    const auto path = reader.text();
    tell(wire::reply_frame(xid, 1, script_(op, path), {}).substr(kLength));
  }
  void let_go() override { over_ = true; }
  void close(std::string) override {}

 private:
  void tell(std::string frame) {
    executor_.post([self = shared_from_this(), frame = std::move(frame)] {
      if (!self->over_) self->events_.received(frame);
    });
  }

  spi::Executor& executor_;
  const Events events_;
  const Script script_;
  bool greeted_ = false;
  bool over_ = false;
};

class Refusals : public ::testing::Test, private spi::Observer {
 protected:
  // What comes of an enqueue() into "a/b".
  spi::Reply<std::vector<spi::Enqueued>> enqueue(ScriptedLine::Script script) {
    ZooKeeperBackend backend(executor_, {.called = "the script"}, {},
                             [&](const net::ServerAddress&, Clock::duration, zk::Line::Events events) {
                               return std::make_shared<ScriptedLine>(executor_, std::move(events), script);
                             });
    backend.open(*this);
    executor_.run_for(1ms);
    EXPECT_TRUE(connected_);
    std::optional<spi::Reply<std::vector<spi::Enqueued>>> reply;
    backend.enqueue({{.queue = "a/b", .uid = "uid", .card = ""}}, [&](auto answer) { reply = std::move(answer); });
    executor_.run_for(1ms);
    EXPECT_TRUE(reply) << "it goes on for ever";
    const auto outside = backend.close();
    return reply.value_or(spi::Reply<std::vector<spi::Enqueued>>{});
  }

  testing::ManualExecutor executor_;

 private:
  void connected(const spi::Session&) override { connected_ = true; }
  void disconnected() override {}
  void expired(spi::SessionId) override {}
  void acknowledged(spi::SessionId, Clock::time_point, bool) override {}
  void refused(const std::string&) override {}

  bool connected_ = false;
};

bool is_create(wire::Op op) {
  return op == wire::Op::create || op == wire::Op::create2 || op == wire::Op::create_container;
}
bool is_ticket(const std::string& path) { return path.find("_c_") != std::string::npos; }

// All of ZooKeeper's, and some that it does not have.
std::vector<Code> every_code() {
  std::vector<Code> codes;
  for (int code = -1; code > -140; --code) codes.push_back(static_cast<Code>(code));
  std::erase(codes, Code::session_expired);  // ends the session, which is another story
  std::erase(codes, Code::session_closed_require_auth);
  return codes;
}

TEST_F(Refusals, of_a_ticket_are_what_the_code_says) {
  for (const auto code : every_code()) {
    if (code == Code::no_node) continue;  // the next test
    const auto reply = enqueue(
        [&](wire::Op op, const std::string& path) { return is_create(op) && is_ticket(path) ? code : Code::no_node; });
    EXPECT_EQ(reply.status, status_of(code)) << static_cast<int>(code) << ": " << reply.detail;
    EXPECT_NE(reply.detail.find(to_text(code)), std::string::npos) << reply.detail;
  }
}

// It remembered only that there was no permission; with every other reason it tried again for ever.
TEST_F(Refusals, of_a_parent_are_told_with_its_path_and_reason_if_they_will_not_change) {
  for (const auto code : every_code()) {
    if (status_of(code) != Status::denied) continue;
    const auto reply = enqueue([&](wire::Op op, const std::string& path) {
      return is_create(op) && path == "/a/b" ? code : is_create(op) && path == "/a" ? Code::node_exists : Code::no_node;
    });
    EXPECT_EQ(reply.status, Status::denied) << static_cast<int>(code) << ": " << reply.detail;
    EXPECT_EQ(reply.detail, describe(code, "create /a/b"));
  }
}

TEST_F(Refusals, of_an_ancestor_do_not_matter_if_what_is_below_it_is_there) {
  int tickets = 0;
  const auto reply = enqueue([&](wire::Op op, const std::string& path) {
    if (!is_create(op)) return Code::no_node;
    if (is_ticket(path)) return ++tickets < 3 ? Code::no_node : Code::quota_exceeded;
    return path == "/a" ? Code::no_auth : Code::node_exists;
  });
  EXPECT_EQ(tickets, 3) << "it gave up too soon";
  EXPECT_EQ(reply.status, Status::denied) << reply.detail;
}

// A queue that is removed again and again is not a refusal; but it is not tried for ever either.
TEST_F(Refusals, are_not_made_of_a_parent_that_vanishes) {
  int tickets = 0;
  const auto reply = enqueue([&](wire::Op op, const std::string& path) {
    if (is_create(op) && is_ticket(path)) ++tickets;
    return is_create(op) && !is_ticket(path) ? Code::node_exists : Code::no_node;
  });
  EXPECT_EQ(reply.status, Status::unreachable) << reply.detail;
  EXPECT_LT(tickets, 10);
}

}  // namespace
}  // namespace holdfast::zookeeper
