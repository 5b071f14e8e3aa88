// The whole engine on a disk that fails: at every single call, in every way, and until it is mended.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "directory_ledger.h"
#include "server/runtime.h"
#include "session_client.h"
#include "support/eventually.h"
#include "support/simulated_disk.h"

namespace holdfast::testing::asking {
namespace {

using crash::Create;
using crash::DirectoryLedger;
using crash::Set;
using server::Runtime;
using std::chrono::milliseconds;

// An engine whose log is in doubt tries once a second to find out.
constexpr milliseconds kSoon{20'000};
// Of a session, so that it outlives every round.
constexpr milliseconds kLong{60'000};
// More calls than there are; what fails for so long fails until it is mended.
constexpr std::uint64_t kForEver = 1'000'000;
// Large writes: more than the log may have taken room for.
constexpr int kEnough = 5'000;
// Of a session that ends in between.
constexpr milliseconds kShort{200};

EngineOptions engine_options() {
  EngineOptions options;
  options.data_dir = "/data";
  options.listen = {Listen{}};
  options.min_session_timeout = kShort;
  options.max_session_timeout = kLong;
  options.snapshot_after = 6;
  return options;
}

// One life and the next on one disk; writes what a ledger says has to be there.
class Round {
 public:
  explicit Round(std::uint64_t seed) : disk_(seed) { start(); }

  SimulatedDisk& disk() { return disk_; }

  // Refused and unknown ones included.
  void write_all() {
    write(create("/d/counter", "0"), {Create{"/d/counter", "0"}});
    for (int i = 1; i <= 5; ++i) {
      const auto name = fmt::format("/d/n{}", i);
      const auto value = fmt::format("value {}", i);
      write(create(name, value), {Create{name, value}});
      write(multi({create(name + "-a", value), create(name + "-b", value)}),
            {Create{name + "-a", value}, Create{name + "-b", value}});
      write(create(name + "-e", "", kEphemeral), {Create{name + "-e", "", connected().session()}});
      if (ledger_.ahead().nodes.contains("/d/counter")) {
        write(set_data("/d/counter", value), {Set{"/d/counter", value}});
      }
      look("while it runs");
    }
  }

  // Until there are only `room` bytes left; what the log had taken beforehand and gives back is taken away as well.
  void fill_up(std::uint64_t room) {
    disk_.set_capacity(disk_use() + room);
    const auto before = refused_;
    for (int i = 1; i <= kEnough && refused_ == before; ++i) write_large("/d/fill-" + std::to_string(i));
    EXPECT_GT(refused_, before) << "the disk takes more than it can";
    disk_.set_capacity(disk_use() + room);
  }

  // All of it refused, all of it read.
  void write_in_vain() {
    const auto before = acknowledged_;
    for (int i = 1; i <= 20; ++i) {
      write_large("/d/in-vain-" + std::to_string(i));
      look("while nothing can be written");
    }
    EXPECT_EQ(acknowledged_, before);
    EXPECT_EQ(unknown_, 0U) << "a connection was closed";
  }

  // The connection is closed, and nobody is let in.
  void expect_silence() {
    auto& client = connected();
    EXPECT_TRUE(client.call(create("/d/in-doubt")).closed());
    who_ = client.who();
    client_.reset();
    EXPECT_FALSE(SessionClient(port_, who_).greeting());
    EXPECT_FALSE(SessionClient(port_).greeting());
  }

  std::uint64_t disk_use() const {
    std::uint64_t sum = 0;
    for (const auto& path : disk_.paths()) sum += disk_.content(path).size();
    return sum;
  }
  std::uint16_t port() const { return port_; }
  SessionClient& client() { return connected(); }

  // A write succeeds without a new start.
  void expect_recovery() {
    const auto before = acknowledged_;
    int attempt = 0;
    EXPECT_TRUE(eventually(kSoon, [&] {
      const auto name = fmt::format("/d/after-{}", ++attempt);
      write(create(name, ""), {Create{name, ""}});
      return acknowledged_ > before;
    })) << "writes are still refused";
    look("when it has recovered");
  }

  // In good order, as far as the disk lets it.
  void stop() {
    client_.reset();
    runtime_->stop();
  }

  void crash_and_look() {
    const auto who = client_ ? client_->who() : who_;
    client_.reset();
    runtime_.reset();
    disk_.crash();
    who_ = who;
    start();
    if (runtime_) look("after a crash");
  }

  std::size_t refused() const { return refused_; }
  std::size_t unknown() const { return unknown_; }

 private:
  void start() {
    auto started = Runtime::start(engine_options(), &disk_);
    ASSERT_TRUE(started) << started.error();
    runtime_ = std::move(*started);
    const auto& address = runtime_->addresses().front();
    port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  }

  // There may be nobody for a while: an engine that does not know what is in its log talks to nobody.
  SessionClient& connected() {
    EXPECT_TRUE(eventually(kSoon, [&] {
      if (client_) return true;
      auto client = std::make_unique<SessionClient>(port_, who_);
      if (!client->greeting()) return false;
      EXPECT_TRUE(client->accepted()) << "the session is gone";
      who_ = client->who();
      client_ = std::move(client);
      return true;
    })) << "no session can be had";
    if (!made_) {
      made_ = true;
      const auto answer = client_->call(create("/d"));
      if (!answer.came()) client_.reset();
      if (!answer.ok()) made_ = false;
      if (!made_) return connected();
    }
    return *client_;
  }

  void write(const Ask& ask, const crash::Write& write) {
    auto& client = connected();
    ledger_.sent(write);
    const auto answer = client.call(ask);
    if (!answer.came()) {
      EXPECT_TRUE(answer.closed()) << "no answer";
      ++unknown_;
      who_ = client.who();
      client_.reset();
      look("after a doubt");  // now it is decided, for ever
    } else if (answer.err == 0) {
      EXPECT_TRUE(ask.op != Op::multi || parse_multi_error(answer.body) == 0);
      ledger_.acknowledged(answer.zxid);
      ++acknowledged_;
    } else {
      EXPECT_EQ(answer.err, -1) << "a system error is what it should be";
      ledger_.refused();
      ++refused_;
    }
  }

  void write_large(const std::string& name) {
    const std::string data(1'000, 'x');
    write(create(name, data), {Create{name, data}});
  }

  void look(const std::string& when) {
    const auto complaints = ledger_.check(read_directory(connected(), "/d"));
    EXPECT_EQ(complaints, std::vector<std::string>{}) << when;
  }

  SimulatedDisk disk_;
  std::unique_ptr<Runtime> runtime_;
  std::uint16_t port_ = 0;
  std::unique_ptr<SessionClient> client_;
  Who who_{.timeout = kLong};
  bool made_ = false;
  DirectoryLedger ledger_;
  std::size_t acknowledged_ = 0;
  std::size_t refused_ = 0;
  std::size_t unknown_ = 0;
};

struct Tally {
  std::size_t rounds = 0;
  std::size_t refused = 0;
  std::size_t unknown = 0;
};

// Every `step`th call fails, and the `count` - 1 behind it.
Tally fail_at_every_call(SimulatedDisk::Fault fault, std::uint64_t count, std::uint64_t step) {
  Tally tally;
  for (std::uint64_t call = 1;; call += step) {
    SCOPED_TRACE(fmt::format("call {}", call));
    Round round(call);
    const auto first = round.disk().calls();
    round.disk().fail(first + call, fault, count);
    round.write_all();
    const bool reached = round.disk().calls() >= first + call;
    round.disk().heal();
    round.expect_recovery();
    round.crash_and_look();
    ++tally.rounds;
    tally.refused += round.refused();
    tally.unknown += round.unknown();
    if (!reached || ::testing::Test::HasFailure()) break;
  }
  fmt::print("{} rounds, {} writes refused, {} unknown\n", tally.rounds, tally.refused, tally.unknown);
  return tally;
}

TEST(FailingDisk, that_has_no_space_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::no_space, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

TEST(FailingDisk, that_writes_half_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::short_one, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

TEST(FailingDisk, that_has_an_error_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::io_error, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

// Nobody can tell what is in the log, for a while.
TEST(FailingDisk, that_cannot_take_back_what_it_wrote_closes_connections_and_goes_on_when_it_can) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::io_error, 3, 9);
  EXPECT_GT(tally.unknown, 0U);
}

TEST(FailingDisk, that_is_full_refuses_every_write_answers_every_read_and_goes_on_when_there_is_room) {
  for (std::uint64_t room = 0; room < 500; room += 50) {
    SCOPED_TRACE(fmt::format("{} bytes left", room));
    Round round(room);
    round.write_all();
    round.fill_up(room);
    round.write_in_vain();
    round.disk().set_capacity(std::numeric_limits<std::uint64_t>::max());
    round.expect_recovery();
    round.crash_and_look();
  }
}

// For longer than sessions last: whoever is silent ends afterwards, whoever comes back in time does not.
TEST(FailingDisk, that_leaves_the_log_in_doubt_for_long_costs_no_session_that_comes_back_and_keeps_none_that_does_not) {
  Round round(1);
  round.write_all();
  SessionClient silent(round.port(), {.timeout = kShort});
  ASSERT_TRUE(silent.call(create("/silent", "", kEphemeral)).ok());
  SessionClient back(round.port(), {.timeout = kShort});
  ASSERT_TRUE(back.call(create("/back", "", kEphemeral)).ok());
  round.disk().fail(round.disk().calls() + 1, SimulatedDisk::Fault::io_error, kForEver);
  round.expect_silence();
  const auto since = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] { return std::chrono::steady_clock::now() - since > 10 * kShort; }));
  round.disk().heal();
  std::unique_ptr<SessionClient> again;
  ASSERT_TRUE(eventually(kSoon, [&] {
    again = std::make_unique<SessionClient>(round.port(), back.who());
    return again->greeting().has_value();
  }));
  EXPECT_TRUE(again->accepted());
  EXPECT_TRUE(again->call(exists("/back")).ok());
  EXPECT_TRUE(eventually(kSoon, [&] {
    EXPECT_TRUE(again->call(ping()).ok());
    return again->call(exists("/silent")).err == -101;
  })) << "a session that nobody speaks for is still there";
  EXPECT_EQ(round.client().call(exists("/d/in-doubt")).err, -101);
}

TEST(FailingDisk, that_leaves_the_log_in_doubt_does_not_keep_the_engine_from_stopping) {
  Round round(1);
  round.write_all();
  round.disk().fail(round.disk().calls() + 1, SimulatedDisk::Fault::io_error, kForEver);
  round.expect_silence();
  round.stop();
  round.disk().heal();
  round.crash_and_look();
}

}  // namespace
}  // namespace holdfast::testing::asking
