#include "server/service.h"

#include <gtest/gtest.h>

#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/manual_loop.h"
#include "support/recorded_peer.h"
#include "support/simulated_disk.h"
#include "support/store_ledger.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using wire::Code;
using wire::Op;

constexpr std::size_t kLength = 4;  // of a frame's length

struct Answer {
  std::int32_t xid = 0;
  wire::Zxid zxid = 0;
  Code code = Code::ok;
  std::string body{};
};

// A client of the service without a network in between.
class TestClient {
 public:
  TestClient(testing::ManualLoop& loop, Service& service, std::shared_ptr<Address> source = nullptr)
      : loop_(loop), service_(service) {
    id_ = service.connected(peer_, {.address = "10.0.0.1:4711", .ip = "10.0.0.1", .source = std::move(source)});
  }

  wire::ConnectResponse greet(std::int32_t timeout, wire::SessionId session = 0, const std::string& password = {},
                              wire::Zxid seen = 0) {
    wire::Writer hello;
    encode(hello, wire::ConnectRequest{.last_zxid_seen = seen,
                                       .timeout = timeout,
                                       .session = session,
                                       .password = password.empty() ? std::string(16, '\0') : password});
    say(hello.take());
    wire::ConnectResponse response;
    if (peer_->frames.empty()) return response;
    wire::Reader reader(std::string_view(peer_->frames.back()).substr(kLength));
    EXPECT_TRUE(decode(reader, response));
    return response;
  }
  // What it is answered in the turns that follow; nothing if it is not.
  std::optional<Answer> ask(Op op, const std::string& body, std::int32_t xid = 1) {
    const auto before = peer_->frames.size();
    wire::Writer frame;
    frame.i32(xid);
    frame.i32(static_cast<std::int32_t>(op));
    frame.raw(body);
    say(frame.take());
    for (auto i = before; i < peer_->frames.size(); ++i) {
      auto answer = read(peer_->frames[i]);
      if (answer.xid == xid) return answer;
    }
    return std::nullopt;
  }
  std::optional<Answer> create_ephemeral(const std::string& path) {
    wire::Writer body;
    body.text(path);
    body.text("data");
    encode(body, wire::AclList{{wire::permission::kAll, {"world", "anyone"}}});
    body.i32(static_cast<std::int32_t>(wire::CreateMode::ephemeral));
    return ask(Op::create, body.take());
  }
  std::optional<Answer> exists(const std::string& path, bool watch = false) {
    wire::Writer body;
    body.text(path);
    body.boolean(watch);
    return ask(Op::exists, body.take());
  }
  std::optional<Answer> ping() { return ask(Op::ping, {}, wire::kPingXid); }
  std::optional<Answer> log_in(const std::string& user_and_password) {
    wire::Writer body;
    encode(body, wire::AuthRequest{"digest", user_and_password});
    return ask(Op::auth, body.take(), wire::kAuthXid);
  }
  void say(std::string frame) {
    service_.received(id_, std::move(frame));
    loop_.run_for();
  }
  void hang_up() {
    service_.disconnected(id_);
    loop_.run_for();
  }
  std::size_t events() const {
    std::size_t count = 0;
    for (const auto& frame : peer_->frames) count += read(frame).xid == wire::kNotificationXid ? 1 : 0;
    return count;
  }
  bool is_closed() const { return peer_->closed > 0; }
  ConnectionId id() const { return id_; }

 private:
  static Answer read(std::string_view frame) {
    wire::Reader reader(frame.substr(kLength));
    Answer answer;
    answer.xid = reader.i32();
    answer.zxid = reader.i64();
    answer.code = static_cast<Code>(reader.i32());
    answer.body = frame.substr(frame.size() - reader.left());
    return answer;
  }

  testing::ManualLoop& loop_;
  Service& service_;
  const std::shared_ptr<testing::RecordedPeer> peer_ = std::make_shared<testing::RecordedPeer>();
  ConnectionId id_ = 0;
};

class ServiceTest : public ::testing::Test {
 protected:
  void begin(EngineOptions options = {}) {
    options.min_session_timeout = 100ms;
    options.max_session_timeout = 10s;
    service_ = std::make_unique<Service>(loop_, std::move(options), engine_, store_.get());
  }
  void begin_with_a_log() {
    testing::Collector nothing;
    auto opened = store::Store::open(disk_, {.data_directory = "/data", .log_directory = "/log"}, nothing);
    ASSERT_TRUE(opened);
    store_ = std::move(*opened);
    begin();
  }
  TestClient client() { return {loop_, *service_}; }

