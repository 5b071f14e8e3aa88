// Redis as a store, when something goes wrong: below the lock, one request at a time, against a real server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <list>

#include "backend/redis/redis_backend.h"
#include "net/poll_reactor.h"
#include "support/eventually.h"
#include "support/redis_server.h"
#include "support/tcp_relay.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using spi::Status;
using testing::eventually;
using testing::RedisKeeps;
using testing::RedisServer;
using testing::texts_of;

constexpr auto kSoon = 30s;
constexpr auto kTimeout = 1'500ms;

// One session, and the one thread that it runs in. It beats while it waits, as the lock does.
class Guest final : private spi::Observer {
 public:
  Guest(net::PollReactor& reactor, const Client::Options& client, std::chrono::milliseconds timeout)
      : reactor_(reactor), backend_(reactor, Store{.client = client, .called = "Redis"}, timeout) {
    backend_.open(*this);
    beat_later(timeout / 6);
  }
  explicit Guest(net::PollReactor& reactor, const std::string& servers, std::chrono::milliseconds timeout = kTimeout)
      : Guest(reactor, Client::Options{.servers = net::parse_servers(servers).value()}, timeout) {}
  explicit Guest(net::PollReactor& reactor, const RedisServer& server, std::chrono::milliseconds timeout = kTimeout)
      : Guest(reactor, server.address(), timeout) {}
  ~Guest() override {
    if (ended_) return;
    const auto rest = backend_.close();
    if (rest) rest();
    settle();
  }
  // As a process that is killed: no goodbye, and the connection ends.
  void die() {
    (void)backend_.close();
    settle();
    ended_ = true;
  }
  // What was posted has run when the backend goes, as in a client.
  void settle() {
    reactor_.cancel(beat_);
    reactor_.post([] {});
    reactor_.wait({}, Clock::now());
  }

  bool wait_until(const std::function<bool()>& condition, Clock::duration within = kSoon) {
    const auto until = Clock::now() + within;
    while (!condition() && Clock::now() < until) reactor_.wait({}, std::min(until, Clock::now() + 20ms));
    return condition();
  }
  bool connects() {
    return wait_until([&] { return session_.id != 0 && connected_; });
  }
  template <class T>
  spi::Reply<T> ask(const std::function<void(spi::QueueBackend&, spi::Callback<T>)>& request) {
    std::optional<spi::Reply<T>> reply;
    request(backend_, [&](spi::Reply<T> answer) { reply = std::move(answer); });
    EXPECT_TRUE(wait_until([&] { return reply.has_value(); })) << "no answer";
    return reply.value_or(spi::Reply<T>{Status::unknown, "no answer", {}});
  }
  spi::Reply<std::vector<spi::Enqueued>> enqueue(const std::string& queue, const std::string& uid) {
    return ask<std::vector<spi::Enqueued>>([&](auto& backend, auto done) {
      backend.enqueue({{.queue = queue, .uid = uid, .card = "card"}}, std::move(done));
    });
  }
  spi::Listing list(const std::string& queue) {
    return ask<spi::Listing>([&](auto& backend, auto done) { backend.list(queue, std::move(done)); }).value;
  }
  spi::Reply<spi::Nothing> beat() {
    return ask<spi::Nothing>([](auto& backend, auto done) { backend.beat(std::move(done)); });
  }
  spi::Reply<spi::Nothing> dequeue(const std::string& queue, const std::string& ticket) {
    return ask<spi::Nothing>([&](auto& backend, auto done) { backend.dequeue(queue, ticket, std::move(done)); });
  }
  // What valid_until() would say of the session.
  Clock::time_point valid_until() const { return anchor_ + session_.timeout - session_.timeout / 20; }

  void connected(const spi::Session& session) override {
    if (session.id != session_.id) anchor_ = session.asked;
    session_ = session;
    connected_ = true;
    ++connections_;
    at_connect_ = Clock::now();
  }
  void disconnected() override { connected_ = false; }
  void expired(spi::SessionId session) override {
    expired_.push_back(session);
    connected_ = false;
  }
  void acknowledged(spi::SessionId session, Clock::time_point sent, bool) override {
    if (session == session_.id) anchor_ = std::max(anchor_, sent);
  }
  void refused(const std::string& why) override { refused_ = why; }

