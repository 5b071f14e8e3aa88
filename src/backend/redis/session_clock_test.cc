// The argument of session_clock.h as a model: clients, one Redis and the network between them, with clocks of different speed, answers that
// take any time, clients and servers that are stopped, connections that break, clocks that are set, and restarts that lose what was written last.
// CI looks at as many answers as take a second; HOLDFAST_PROOF_ANSWERS=100000000 holdfast_unit_tests --gtest_filter='Proof.*redis*' at more.
#include "backend/redis/session_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::microseconds;  // real time, which only the model knows

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Time up_to(Time most) { return Time(static_cast<Time::rep>(below(static_cast<std::uint64_t>(most.count()) + 1))); }
  // Mostly little, sometimes anything up to the most.
  Time mostly_little(Time most) { return up_to(one_in(4) ? most : most / 20); }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }

 private:
  std::mt19937_64 engine_;
};

struct Habits {
  std::size_t clients = 3;
  std::vector<Time> timeouts;  // of each
  Time longest_delay{};        // of each direction of a connection
  Time client_stops{};         // 0: never
  Time server_stops{};
  Time clock_jumps{};  // of the server's clock, forwards and backwards
  bool restarts = false;
  Time lost_at_most{};       // by a restart
  double speed_error = 0.0;  // of the clients' clocks: 0.02 is two percent too fast or too slow
};

// The rules that are proposed.
struct ByClaims {
  using Witness = ClockWitness;
  static SessionTime moved_on(SessionTime now, const Claim& claim, SessionTime most, Time /*by_server*/) {
    return redis::moved_on(now, claim, most);
  }
  static SessionTime ends(SessionTime now, SessionTime timeout) { return redis::ends(now, timeout); }
  static constexpr bool kCloses = true;
};

template <class Rules>
class Model {
 public:
  Model(std::uint64_t seed, const Habits& habits) : dice_(seed), habits_(habits), clients_(habits.clients) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      auto& client = clients_[i];
      client.timeout = habits.timeouts[i % habits.timeouts.size()];
      client.speed = 1.0 + habits.speed_error * (static_cast<double>(dice_.below(2'001)) - 1'000.0) / 1'000.0;
      later(What::connect, i, dice_.up_to(client.timeout));
      if (habits.client_stops > 0s) later(What::stop, i, dice_.mostly_little(20 * habits.client_stops));
      later(What::cut, i, dice_.mostly_little(20 * client.timeout));
    }
    if (habits.server_stops > 0s) later(What::stop, kServer, dice_.mostly_little(20 * habits.server_stops));
    if (habits.clock_jumps > 0s) later(What::jump, kServer, dice_.up_to(10s));
    if (habits.restarts) later(What::restart, kServer, dice_.mostly_little(120s));
  }

