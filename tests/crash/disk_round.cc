#include "disk_round.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/eventually.h"

namespace holdfast::testing::asking {
namespace {

using crash::Create;
using crash::Set;
using server::Runtime;

// Large writes: more than the log may have taken room for.
constexpr int kEnough = 5'000;
constexpr std::int32_t kNodeExists = -110;

EngineOptions engine_options() {
  EngineOptions options;
  options.data_dir = "/data";
  options.listen = {Listen{}};
  options.min_session_timeout = kShort;
  options.max_session_timeout = kLong;
  options.snapshot_after = 6;
  return options;
}

}  // namespace

void DiskRound::write_all() {
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

void DiskRound::fill_up(std::uint64_t room) {
  disk_.set_capacity(disk_.bytes_in_use() + room);
  const auto before = refused_;
  for (int i = 1; i <= kEnough && refused_ == before; ++i) write_large("/d/fill-" + std::to_string(i));
  EXPECT_GT(refused_, before) << "the disk takes more than it can";
  disk_.set_capacity(disk_.bytes_in_use() + room);
}

void DiskRound::write_in_vain() {
  const auto before = acknowledged_;
  for (int i = 1; i <= 20; ++i) {
    write_large("/d/in-vain-" + std::to_string(i));
    look("while nothing can be written");
  }
  EXPECT_EQ(acknowledged_, before);
  EXPECT_EQ(unknown_, 0U) << "a connection was closed";
}

void DiskRound::expect_silence() {
  auto& client = connected();
  EXPECT_TRUE(client.call(create("/d/in-doubt")).closed());
  who_ = client.who();
  client_.reset();
  EXPECT_FALSE(SessionClient(port_, who_).greeting());
  EXPECT_FALSE(SessionClient(port_).greeting());
}

void DiskRound::expect_recovery() {
  const auto before = acknowledged_;
  int attempt = 0;
  EXPECT_TRUE(eventually(kSoon, [&] {
    const auto name = fmt::format("/d/after-{}", ++attempt);
    write(create(name, ""), {Create{name, ""}});
    return acknowledged_ > before;
  })) << "writes are still refused";
  look("when it has recovered");
}

void DiskRound::stop() {
  client_.reset();
  runtime_->stop();
}

void DiskRound::crash_and_look() {
  const auto who = client_ ? client_->who() : who_;
  client_.reset();
  runtime_.reset();
  disk_.crash();
  who_ = who;
  start();
  if (runtime_) look("after a crash");
}

void DiskRound::start() {
  auto started = Runtime::start(engine_options(), &disk_);
  ASSERT_TRUE(started) << started.error();
  runtime_ = std::move(*started);
  const auto& address = runtime_->addresses().front();
  port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

SessionClient& DiskRound::connected() {
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
    if (!answer.ok() && answer.err != kNodeExists) made_ = false;
    if (!made_) return connected();
  }
  return *client_;
}

void DiskRound::write(const Ask& ask, const crash::Write& write) {
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

void DiskRound::write_large(const std::string& name) {
  const std::string data(1'000, 'x');
  write(create(name, data), {Create{name, data}});
}

void DiskRound::look(const std::string& when) {
  const auto complaints = ledger_.check(read_directory(connected(), "/d"));
  EXPECT_EQ(complaints, std::vector<std::string>{}) << when;
}

}  // namespace holdfast::testing::asking