  void beat_later(Clock::duration pause) {
    beat_ = reactor_.at(reactor_.now() + pause, [this, pause] {
      if (connected_) backend_.beat([](const auto&) {});
      beat_later(pause);
    });
  }

  net::PollReactor& reactor_;
  RedisBackend backend_;
  spi::Session session_{};
  bool connected_ = false;
  int connections_ = 0;
  Clock::time_point at_connect_{};
  Clock::time_point anchor_{};
  std::vector<spi::SessionId> expired_;
  std::string refused_;
  net::Reactor::TimerId beat_ = 0;
  bool ended_ = false;
};

class RedisStore : public ::testing::Test {
 protected:
  net::PollReactor reactor_;
};

TEST_F(RedisStore, takes_a_session_up_again_on_another_connection_and_its_listeners_miss_nothing) {
  RedisServer server;
  testing::TcpRelay relay(server.port());
  Guest waiter(reactor_, fmt::format("127.0.0.1:{}", relay.port()), 6s);
  Guest holder(reactor_, server, 6s);
  ASSERT_TRUE(waiter.connects() && holder.connects());
  const auto ticket = holder.enqueue("q", "u1").value.at(0).place.ticket.id;
  const auto changed = holder.enqueue("q", "u2").value.at(0).place.ticket.id;
  std::vector<std::string> heard;
  const auto listen = [&](const std::string& to) {
    return waiter.ask<spi::TicketText>([&](auto& backend, auto armed) {
      backend.listen("q", to, std::move(armed), [&, to](const auto& reply) {
        heard.push_back(to + (reply ? " says " + reply.value.card : " gone"));
      });
    });
  };
  ASSERT_TRUE(listen(ticket));
  ASSERT_TRUE(listen(changed));
  const auto session = waiter.session_.id;
  relay.stall();
  EXPECT_TRUE(holder.dequeue("q", ticket));
  EXPECT_TRUE(holder.ask<spi::Nothing>(
      [&](auto& backend, auto done) { backend.write("q", changed, {.card = "new"}, std::move(done)); }));
  relay.cut_all();
  relay.heal();
  EXPECT_TRUE(waiter.wait_until([&] { return heard.size() == 2; }));
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(heard, (std::vector<std::string>{ticket + " gone", changed + " says new"}));
  EXPECT_EQ(waiter.session_.id, session);
  EXPECT_TRUE(waiter.expired_.empty());
}

// What a dead connection still carries must not make a ticket after find() has said that there is none.
TEST_F(RedisStore, refuses_what_was_left_in_a_connection_once_another_speaks_for_the_session) {
  RedisServer server;
  testing::TcpRelay relay(server.port());
  Guest guest(reactor_, fmt::format("127.0.0.1:{},{}", relay.port(), server.address()), 3s);
  Guest other(reactor_, server, 3s);
  ASSERT_TRUE(guest.connects() && other.connects());
  const auto session = guest.session_.id;
  relay.stall();
  const auto lost = guest.enqueue("q", "u1");  // it stays in the relay
  EXPECT_EQ(lost.status, Status::unknown) << lost.detail;
  ASSERT_TRUE(guest.connects()) << guest.backend_.trouble();
  ASSERT_EQ(guest.session_.id, session) << "the session was taken up again in time";
  const auto find = [](auto& backend, auto done) { backend.find("q", "u1", std::move(done)); };
  EXPECT_EQ(guest.ask<spi::Enqueued>(find).status, Status::absent);
  relay.heal();
  // It has arrived when the server has executed more scripts than ours.
  EXPECT_TRUE(other.wait_until([&] { return server.ask("CLIENT LIST").find("cmd=evalsha") != std::string::npos; }));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(other.list("q").empty());
    EXPECT_EQ(guest.ask<spi::Enqueued>(find).status, Status::absent);
  }
}