  // Until a client has got another answer.
  void run() {
    for (answered_ = false; !answered_;) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.when;
      auto& actor = event.who == kServer ? server_ : clients_[event.who].actor;
      if (event.what == What::go_on) {
        actor.stopped = false;
        for (const auto& waiting : std::exchange(actor.waiting, {})) handle(waiting);
        const auto stops = event.who == kServer ? habits_.server_stops : habits_.client_stops;
        later(What::stop, event.who, dice_.mostly_little(20 * stops));
      } else if (actor.stopped && event.what != What::restart && event.what != What::jump) {
        actor.waiting.push_back(event);
      } else {
        handle(event);
      }
    }
  }

  // By how much a client believed in its session longer than the store kept it for others; 0 or less is right.
  Time worst() const { return worst_; }
  std::uint64_t ended() const { return ended_; }
  std::uint64_t reopened() const { return reopened_; }

 private:
  static constexpr std::size_t kServer = ~std::size_t{0};
  using Id = std::uint64_t;
  enum class What { connect, tick, cut, stop, go_on, jump, restart, request, answer };
  enum class Status { ok, over, closed, stale };

  struct Message {
    bool hello = false;
    Id session = 0;
    std::uint64_t connection = 0;
    Claim claim{};
    Clock::time_point sent{};  // by the client's clock
    Status status = Status::ok;
    SessionTime shown{};
    std::uint64_t instance = 0;  // that the connection leads to
  };
  struct Event {
    Time when;
    std::uint64_t order;
    What what;
    std::size_t who;
    std::size_t client = 0;
    Message message{};
    bool operator<(const Event& other) const { return std::pair(other.when, other.order) < std::pair(when, order); }
  };
  struct Actor {
    bool stopped = false;
    std::vector<Event> waiting;
  };
  struct Client {
    Actor actor;
    SessionTime timeout{};
    double speed = 1.0;
    std::uint64_t connection = 0;
    std::uint64_t instance = 0;
    Id session = 0;
    bool had_session = false;
    typename Rules::Witness witness;
    Time arrives_there{};  // the last of each direction
    Time arrives_here{};
  };
  struct KeptSession {
    Id id = 0;
    SessionTime timeout{};
    SessionTime ends{};
    std::uint64_t connection = 0;
  };
  // What Redis stores.
  struct Store {
    bool there = false;
    std::uint64_t instance = 0;
    SessionTime clock{};
    SessionTime closed{};
    SessionTime longest{};
    Time wall{};
    std::vector<KeptSession> sessions;
  };
  // What the model knows of a session.
  struct Truth {
    Time believed = Time::min();  // until then, in real time
    Time ended = Time::max();     // another client may have what it held
  };

  Clock::time_point clock_of(const Client& client) const {
    return Clock::time_point(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double, std::micro>(static_cast<double>(now_.count()) * client.speed)));
  }
  void later(What what, std::size_t who, Time delay) { events_.push({now_ + delay, ++order_, what, who}); }

  void send(std::size_t i, Message message) {
    auto& client = clients_[i];
    message.connection = client.connection;
    message.instance = client.instance;
    message.sent = clock_of(client);
    message.claim = client.witness.claim(message.sent, client.timeout);
    client.arrives_there = std::max(client.arrives_there, now_ + dice_.mostly_little(habits_.longest_delay));
    events_.push({client.arrives_there, ++order_, What::request, kServer, i, message});
  }
  void connect(std::size_t i) {
    auto& client = clients_[i];
    ++client.connection;
    client.instance = instance_;
    client.arrives_there = client.arrives_here =
        now_;  // another connection: it may overtake what is left in the old one
    client.witness.forget();
    send(i, {.hello = true, .session = client.session});
  }

  void handle(const Event& event) {
    switch (event.what) {
      case What::connect: connect(event.who); break;
      case What::tick: {
        auto& client = clients_[event.who];
        if (event.message.connection != client.connection) break;
        send(event.who, {.hello = client.session == 0, .session = client.session});
        tick_later(event.who);
        break;
      }
      case What::cut:
        later(What::cut, event.who, dice_.mostly_little(20 * clients_[event.who].timeout));
        if (clients_[event.who].connection > 0) connect(event.who);
        break;
      case What::stop:
        (event.who == kServer ? server_ : clients_[event.who].actor).stopped = true;
        later(What::go_on, event.who,
              dice_.mostly_little(event.who == kServer ? habits_.server_stops : habits_.client_stops));
        break;
      case What::go_on: break;
      case What::jump:
        wall_offset_ += dice_.one_in(2) ? dice_.up_to(habits_.clock_jumps) : -dice_.up_to(habits_.clock_jumps);
        later(What::jump, kServer, dice_.mostly_little(60s));
        break;
      case What::restart: restart(); break;
      case What::request: serve(event); break;
      case What::answer: learn(event.who, event.message); break;
    }
  }
  void tick_later(std::size_t i) {
    const auto beat = clients_[i].timeout / 6;
    // Beats, and now and then a request between two of them.
    events_.push({now_ + (dice_.one_in(4) ? dice_.up_to(beat) : beat),
                  ++order_,
                  What::tick,
                  i,
                  0,
                  {.connection = clients_[i].connection}});
  }

  // All connections break, and what was written last may be lost. Answers that have left are still on their way.
  void restart() {
    while (states_.size() > 1 && dice_.one_in(2)) states_.pop_back();
    if (!states_.empty()) store_ = states_.back().second;
    states_.clear();
    ++instance_;
    of_earlier_instances_.insert(of_earlier_instances_.end(), of_this_instance_.begin(), of_this_instance_.end());
    of_this_instance_.clear();
    server_.waiting.clear();
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i].connection > 0) later(What::connect, i, dice_.mostly_little(10s));
    }
    later(What::restart, kServer, dice_.mostly_little(120s));
  }

  void serve(const Event& event) {
    const auto& message = event.message;
    if (message.instance != instance_) return;  // its connection broke
    auto& client = clients_[event.client];
    const auto wall = now_ + wall_offset_;
    SessionTime shortest = store_.longest;
    for (const auto& each : store_.sessions) shortest = std::min(shortest, each.timeout);
    store_.clock = Rules::moved_on(store_.clock, message.claim, most_per_claim(shortest), wall - store_.wall);
    store_.wall = wall;
    std::erase_if(store_.sessions, [&](const KeptSession& each) {
      if (each.ends >= store_.clock) return false;
      end(each.id);
      return true;
    });
    auto answer = message;
    answer.status = message.hello ? greet(client, message, answer.session) : sign_of_life(message);
    answer.shown = store_.clock;
    if (habits_.restarts && dice_.one_in(8)) {
      states_.emplace_back(now_, store_);
      while (states_.front().first < now_ - habits_.lost_at_most && states_.size() > 1) states_.pop_front();
    }
    client.arrives_here = std::max(client.arrives_here, now_ + dice_.mostly_little(habits_.longest_delay));
    events_.push({client.arrives_here, ++order_, What::answer, event.client, event.client, answer});
  }
  Status sign_of_life(const Message& message) {
    for (auto& each : store_.sessions) {
      if (each.id != message.session) continue;
      if (each.connection != message.connection) return Status::stale;
      each.ends = Rules::ends(store_.clock, each.timeout);
      return Status::ok;
    }
    return Status::over;
  }
  Status greet(const Client& client, const Message& message, Id& session) {
    if (!store_.there || store_.instance != instance_) {
      const bool may_have_lost = store_.there || client.had_session;
      store_.longest = std::max(store_.longest, client.timeout);
      if (may_have_lost && Rules::kCloses) store_.closed = closed_until(store_.clock, store_.longest);
      store_.there = true;
      store_.instance = instance_;
      store_.sessions.clear();
    }
    store_.longest = std::max(store_.longest, client.timeout);
    if (store_.closed >= store_.clock && store_.closed > SessionTime(0)) {
      session = 0;
      return Status::closed;
    }
    if (std::exchange(store_.closed, SessionTime(0)) > SessionTime(0)) ++reopened_;
    for (auto& each : store_.sessions) {
      if (each.id != message.session) continue;
      each.connection = message.connection;
      each.ends = Rules::ends(store_.clock, each.timeout);
      return Status::ok;
    }
    // From here on this client may be granted what those of other instances held.
    for (const auto id : std::exchange(of_earlier_instances_, {})) end(id);
    session = ++last_session_;
    of_this_instance_.push_back(session);
    store_.sessions.push_back({session, client.timeout, Rules::ends(store_.clock, client.timeout), message.connection});
    return Status::ok;
  }

  void learn(std::size_t i, const Message& answer) {
    auto& client = clients_[i];
    if (answer.connection != client.connection) return;
    answered_ = true;
    client.witness.saw(answer.shown, clock_of(client));
    if (answer.hello || answer.status != Status::ok) client.session = answer.status == Status::ok ? answer.session : 0;
    if (answer.hello) tick_later(i);
    if (answer.status != Status::ok) return;
    client.had_session = true;
    // What validity.h makes of it: until the request was sent + timeout - margin, by the client's clock.
    auto& truth = sessions_[answer.session];
    const auto until = answer.sent + client.timeout - client.timeout / 20;
    const auto real = static_cast<double>(until.time_since_epoch().count()) / 1'000.0 / client.speed;
    truth.believed = std::max(truth.believed, Time(static_cast<Time::rep>(std::floor(real))));
    judge(truth);
  }
  void end(Id id) {
    auto& truth = sessions_[id];
    if (truth.ended != Time::max()) return;
    truth.ended = now_;
    ++ended_;
    judge(truth);
  }
  void judge(const Truth& truth) {
    if (truth.ended == Time::max() || truth.believed == Time::min()) return;
    worst_ = std::max(worst_, truth.believed - truth.ended);
  }

  Dice dice_;
  const Habits habits_;
  Time now_{1'000s};
  Time wall_offset_{};
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  std::vector<Client> clients_;
  Actor server_;
  Store store_;
  std::deque<std::pair<Time, Store>> states_;  // that a restart may come back to
  std::uint64_t instance_ = 1;
  std::map<Id, Truth> sessions_;
  std::vector<Id> of_this_instance_;
  std::vector<Id> of_earlier_instances_;  // since the last client was let in
  Id last_session_ = 0;
  bool answered_ = false;
  Time worst_ = Time::min();
  std::uint64_t ended_ = 0;
  std::uint64_t reopened_ = 0;
};

