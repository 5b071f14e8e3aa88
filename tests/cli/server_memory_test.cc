// A server whose memory is used up, by clients or by nodes: it refuses what it must, and lives.
//
//   server_memory_tests --minutes 10 --seed 7      for longer than the bounded run of CI
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/server_command.h"
#include "cli/server_settings.h"
#include "holdfast/client.h"
#include "session_client.h"
#include "support/four_letter_word.h"

namespace holdfast::testing {

std::chrono::minutes longer{0};
std::uint64_t seed = 1;

namespace {

using asking::SessionClient;
using std::chrono::steady_clock;

constexpr std::int32_t kSystemError = -1;

// The server has so many kilobytes of addresses.
std::vector<std::string> limited_to(int kilobytes) {
  return {"/bin/sh", "-c", fmt::format("ulimit -n 8192; ulimit -v {} && exec \"$0\" \"$@\"", kilobytes)};
}

// A directory whose listing is about this many bytes.
constexpr std::size_t kNodes = 20'000;
constexpr std::size_t kListing = kNodes * 34;

void fill(std::uint16_t port) {
  SessionClient client(port);
  ASSERT_TRUE(client.call(asking::create("/wide")).ok());
  for (std::size_t begin = 0; begin < kNodes; begin += 1'000) {
    std::vector<asking::Ask> asks;
    for (auto i = begin; i < begin + 1'000; ++i) {
      asks.push_back(asking::create(fmt::format("/wide/a-name-of-thirty-bytes--{:05}", i)));
    }
    ASSERT_EQ(client.call_all(asks).size(), asks.size());
  }
}

// Asks for far more than it can be given, and reads nothing.
std::vector<std::unique_ptr<SessionClient>> deaf_clients(std::uint16_t port, std::size_t count, int requests) {
  std::vector<std::unique_ptr<SessionClient>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<SessionClient>(port));
    for (int n = 0; n < requests; ++n) all.back()->send(asking::get_children2("/wide"));
  }
  return all;
}

TEST(ServerMemory, is_taken_from_the_greediest_client_first_and_the_log_says_so) {
  const TempDir dir("memory");
  Server server(with(kAnyPort, {"--config", settings(dir, "limits: {memory: 8MiB}\n")}));
  server.serves();
  ASSERT_NO_FATAL_FAILURE(fill(server.port()));
  SessionClient innocent(server.port());
  ASSERT_TRUE(innocent.call(asking::create("/mine", "mine")).ok());
  const auto deaf = deaf_clients(server.port(), 24, 40);
  EXPECT_TRUE(eventually(kPatience, [&] {
    EXPECT_TRUE(innocent.call(asking::get_data("/mine")).ok());
    return value(server, "zk_refused_memory") > 0;
  }));
  EXPECT_TRUE(server.says("are kept for its requests and answers, the most of all clients of 127.0.0.1"))
      << server.errors();
  EXPECT_LE(value(server, "zk_client_memory_used"), value(server, "zk_client_memory_limit"));
  EXPECT_TRUE(innocent.call(asking::get_data("/mine")).ok());
}