TEST_F(RedisStore, ends_the_session_of_a_client_that_has_died_and_tells_the_one_that_listens) {
  RedisServer server;
  Guest waiter(reactor_, server);
  Guest dying(reactor_, server);
  ASSERT_TRUE(waiter.connects() && dying.connects());
  const auto ticket = dying.enqueue("q", "u1").value.at(0).place.ticket.id;
  bool gone = false;
  ASSERT_TRUE(waiter.ask<spi::TicketText>([&](auto& backend, auto armed) {
    backend.listen("q", ticket, std::move(armed), [&](const auto& reply) { gone = reply.status == Status::absent; });
  }));
  const auto believed = dying.valid_until();
  const auto died = Clock::now();
  dying.die();
  ASSERT_TRUE(waiter.wait_until([&] { return gone; }));
  EXPECT_GT(Clock::now(), believed) << "before it could know";
  EXPECT_LT(Clock::now() - died, 2 * kTimeout);
  EXPECT_TRUE(waiter.list("q").empty());
}

// One with a short session, and the other with a long one, which only beats now and then.
TEST_F(RedisStore, ends_a_short_session_in_time_although_those_that_are_left_have_long_ones) {
  RedisServer server;
  Guest waiter(reactor_, server, 60s);
  Guest dying(reactor_, server, 600ms);
  ASSERT_TRUE(waiter.connects() && dying.connects());
  const auto ticket = dying.enqueue("q", "u1").value.at(0).place.ticket.id;
  bool gone = false;
  ASSERT_TRUE(waiter.ask<spi::TicketText>([&](auto& backend, auto armed) {
    backend.listen("q", ticket, std::move(armed), [&](const auto& reply) { gone = reply.status == Status::absent; });
  }));
  dying.die();
  EXPECT_TRUE(waiter.wait_until([&] { return gone; }, 3s));
}

// ------------------------------------------------------------------------------------------------------------------- lost data

TEST_F(RedisStore, is_closed_after_a_restart_that_lost_all_until_the_old_holder_has_given_up_and_tokens_go_on_growing) {
  RedisServer server;
  Guest holder(reactor_, server);
  ASSERT_TRUE(holder.connects());
  const auto old = holder.enqueue("q", "u1").value.at(0).place;
  EXPECT_TRUE(holder.beat());
  const auto believed = holder.valid_until();
  server.restart();
  ASSERT_TRUE(holder.wait_until([&] { return holder.session_.id != old.session && holder.connected_; }))
      << holder.backend_.trouble();
  EXPECT_GT(holder.at_connect_, believed);
  EXPECT_EQ(holder.expired_, std::vector{old.session});
  const auto next = holder.enqueue("q", "u2");
  ASSERT_TRUE(next) << next.detail;
  EXPECT_GT(next.value[0].place.token, old.token);
  EXPECT_EQ(next.value[0].queue.size(), 1U);
}

TEST_F(RedisStore, is_closed_after_a_restart_that_kept_all_because_that_cannot_be_known) {
  RedisServer server({.keeps = RedisKeeps::all});
  Guest holder(reactor_, server);
  ASSERT_TRUE(holder.connects());
  const auto old = holder.enqueue("q", "u1").value.at(0).place;
  holder.ask<spi::Nothing>([](auto& backend, auto done) { backend.make_count("n", 7, std::move(done)); });
  const auto believed = holder.valid_until();
  server.restart();
  Guest rival(reactor_, server);
  ASSERT_TRUE(rival.connects()) << rival.backend_.trouble();
  EXPECT_GT(rival.at_connect_, believed);
  EXPECT_TRUE(rival.list("q").empty());
  EXPECT_GT(rival.enqueue("q", "u2").value.at(0).place.token, old.token);
  EXPECT_EQ(rival.ask<std::int32_t>([](auto& backend, auto done) { backend.read_count("n", std::move(done)); }).value,
            7)
      << "what does not belong to a session stays";
}

TEST_F(RedisStore, says_why_it_is_closed) {
  RedisServer server({.keeps = RedisKeeps::all});
  {
    Guest first(reactor_, server, 30s);
    ASSERT_TRUE(first.connects());
  }
  server.restart();
  Guest guest(reactor_, server, 30s);
  ASSERT_TRUE(guest.wait_until([&] { return !guest.backend_.trouble().empty(); }));
  EXPECT_TRUE(guest.wait_until([&] {
    return guest.backend_.trouble().find("gives no locks before") != std::string::npos;
  })) << guest.backend_.trouble();
}