Habits any_habits(std::uint64_t seed) {
  Dice dice(seed * 7 + 3);
  constexpr std::array<Time, 4> kTimeouts{1s, 4s, 15s, 40s};
  constexpr std::array<Time, 5> kDelays{1ms, 20ms, 300ms, 2s, 8s};
  constexpr std::array<Time, 5> kStops{0s, 500ms, 3s, 10s, 30s};
  Habits habits;
  habits.clients = 2 + dice.below(4);
  for (std::size_t i = 0; i < habits.clients; ++i) habits.timeouts.push_back(dice.one_of(kTimeouts));
  habits.longest_delay = dice.one_of(kDelays);
  habits.client_stops = dice.one_of(kStops);
  habits.server_stops = dice.one_in(2) ? dice.one_of(kStops) : 0s;
  habits.clock_jumps = dice.one_in(2) ? 3'600s : 0s;
  habits.speed_error = 0.02;
  return habits;
}

// One timeout for all, and restarts and failovers that lose up to two seconds.
Habits restarts(std::uint64_t seed) {
  auto habits = any_habits(seed);
  habits.timeouts = {habits.timeouts.front()};
  habits.restarts = true;
  habits.lost_at_most = 2s;
  return habits;
}

struct Finding {
  std::uint64_t answers = 0;
  std::uint64_t worlds = 0;
  std::uint64_t ended = 0;
  std::uint64_t reopened = 0;
  std::uint64_t wrong = 0;  // worlds
  Time worst = Time::min();
  std::uint64_t seed = 0;  // of the first that was wrong
};