  testing::ManualLoop loop_;
  engine::Engine engine_;
  testing::SimulatedDisk disk_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, opens_a_session_and_answers_its_requests) {
  begin();
  auto one = client();
  const auto welcome = one.greet(2'000);
  EXPECT_NE(welcome.session, 0);
  EXPECT_EQ(welcome.timeout, 2'000);
  EXPECT_EQ(one.create_ephemeral("/a")->code, Code::ok);
  EXPECT_EQ(one.exists("/a")->code, Code::ok);
  EXPECT_EQ(one.exists("/b")->code, Code::no_node);
  EXPECT_EQ(one.ping()->code, Code::ok);
}

TEST_F(ServiceTest, ends_a_silent_session_with_its_ephemerals_when_its_time_is_over_and_tells_the_one_that_watches) {
  begin();
  auto silent = client();
  silent.greet(1'000);
  silent.create_ephemeral("/lock");
  auto other = client();
  other.greet(10'000);
  EXPECT_EQ(other.exists("/lock", true)->code, Code::ok);
  loop_.run_for(999ms);
  EXPECT_EQ(engine_.sessions().size(), 2U);
  EXPECT_EQ(other.events(), 0U);
  loop_.run_for(100ms);
  EXPECT_EQ(engine_.sessions().size(), 1U);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(other.events(), 1U);
  EXPECT_EQ(other.exists("/lock")->code, Code::no_node);
  EXPECT_EQ(service_->statistics().sessions.expired, 1);
}

TEST_F(ServiceTest, keeps_a_session_that_pings) {
  begin();
  auto one = client();
  one.greet(1'000);
  for (int i = 0; i < 20; ++i) {
    loop_.run_for(900ms);
    EXPECT_TRUE(one.ping());
  }
  EXPECT_EQ(engine_.sessions().size(), 1U);
}

// Its end is found, and has to wait until the log is written. What its client sends meanwhile is answered, and the client counts on that for
// all of its timeout.
TEST_F(ServiceTest, keeps_a_session_that_pings_after_its_end_was_found_and_before_its_turn) {
  begin_with_a_log();
  auto one = client();
  one.greet(1'000);
  EXPECT_EQ(one.create_ephemeral("/lock")->code, Code::ok);
  auto other = client();
  other.greet(10'000);
  loop_.run_for(900ms);
  loop_.hold_slow(true);
  EXPECT_FALSE(other.create_ephemeral("/other")) << "the log is slow";
  const auto waiting = service_->statistics().pipeline.outstanding;
  loop_.run_for(400ms);
  ASSERT_EQ(service_->statistics().pipeline.outstanding, waiting + 1) << "its end was not found";
  ASSERT_TRUE(one.ping());
  // Longer than half of its timeout.
  loop_.run_for(700ms);
  loop_.hold_slow(false);
  loop_.run_for();
  EXPECT_EQ(service_->statistics().pipeline.outstanding, 0);
  EXPECT_EQ(engine_.sessions().size(), 2U);
  EXPECT_FALSE(one.is_closed());
  EXPECT_EQ(engine_.tree().ephemeral_count(), 2U);
  loop_.run_for(299ms);
  EXPECT_EQ(engine_.sessions().size(), 2U);
  loop_.run_for(100ms);
  EXPECT_EQ(engine_.sessions().size(), 1U) << "it is looked at again";
}

TEST_F(ServiceTest, keeps_the_session_of_a_connection_that_was_lost_until_it_expires) {
  begin();
  auto one = client();
  one.greet(1'000);
  one.create_ephemeral("/lock");
  one.hang_up();
  EXPECT_EQ(service_->statistics().connections, 0);
  loop_.run_for(900ms);
  EXPECT_TRUE(engine_.tree().ephemeral_count() == 1);
  loop_.run_for(200ms);
  EXPECT_TRUE(engine_.tree().ephemeral_count() == 0);
}

TEST_F(ServiceTest, lets_another_connection_resume_a_session_with_its_password_and_drops_the_one_before) {
  begin();
  auto first = client();
  const auto welcome = first.greet(2'000);
  auto thief = client();
  EXPECT_EQ(thief.greet(2'000, welcome.session, std::string(16, 'x')).session, 0);
  EXPECT_TRUE(thief.is_closed());
  EXPECT_FALSE(first.is_closed());
  auto second = client();
  EXPECT_EQ(second.greet(2'000, welcome.session, welcome.password).session, welcome.session);
  EXPECT_TRUE(first.is_closed());
  EXPECT_EQ(second.exists("/")->code, Code::ok);
}

TEST_F(ServiceTest, refuses_a_client_that_has_seen_more_than_it_ever_told) {
  begin();
  auto one = client();
  one.greet(2'000, 0, {}, std::int64_t{1} << 60);
  EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(service_->statistics().quotas.of(Refusal::history), 1U);
}

TEST_F(ServiceTest, refuses_one_that_has_to_log_in_and_ends_its_session_with_its_connection) {
  begin({.require_auth = {"ann:secret"}});
  auto stranger = client();
  stranger.greet(5'000);
  EXPECT_EQ(stranger.exists("/")->code, Code::session_closed_require_auth);
  EXPECT_TRUE(stranger.is_closed());
  loop_.run_for();
  EXPECT_EQ(engine_.sessions().size(), 0U);
  auto wrong = client();
  wrong.greet(5'000);
  wrong.log_in("ann:guess");
  EXPECT_EQ(service_->statistics().logins.failed, 1);
  EXPECT_EQ(wrong.exists("/")->code, Code::session_closed_require_auth);
}

TEST_F(ServiceTest, takes_a_login_that_waits_out_of_the_line_when_its_client_goes) {
  begin({.require_auth = {"ann:secret"}});
  const auto source = service_->quotas()->addresses.find("10.0.0.1", loop_.now());
  std::deque<TestClient> clients;
  for (int i = 0; i < kLoginBurst + 10; ++i) {
    auto& wrong = clients.emplace_back(loop_, *service_, source);
    wrong.greet(5'000);
    wrong.log_in("ann:guess");
  }
  const auto tried = static_cast<std::size_t>(service_->statistics().logins.failed);
  ASSERT_EQ(source->waiting_logins.size(), clients.size() - tried);
  ASSERT_GT(source->waiting_logins.size(), 5U);
  const std::weak_ptr<ClientConnection> second = *std::next(source->waiting_logins.begin());
  for (auto i = tried + 1; i + 1 < clients.size(); ++i) clients[i].hang_up();
  EXPECT_EQ(source->waiting_logins.size(), 2U) << "the first and the last";
  EXPECT_TRUE(second.expired()) << "nothing of a client that has gone is kept";
  // Of those that are there each has its turn.
  loop_.run_for(3 * kLoginStep);
  EXPECT_TRUE(source->waiting_logins.empty());
  EXPECT_EQ(service_->statistics().logins.failed, static_cast<std::int64_t>(tried + 2));
}

TEST_F(ServiceTest, counts_what_each_part_of_it_does) {
  begin();
  auto one = client();
  one.greet(2'000);
  one.create_ephemeral("/a");
  one.exists("/a", true);
  const auto statistics = service_->statistics();
  EXPECT_EQ(statistics.connections, 1);
  EXPECT_EQ(statistics.state.sessions, 1);
  EXPECT_EQ(statistics.state.ephemerals, 1);
  EXPECT_EQ(statistics.state.watches, 1);
  EXPECT_EQ(statistics.traffic.received, 3);
  EXPECT_EQ(statistics.traffic.sent, 3);
  EXPECT_EQ(statistics.traffic.update_latency.count, 1);
  EXPECT_EQ(statistics.traffic.read_latency.count, 1);
  EXPECT_EQ(statistics.pipeline.outstanding, 0);
  loop_.run_for(1500ms);
  EXPECT_EQ(service_->statistics().uptime, 1'500);
  (void)service_->report("srst");
  EXPECT_EQ(service_->statistics().traffic.received, 0);
  EXPECT_EQ(service_->statistics().state.sessions, 1) << "what there is stays";
}

TEST_F(ServiceTest, lists_its_connections_sessions_and_watches_for_the_words_that_print_them) {
  begin();
  auto one = client();
  const auto session = one.greet(2'000).session;
  one.create_ephemeral("/a");
  one.exists("/a", true);
  const auto connections = service_->report("cons").connections;
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].session, session);
  EXPECT_EQ(connections[0].last_operation, "EXIS");
  const auto sessions = service_->report("dump").session_list;
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].ephemerals, std::vector<std::string>{"/a"});
  const auto watches = service_->report("wchp").watch_list;
  ASSERT_EQ(watches.size(), 1U);
  EXPECT_EQ(watches[0].path, "/a");
  EXPECT_TRUE(service_->report("mntr").connections.empty()) << "only where they are printed";
}

TEST_F(ServiceTest, answers_what_it_has_taken_before_it_stops_and_takes_nothing_after) {
  begin();
  auto one = client();
  one.greet(2'000);
  bool stopped = false;
  wire::Writer body;
  body.i32(1);
  body.i32(static_cast<std::int32_t>(Op::exists));
  body.text("/");
  body.boolean(false);
  service_->received(one.id(), body.take());  // waits for its turn
  service_->stop([&] { stopped = true; });
  EXPECT_FALSE(stopped);
  loop_.run_for();
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(client().id(), 0U);
  EXPECT_EQ(service_->statistics().traffic.read_latency.count, 1);
}

TEST_F(ServiceTest, knows_for_how_long_it_was_not_used) {
  begin();
  loop_.run_for(3s);
  EXPECT_EQ(service_->unused_for(), 3s);
  auto one = client();
  EXPECT_EQ(service_->unused_for(), std::nullopt);
  one.greet(1'000);
  one.hang_up();
  EXPECT_EQ(service_->unused_for(), std::nullopt) << "its session may be resumed";
  loop_.run_for(1100ms);
  ASSERT_TRUE(service_->unused_for());
  EXPECT_LT(*service_->unused_for(), 200ms);
}

TEST_F(ServiceTest, does_nothing_more_once_it_is_gone) {
  begin();
  auto one = client();
  one.greet(1'000);
  service_.reset();
  EXPECT_TRUE(one.is_closed());
  loop_.run_for(1min);
  EXPECT_EQ(engine_.sessions().size(), 1U) << "it expired no session";
}

}  // namespace
}  // namespace holdfast::server