// So that one client with a long session does not cost every later restart as long a pause.
TEST_F(RedisStore, is_not_closed_for_a_timeout_that_no_session_has_had_for_two_days) {
  RedisServer server({.keeps = RedisKeeps::all});
  const auto noted = [&](const std::string& field) { return server.ask("HGET {holdfast}:m " + field); };
  {
    Guest once(reactor_, server, 60s);
    ASSERT_TRUE(once.connects());
  }
  for (const auto* before : {"60000000", "1500000"}) {
    ASSERT_TRUE(Guest(reactor_, server).connects()) << "the same day: nothing is forgotten";
    server.ask("HSET {holdfast}:m day 0");
    ASSERT_TRUE(Guest(reactor_, server).connects());
    EXPECT_EQ(texts_of(noted("longest_before")), std::vector<std::string>{before});
    EXPECT_EQ(texts_of(noted("longest")), std::vector<std::string>{"1500000"});
  }
  server.restart();
  Guest guest(reactor_, server);
  EXPECT_TRUE(guest.connects()) << guest.backend_.trouble();
}

TEST_F(RedisStore, that_is_closed_is_opened_by_an_operator_who_knows_that_no_old_holder_lives) {
  RedisServer server({.keeps = RedisKeeps::all});
  ASSERT_TRUE(Guest(reactor_, server, 60s).connects());
  server.restart();
  Guest guest(reactor_, server, 6s);
  ASSERT_TRUE(guest.wait_until([&] { return !server.ask("HGET {holdfast}:m closed").starts_with("$-1"); }));
  server.ask("HDEL {holdfast}:m closed");
  EXPECT_TRUE(guest.connects()) << guest.backend_.trouble();
}

TEST_F(RedisStore, notices_flushall_within_a_beat_and_lets_no_client_in_before_the_holder_has_given_up) {
  RedisServer server;
  Guest holder(reactor_, server);
  ASSERT_TRUE(holder.connects());
  const auto old = holder.enqueue("q", "u1").value.at(0).place;
  EXPECT_TRUE(holder.beat());
  const auto believed = holder.valid_until();
  server.ask("FLUSHALL");
  ASSERT_TRUE(holder.wait_until([&] { return !holder.expired_.empty(); }));
  ASSERT_TRUE(holder.connects()) << holder.backend_.trouble();
  EXPECT_GT(holder.at_connect_, believed);
  EXPECT_GT(holder.enqueue("q", "u2").value.at(0).place.token, old.token);
}

// Its replication id changes by that, and says nothing about its data.
TEST_F(RedisStore, goes_on_when_a_replica_comes) {
  RedisServer server;
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.connects());
  const auto session = guest.session_.id;
  RedisServer replica;
  replica.ask(fmt::format("REPLICAOF 127.0.0.1 {}", server.port()));
  ASSERT_TRUE(
      guest.wait_until([&] { return server.ask("INFO replication").find("state=online") != std::string::npos; }));
  const auto beaten = guest.beat();
  EXPECT_TRUE(beaten) << beaten.detail;
  EXPECT_EQ(guest.session_.id, session);
  EXPECT_EQ(guest.connections_, 1);
}

// What it has then is what the other one had.
TEST_F(RedisStore, ends_all_sessions_when_the_server_was_a_replica_meanwhile) {
  RedisServer server;
  RedisServer other;
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.connects());
  const auto old = guest.enqueue("q", "u1").value.at(0).place;
  other.ask(fmt::format("REPLICAOF 127.0.0.1 {}", server.port()));
  ASSERT_TRUE(
      guest.wait_until([&] { return server.ask("INFO replication").find("state=online") != std::string::npos; }));
  EXPECT_TRUE(guest.beat());
  const auto believed = guest.valid_until();
  other.ask("REPLICAOF NO ONE");
  server.ask(fmt::format("REPLICAOF 127.0.0.1 {}", other.port()));
  ASSERT_TRUE(eventually(
      20s, [&] { return server.ask("INFO replication").find("master_link_status:up") != std::string::npos; }));
  server.ask("REPLICAOF NO ONE");
  ASSERT_TRUE(guest.wait_until([&] { return !guest.expired_.empty(); }));
  EXPECT_EQ(guest.expired_, std::vector{old.session});
  ASSERT_TRUE(guest.connects()) << guest.backend_.trouble();
  EXPECT_GT(guest.at_connect_, believed);
  EXPECT_TRUE(guest.list("q").empty());
}