// Frames of which only the beginning comes.
TEST(ServerMemory, counts_requests_that_are_not_complete) {
  const TempDir dir("memory");
  Server server(with(kAnyPort, {"--config", settings(dir, "limits: {memory: 8MiB}\n")}));
  server.serves();
  SessionClient innocent(server.port());
  std::vector<std::unique_ptr<SessionClient>> greedy;
  const std::string part = std::string("\0\x0f\xff\x00", 4) + std::string(900'000, 'x');
  for (int i = 0; i < 24; ++i) {
    greedy.push_back(std::make_unique<SessionClient>(server.port()));
    greedy.back()->raw().send(part);
  }
  EXPECT_TRUE(eventually(kPatience, [&] { return value(server, "zk_refused_memory") > 0; }));
  EXPECT_LE(value(server, "zk_client_memory_used"), value(server, "zk_client_memory_limit"));
  EXPECT_TRUE(innocent.call(asking::create("/mine")).ok());
}

// A sanitizer needs more addresses than any such limit leaves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST(ServerMemory, is_enough_for_others_beside_clients_that_do_not_read) {
  Server server(kAnyPort, {}, limited_to(700'000));
  ASSERT_NE(server.serves().find("serving"), std::string::npos) << server.errors();
  ASSERT_NO_FATAL_FAILURE(fill(server.port()));
  auto holder = Client::connect("zk://" + server.address(), {.session_timeout = std::chrono::seconds(40)});
  const auto lease = holder.mutex("innocent").acquire();
  SessionClient innocent(server.port());
  ASSERT_TRUE(innocent.call(asking::create("/mine", "mine")).ok());

  // 48 x 100 x 680 kB = 3.3 GB of answers, of which the kernel takes some megabytes for each.
  const auto deaf = deaf_clients(server.port(), 48, 100);
  for (int i = 0; i < 100; ++i) {
    innocent.send(asking::get_data("/mine"));
    const auto answer = innocent.receive(kPatience);
    ASSERT_TRUE(answer.ok()) << i << "; " << server.errors();
    ASSERT_EQ(asking::parse_data(answer.body).data, "mine");
  }
  EXPECT_TRUE(innocent.call(asking::set_data("/mine", "yours")).ok());
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_TRUE(holder.mutex("another").try_acquire());
  EXPECT_NE(ask(server.port(), "srvr").find("Mode: standalone"), std::string::npos);
}

std::int64_t resident_kilobytes(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return -1;
}

TEST(ServerMemory, is_given_back_when_a_crowd_of_clients_has_gone) {
  Server server(kAnyPort);
  server.serves();
  ASSERT_NO_FATAL_FAILURE(fill(server.port()));
  const auto before = resident_kilobytes(server.process().pid());
  {
    const auto deaf = deaf_clients(server.port(), 200, 16);
    EXPECT_TRUE(eventually(kPatience, [&] { return resident_kilobytes(server.process().pid()) > before + 100'000; }));
  }
  EXPECT_TRUE(eventually(kPatience, [&] { return resident_kilobytes(server.process().pid()) < before + 30'000; }))
      << before << " kB before, " << resident_kilobytes(server.process().pid()) << " kB now";
}

// ---- used up by nodes

std::string node(std::size_t i) { return fmt::format("/full/node-{:07}", i); }

// Nodes until there is no memory for more; how many there are.
std::size_t use_up(SessionClient& client, std::size_t bytes) {
  EXPECT_TRUE(client.call(asking::create("/full")).ok());
  const std::string data(bytes, 'x');
  for (std::size_t begin = 0; begin < 2'000'000; begin += 500) {
    std::vector<asking::Ask> asks;
    for (auto i = begin; i < begin + 500; ++i) asks.push_back(asking::create(node(i), data));
    const auto answers = client.call_all(asks);
    EXPECT_EQ(answers.size(), asks.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].ok()) continue;
      EXPECT_EQ(answers[i].err, kSystemError);
      return begin + i;
    }
    if (answers.empty()) break;
  }
  ADD_FAILURE() << "memory does not end";
  return 0;
}

// Asks for whatever takes memory, and comes again if it was disconnected.
class Hammer {
 public:
  Hammer(Server& server, std::uint64_t number) : server_(server), random_(number) {}

  void strike() {
    if (!client_) connect();
    if (!client_) return;
    const auto answer = client_->call(any());
    if (!answer.came()) return client_.reset();
    ++answered;
    EXPECT_TRUE(answer.err == 0 || answer.err == kSystemError || answer.err == -101 || answer.err == -110)
        << answer.err;
    if (answer.err == kSystemError) ++refused;
    if (random_() % 50 == 0) client_.reset();
  }

  std::size_t answered = 0;
  std::size_t refused = 0;
  std::size_t turned_away = 0;

 private:
  void connect() {
    client_ = std::make_unique<SessionClient>(server_.port(), asking::Who{.timeout = std::chrono::seconds(4)});
    if (client_->accepted()) return;
    client_.reset();
    ++turned_away;
  }

  asking::Ask any() {
    const auto path = fmt::format("/h{}-{}", random_() % 7, random_() % 1'000);
    switch (random_() % 9) {
      case 0: return asking::create(path, "", asking::kEphemeral);
      case 1: return asking::create(path, std::string(random_() % 900'000, 'y'));
      case 2: return asking::set_data(node(random_() % 1'000), std::string(random_() % 900'000, 'z'));
      case 3: {
        std::vector<asking::Ask> steps;
        for (int i = 0; i < 1'000; ++i)
          steps.push_back(asking::create(fmt::format("{}-{}", path, i), std::string(300, 'm')));
        return asking::multi(steps);
      }
      case 4: return asking::add_watch(path, asking::kRecursive);
      case 5: return asking::exists(path + std::string(100'000, 'w'), true);
      case 6: return asking::get_children2("/full", true);
      case 7: return asking::create(path + "-", std::string(100, 's'), asking::kEphemeral | asking::kSequential);
      default: return asking::remove(path);
    }
  }

  Server& server_;
  std::mt19937_64 random_;
  std::unique_ptr<SessionClient> client_;
};

class ServerWithoutMemory : public ::testing::TestWithParam<bool> {
 protected:
  // With a disk what is written passes through more places that need memory.
  std::vector<std::string> arguments() const {
    return GetParam() ? with(kAnyPort, {"--data", dir_ / "data"}) : kAnyPort;
  }

  TempDir dir_{"memory"};
};

TEST_P(ServerWithoutMemory, refuses_what_needs_some_and_takes_deletions_until_there_is_some_again) {
  Server server(arguments(), {}, limited_to(300'000));
  ASSERT_NE(server.serves().find("serving"), std::string::npos) << server.errors();
  SessionClient witness(server.port());
  std::size_t nodes = 0;
  {
    SessionClient client(server.port());
    nodes = use_up(client, 500);
  }
  ASSERT_GT(nodes, 10'000U);

  std::vector<std::unique_ptr<Hammer>> hammers;
  for (std::uint64_t i = 0; i < 4; ++i) hammers.push_back(std::make_unique<Hammer>(server, seed * 100 + i));
  const auto end = steady_clock::now() + (longer.count() > 0 ? std::chrono::seconds(longer) : std::chrono::seconds(8));
  for (std::size_t rounds = 0; steady_clock::now() < end; ++rounds) {
    for (auto& hammer : hammers) hammer->strike();
    ASSERT_TRUE(witness.call(asking::ping()).ok()) << rounds << "; " << server.errors();
    if (::testing::Test::HasFailure()) return;
  }
  std::size_t refused = 0;
  for (const auto& hammer : hammers) {
    EXPECT_GT(hammer->answered, 20U);
    refused += hammer->refused;
  }
  EXPECT_GT(refused, 20U);
  hammers.clear();

  // A client that was not there before.
  SessionClient fresh(server.port());
  ASSERT_TRUE(fresh.accepted()) << server.errors();
  for (std::size_t begin = 0; begin + 500 <= nodes / 2; begin += 500) {
    std::vector<asking::Ask> asks;
    for (auto i = begin; i < begin + 500; ++i) asks.push_back(asking::remove(node(i)));
    const auto answers = fresh.call_all(asks);
    ASSERT_EQ(answers.size(), asks.size()) << server.errors();
    for (const auto& answer : answers) ASSERT_TRUE(answer.ok()) << answer.err;
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(fresh.call(asking::create(fmt::format("/again-{}", i), std::string(500, 'a'))).ok()) << server.errors();
  }
  EXPECT_TRUE(witness.call(asking::get_data("/again-99")).ok());
}

TEST_P(ServerWithoutMemory, takes_a_multi_that_only_deletes) {
  Server server(arguments(), {}, limited_to(300'000));
  ASSERT_NE(server.serves().find("serving"), std::string::npos) << server.errors();
  SessionClient client(server.port());
  ASSERT_GT(use_up(client, 100'000), 100U);
  ASSERT_EQ(client.call(asking::create("/x", std::string(100'000, 'x'))).err, kSystemError);
  EXPECT_TRUE(client.call(asking::multi({asking::remove(node(0)), asking::remove(node(1))})).ok());
  EXPECT_EQ(client.call(asking::get_data(node(1))).err, -101);
}

INSTANTIATE_TEST_SUITE_P(, ServerWithoutMemory, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "on_a_disk" : "in_memory_only"; });

TEST(ServerMemory, that_is_too_little_to_start_with_is_said_in_a_sentence) {
  const TempDir dir("start");
  int served = 0;
  int refused = 0;
  for (int kilobytes = 40'000; kilobytes < 400'000; kilobytes += 8'000) {
    Server server(with(kAnyPort, {"--data", dir / "data"}), {}, limited_to(kilobytes));
    if (server.serves().find("serving on") != std::string::npos) {
      if (++served == 3) break;
      continue;  // and it is ended
    }
    const auto code = server.exit_code();
    ASSERT_TRUE(code == 1 || code == 127) << kilobytes << " kB: " << code.value_or(-1) << ", " << server.errors();
    if (code == 127) continue;  // not even its libraries could be loaded
    ++refused;
    EXPECT_NE(server.errors().find("memory"), std::string::npos) << kilobytes << " kB: " << server.errors();
  }
  EXPECT_GT(served, 0);
  EXPECT_GT(refused, 0);
}

// Each uses little, all together use more than nodes have left.
TEST(ServerMemory, is_taken_from_thousands_of_clients_that_use_little_each) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8'192);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  const TempDir dir("memory");
  Server server(with(kAnyPort, {"--config", settings(dir, "")}), {}, limited_to(400'000));
  ASSERT_NE(server.serves().find("serving"), std::string::npos) << server.errors();
  auto holder = Client::connect("zk://" + server.address(), {.session_timeout = std::chrono::seconds(40)});
  const auto lease = holder.mutex("innocent").acquire();
  SessionClient innocent(server.port());
  constexpr std::size_t kBytes = 200'000;
  ASSERT_GT(use_up(innocent, kBytes), 200U);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(innocent.call(asking::remove(node(i))).ok());
  ASSERT_TRUE(innocent.call(asking::create("/mine")).ok());

  // Frames of which only the beginning comes, each a little less than a megabyte: 20 MB are free.
  const std::string part = std::string("\0\x0f\xff\x00", 4) + std::string(900'000, 'x');
  std::vector<std::unique_ptr<RawClient>> greedy;
  int written = 0;
  for (int i = 0; i < 2'000; ++i) {
    greedy.push_back(std::make_unique<RawClient>(server.port()));
    greedy.back()->send(part);
    if (i % 20 != 0) continue;
    ASSERT_TRUE(innocent.call(asking::ping()).ok()) << i << "; " << server.errors();
    const auto answer = innocent.call(asking::set_data("/mine", "mine"));
    ASSERT_TRUE(answer.came()) << i << "; " << server.errors();
    if (answer.err == 0) ++written;
  }
  EXPECT_GT(value(server, "zk_refused_memory"), 0);
  // They are still there, and would use whatever they can get.
  EXPECT_GT(written, 90);
  EXPECT_TRUE(eventually(kPatience, [&] { return innocent.call(asking::set_data("/mine", "still")).ok(); }));
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_TRUE(holder.mutex("another").try_acquire());
}

#endif

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--minutes") holdfast::testing::longer = std::chrono::minutes(std::atoi(argv[i + 1]));
    if (option == "--seed") holdfast::testing::seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return RUN_ALL_TESTS();
}