template <class Rules>
Finding look(std::uint64_t answers, std::uint64_t seed, Habits (*habits)(std::uint64_t)) {
  constexpr int kAnswersOfOneWorld = 1'000;
  Finding finding;
  for (; finding.answers < answers && finding.wrong == 0; ++seed, ++finding.worlds) {
    Model<Rules> model(seed, habits(seed));
    for (int i = 0; i < kAnswersOfOneWorld; ++i, ++finding.answers) model.run();
    finding.ended += model.ended();
    finding.reopened += model.reopened();
    finding.worst = std::max(finding.worst, model.worst());
    if (model.worst() > 0s && finding.wrong++ == 0) finding.seed = seed;
  }
  return finding;
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

// A sanitizer is there for errors of another kind, and takes ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kAnswers = 100'000;
#else
constexpr std::uint64_t kAnswers = 1'000'000;
#endif

double seconds(Time time) { return std::chrono::duration<double>(time).count(); }

void print(const char* what, const Finding& finding) {
  std::printf("%s: %llu answers, %llu sessions ended, %llu times reopened; the closest by %.3f s\n", what,
              static_cast<unsigned long long>(finding.answers), static_cast<unsigned long long>(finding.ended),
              static_cast<unsigned long long>(finding.reopened), seconds(finding.worst));
}

Finding expect_nothing_wrong(Habits (*habits)(std::uint64_t)) {
  const auto seed = from_environment("HOLDFAST_PROOF_SEED", std::random_device{}());
  std::printf("HOLDFAST_PROOF_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto finding = look<ByClaims>(from_environment("HOLDFAST_PROOF_ANSWERS", kAnswers), seed, habits);
  print("by claims", finding);
  EXPECT_EQ(finding.wrong, 0U) << "first with HOLDFAST_PROOF_SEED=" << finding.seed << ", by " << seconds(finding.worst)
                               << " s";
  EXPECT_GT(finding.ended, finding.answers / 10'000) << "nothing happened that could have been wrong";
  return finding;
}

TEST(Proof, of_the_session_clock_of_redis_never_ends_a_session_that_a_client_believes_in) {
  (void)expect_nothing_wrong(any_habits);
}

TEST(Proof, of_redis_after_a_restart_that_lost_data_lets_no_client_in_before_the_old_sessions_end) {
  const auto finding = expect_nothing_wrong(restarts);
  EXPECT_GT(finding.reopened, 0U);
}

// ------------------------------------------------------------------------------------ what the model finds wrong with other rules

// A time to live of a key: Redis counts it by its wall clock.
struct ByTimeToLive : ByClaims {
  static SessionTime moved_on(SessionTime now, const Claim&, SessionTime, Time by_server) { return now + by_server; }
};

// The server's clock, of which one step counts for no more than a claim would.
struct ByServerCapped : ByClaims {
  static SessionTime moved_on(SessionTime now, const Claim&, SessionTime most, Time by_server) {
    return now + std::clamp<SessionTime>(by_server, SessionTime(0), most);
  }
};

// Claims that are added whatever the clock shows by now.
struct AlwaysAdded : ByClaims {
  static SessionTime moved_on(SessionTime now, const Claim& claim, SessionTime most, Time) {
    return now + std::clamp(claim.passed, SessionTime(0), most);
  }
};

// No room for the one claim that may be about the time before.
struct NoRoom : ByClaims {
  static SessionTime ends(SessionTime now, SessionTime timeout) { return now + timeout; }
};

// A client that counts from when it asked.
class EagerWitness : public ClockWitness {
 public:
  Claim claim(Clock::time_point now, SessionTime timeout) {
    auto claim = ClockWitness::claim(now, timeout);
    if (claim.passed > SessionTime(0)) claim.passed += std::chrono::floor<SessionTime>(now - last_);
    last_ = now;
    return claim;
  }

 private:
  Clock::time_point last_{};
};
struct CountedFromAsking : ByClaims {
  using Witness = EagerWitness;
};

struct NeverClosed : ByClaims {
  static constexpr bool kCloses = false;
};

template <class Rules>
void expect_found_wrong(const char* what, Habits (*habits)(std::uint64_t)) {
  const auto finding = look<Rules>(5'000'000, 1, habits);
  print(what, finding);
  EXPECT_GT(finding.wrong, 0U) << what;
}

TEST(Proof, of_other_clocks_for_redis_fails_in_the_model) {
  expect_found_wrong<ByTimeToLive>("time to live", any_habits);
  expect_found_wrong<ByServerCapped>("the server's clock in small steps", any_habits);
  expect_found_wrong<AlwaysAdded>("claims that are always added", any_habits);
  expect_found_wrong<NoRoom>("no room for the claim that is about the time before", any_habits);
  expect_found_wrong<CountedFromAsking>("counted from asking", any_habits);
}

TEST(Proof, of_redis_that_is_not_closed_after_a_restart_fails_in_the_model) {
  expect_found_wrong<NeverClosed>("never closed", restarts);
}

// Where the rule ends: a session longer than all before it, of which the restart has lost every trace.
TEST(Proof, of_redis_after_a_restart_needs_to_know_the_longest_timeout) {
  const auto mixed = [](std::uint64_t seed) {
    auto habits = restarts(seed);
    habits.timeouts = {1s, 1s, 40s};
    return habits;
  };
  const auto finding = look<ByClaims>(2'000'000, 1, mixed);
  print("timeouts that differ, the longest lost", finding);
  EXPECT_GT(finding.wrong, 0U);
}

// ------------------------------------------------------------------------------------------------------------------ how late it is

TEST(SessionClock, of_one_client_that_only_beats_runs_nearly_as_fast_as_its_clock) {
  constexpr Time kTimeout = 15s;
  constexpr Time kRoundTrip = 10ms;
  ClockWitness witness;
  SessionTime shown{};
  auto now = Clock::time_point(100s);
  const auto began = now;
  while (now - began < 10 * kTimeout) {
    shown = moved_on(shown, witness.claim(now, kTimeout), most_per_claim(kTimeout));
    witness.saw(shown, now + kRoundTrip);
    now += kTimeout / 6;
  }
  EXPECT_GT(shown, 10 * kTimeout * 9 / 10);
  EXPECT_LT(shown, 10 * kTimeout);
}

TEST(SessionClock, is_not_moved_by_a_claim_about_another_value_or_about_less_than_nothing) {
  constexpr SessionTime kNow = 100s;
  EXPECT_EQ(moved_on(kNow, {.seen = 99s, .passed = 1s}, 3s), kNow);
  EXPECT_EQ(moved_on(kNow, {.seen = kNow, .passed = -1s}, 3s), kNow);
  EXPECT_EQ(moved_on(kNow, {.seen = kNow, .passed = 1s}, 3s), kNow + 1s);
  EXPECT_EQ(moved_on(kNow, {.seen = kNow, .passed = 1h}, 3s), kNow + 3s);
}

TEST(SessionClock, is_claimed_to_have_moved_only_after_a_while_on_the_same_connection) {
  ClockWitness witness;
  const auto now = Clock::time_point(100s);
  EXPECT_EQ(witness.claim(now, 15s).passed, 0s);
  witness.saw(7s, now);
  EXPECT_EQ(witness.claim(now + 1s, 15s).passed, 0s) << "less than half of what a claim may say";
  witness.saw(7s, now + 1s);
  EXPECT_EQ(witness.claim(now + 2s, 15s).passed, 2s) << "it has stood still since it was first seen";
  EXPECT_EQ(witness.claim(now + 2s, 15s).seen, 7s);
  witness.saw(9s, now + 2s);
  EXPECT_EQ(witness.claim(now + 3s, 15s).passed, 0s);
  witness.forget();
  EXPECT_EQ(witness.claim(now + 9s, 15s).passed, 0s);
}

}  // namespace
}  // namespace holdfast::redis