// The replica has not got what the master wrote last.
TEST_F(RedisStore, lets_no_client_in_after_a_failover_before_the_old_holder_has_given_up) {
  RedisServer master;
  RedisServer replica;
  Guest first(reactor_, master);
  ASSERT_TRUE(first.connects());
  replica.ask(fmt::format("REPLICAOF 127.0.0.1 {}", master.port()));
  ASSERT_TRUE(
      first.wait_until([&] { return master.ask("INFO replication").find("state=online") != std::string::npos; }));
  EXPECT_TRUE(first.beat());
  replica.pause();  // from here on it hears nothing
  Guest holder(reactor_, master);
  ASSERT_TRUE(holder.connects());
  const auto lost = holder.enqueue("q", "u1");
  ASSERT_TRUE(lost) << lost.detail;
  const auto believed = holder.valid_until();
  master.kill();
  replica.resume();
  replica.ask("REPLICAOF NO ONE");
  Guest rival(reactor_, replica);
  ASSERT_TRUE(rival.connects()) << rival.backend_.trouble();
  EXPECT_GT(rival.at_connect_, believed);
  EXPECT_GT(rival.enqueue("q", "u2").value.at(0).place.token, lost.value[0].place.token);
}

TEST_F(RedisStore, goes_on_when_its_scripts_are_flushed) {
  RedisServer server;
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.connects());
  const auto session = guest.session_.id;
  const auto kept = guest.enqueue("q", "u1").value.at(0).place.ticket.id;
  server.ask("SCRIPT FLUSH");
  const auto lost = guest.enqueue("q", "u2");
  EXPECT_EQ(lost.status, Status::unknown);
  ASSERT_TRUE(guest.connects());
  EXPECT_EQ(guest.session_.id, session);
  const auto listing = guest.list("q");
  ASSERT_EQ(listing.size(), 1U);
  EXPECT_EQ(listing[0].id, kept);
}

// ------------------------------------------------------------------------------------------------------------------ full memory

TEST_F(RedisStore, keeps_holders_alive_and_releases_while_the_server_is_full_and_makes_nothing_new) {
  RedisServer server;
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.connects());
  const auto ticket = guest.enqueue("q", "u1").value.at(0).place.ticket.id;
  const auto session = guest.session_.id;
  server.ask("CONFIG SET maxmemory 1");
  const auto refused = guest.enqueue("q", "u2");
  EXPECT_EQ(refused.status, Status::unreachable);
  EXPECT_NE(refused.detail.find("its memory is full (maxmemory)"), std::string::npos) << refused.detail;
  const auto until = Clock::now() + 2 * kTimeout;
  (void)guest.wait_until([&] { return Clock::now() > until; });
  EXPECT_TRUE(guest.beat());
  EXPECT_EQ(guest.session_.id, session);
  EXPECT_EQ(guest.list("q").size(), 1U) << "nothing is left of what was refused";
  EXPECT_TRUE(guest.dequeue("q", ticket));
  server.ask("CONFIG SET maxmemory 0");
  EXPECT_TRUE(guest.enqueue("q", "u3"));
}

TEST_F(RedisStore, takes_a_session_up_again_while_the_server_is_full_and_begins_none) {
  RedisServer server;
  Guest guest(reactor_, server, 6s);
  ASSERT_TRUE(guest.connects());
  const auto ticket = guest.enqueue("q", "u1").value.at(0).place.ticket.id;
  const auto session = guest.session_.id;
  server.ask("CONFIG SET maxmemory 1");
  server.ask("CLIENT KILL TYPE pubsub");
  EXPECT_TRUE(guest.wait_until([&] { return guest.connections_ == 2; })) << guest.backend_.trouble();
  EXPECT_EQ(guest.session_.id, session);
  EXPECT_TRUE(guest.beat());
  Guest other(reactor_, server);
  EXPECT_TRUE(other.wait_until([&] { return !other.backend_.trouble().empty(); }));
  EXPECT_NE(other.backend_.trouble().find("its memory is full (maxmemory)"), std::string::npos)
      << other.backend_.trouble();
  EXPECT_TRUE(guest.dequeue("q", ticket));
  server.ask("CONFIG SET maxmemory 0");
  EXPECT_TRUE(other.connects());
}

TEST_F(RedisStore, refuses_a_server_that_may_throw_locks_away) {
  RedisServer server;
  server.ask("CONFIG SET maxmemory 100mb");
  server.ask("CONFIG SET maxmemory-policy allkeys-lru");
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.wait_until([&] { return !guest.refused_.empty(); }));
  EXPECT_NE(guest.refused_.find("maxmemory-policy allkeys-lru"), std::string::npos) << guest.refused_;
  server.ask("CONFIG SET maxmemory-policy volatile-lru");
  EXPECT_TRUE(Guest(reactor_, server).connects());
}

// ---------------------------------------------------------------------------------------------------------- what does not belong

TEST_F(RedisStore, refuses_a_key_of_another_program_and_leaves_it_as_it_is) {
  for (const auto& key : keys_of("holdfast")) {
    RedisServer server;
    server.ask(fmt::format("SET {} precious", key));
    Guest guest(reactor_, server);
    ASSERT_TRUE(guest.wait_until([&] { return !guest.refused_.empty(); })) << key;
    EXPECT_NE(guest.refused_.find(key), std::string::npos) << guest.refused_;
    EXPECT_EQ(server.ask(fmt::format("GET {}", key)), "$8\r\nprecious\r\n");
  }
}

TEST_F(RedisStore, refuses_a_layout_that_it_does_not_know) {
  RedisServer server;
  server.ask("HSET {holdfast}:m layout 2");
  Guest guest(reactor_, server);
  ASSERT_TRUE(guest.wait_until([&] { return !guest.refused_.empty(); }));
  EXPECT_NE(guest.refused_.find("the layout 2, of another version"), std::string::npos) << guest.refused_;
}

TEST_F(RedisStore, leaves_a_replica_and_says_which_server_to_name) {
  RedisServer master;
  RedisServer replica;
  replica.ask(fmt::format("REPLICAOF 127.0.0.1 {}", master.port()));
  Guest guest(reactor_, replica);
  EXPECT_TRUE(guest.wait_until([&] { return guest.backend_.trouble().find("replica") != std::string::npos; }))
      << guest.backend_.trouble();
  Guest both(reactor_, replica.address() + "," + master.address());
  EXPECT_TRUE(both.connects()) << both.backend_.trouble();
}

TEST_F(RedisStore, hears_nothing_of_another_database) {
  RedisServer server;
  Guest one(reactor_, server);
  net::PollReactor& reactor = reactor_;
  ASSERT_TRUE(one.connects());
  RedisBackend other(
      reactor,
      Store{.client = {.servers = net::parse_servers(server.address()).value(), .database = 1}, .called = "other"}, 6s);
  spi::Session session;
  struct Silent : spi::Observer {
    spi::Session* session = nullptr;
    void connected(const spi::Session& s) override { *session = s; }
    void disconnected() override {}
    void expired(spi::SessionId) override {}
    void acknowledged(spi::SessionId, Clock::time_point, bool) override {}
    void refused(const std::string&) override {}
  } silent;
  silent.session = &session;
  other.open(silent);
  ASSERT_TRUE(one.wait_until([&] { return session.id != 0; }));
  EXPECT_TRUE(one.enqueue("q", "u1"));
  std::optional<spi::Listing> listing;
  other.list("q", [&](auto reply) { listing = reply.value; });
  ASSERT_TRUE(one.wait_until([&] { return listing.has_value(); }));
  EXPECT_TRUE(listing->empty());
  if (const auto rest = other.close()) rest();
  one.settle();
}

// The rights that docs/backends/redis.md asks for.
constexpr auto kRights = "~{holdfast}:* &{holdfast}:* +@read +@write +@scripting +@pubsub +info +hello +select +time";

TEST_F(RedisStore, needs_no_other_rights_than_those_that_are_documented) {
  RedisServer server;
  server.ask(fmt::format("ACL SETUSER locks on >secret {}", kRights));
  Guest guest(reactor_,
              {.servers = net::parse_servers(server.address()).value(), .user = "locks", .password = "secret"},
              kTimeout);
  ASSERT_TRUE(guest.connects()) << guest.refused_ << guest.backend_.trouble();
  const auto ticket = guest.enqueue("q", "u1").value.at(0).place.ticket.id;
  bool gone = false;
  ASSERT_TRUE(guest.ask<spi::TicketText>([&](auto& backend, auto armed) {
    backend.listen("q", ticket, std::move(armed), [&](const auto& reply) { gone = reply.status == Status::absent; });
  }));
  EXPECT_TRUE(guest.beat());
  EXPECT_TRUE(guest.dequeue("q", ticket));
  EXPECT_TRUE(guest.wait_until([&] { return gone; }));
}

TEST_F(RedisStore, says_which_right_is_missing_each_one_alone) {
  for (const auto* missing :
       {"-@read", "-@write", "-@scripting", "-@pubsub", "-info", "-time", "resetchannels", "resetkeys"}) {
    RedisServer server;
    server.ask(fmt::format("ACL SETUSER locks on >secret {} {}", kRights, missing));
    Guest guest(reactor_,
                {.servers = net::parse_servers(server.address()).value(), .user = "locks", .password = "secret"},
                kTimeout);
    ASSERT_TRUE(guest.wait_until([&] { return !guest.refused_.empty(); }, 10s)) << missing << guest.backend_.trouble();
    EXPECT_NE(guest.refused_.find("may not do what a lock needs"), std::string::npos) << missing << guest.refused_;
    EXPECT_EQ(server.ask("EXISTS {holdfast}:q"), ":0\r\n");
  }
}

// ---------------------------------------------------------------------------------------------------------------------- a crowd

// A hundred clients, each in a hundred queues, that die together.
TEST_F(RedisStore, ends_a_hundred_sessions_at_once_without_a_long_script_and_tells_each_waiter_once) {
  constexpr std::size_t kClients = 100;
  constexpr std::size_t kQueues = 100;
  RedisServer server;
  std::list<Guest> dying;
  std::vector<spi::Request> all(kQueues);
  for (std::size_t i = 0; i < kClients; ++i) dying.emplace_back(reactor_, server, 6s);
  for (std::size_t client = 0; auto& each : dying) {
    ASSERT_TRUE(each.connects());
    for (std::size_t i = 0; i < kQueues; ++i) {
      all[i] = {.queue = fmt::format("q{}", i), .uid = fmt::format("u{}-{}", client, i), .card = "card"};
    }
    ++client;
    ASSERT_TRUE(
        each.ask<std::vector<spi::Enqueued>>([&](auto& backend, auto done) { backend.enqueue(all, std::move(done)); }));
  }
  EXPECT_EQ(server.ask("ZCARD {holdfast}:q"), fmt::format(":{}\r\n", kClients * kQueues));
  Guest waiter(reactor_, server, 6s);
  ASSERT_TRUE(waiter.connects());
  std::vector<int> told(kQueues);
  for (std::size_t i = 0; i < kQueues; ++i) {
    const auto queue = fmt::format("q{}", i);
    const auto last = waiter.list(queue).back().id;
    ASSERT_TRUE(waiter.ask<spi::TicketText>([&](auto& backend, auto armed) {
      backend.listen(queue, last, std::move(armed),
                     [&told, i](const auto& reply) { told[i] += reply.status == Status::absent ? 1 : 100; });
    }));
  }
  const auto died = Clock::now();
  for (auto& each : dying) each.die();
  server.ask("CONFIG SET slowlog-log-slower-than 0");
  server.ask("CONFIG SET slowlog-max-len 10000");
  ASSERT_TRUE(waiter.wait_until([&] { return server.ask("ZCARD {holdfast}:q") == ":0\r\n"; }));
  EXPECT_TRUE(waiter.wait_until([&] { return std::count(told.begin(), told.end(), 1) == std::ssize(told); }));
  EXPECT_LT(Clock::now() - died, 6s + 6s / 5 + 6s / 6 + 5s);
  // Each takes a few milliseconds on an idle machine.
  const auto slow =
      texts_of(server.ask("EVAL \"local longest = 0; for _, each in ipairs(redis.call('SLOWLOG', 'GET', "
                          "10000)) do if each[4][1] == 'EVALSHA' then longest = math.max(longest, "
                          "each[3]) end end; return tostring(longest)\" 0"));
  ASSERT_EQ(slow.size(), 1U);
  std::printf("the longest script: %s us\n", slow[0].c_str());
  EXPECT_LT(std::stol(slow[0]), 500'000);
}

}  // namespace
}  // namespace holdfast::redis
