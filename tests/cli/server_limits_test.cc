// Clients that take more than their share, and others beside them that must not notice.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/server_command.h"
#include "holdfast/client.h"
#include "session_client.h"
#include "support/four_letter_word.h"

namespace holdfast::testing {
namespace {

using asking::SessionClient;

std::string settings(const TempDir& dir, const std::string& text) {
  const std::string file = dir / "server.yaml";
  std::ofstream(file) << "four_letter_words: '*'\n" << text;
  return file;
}

std::int64_t value(const Server& server, const std::string& key) {
  std::string answer;
  EXPECT_TRUE(eventually(kPatience, [&] { return !(answer = ask_or_nothing(server.port(), "mntr")).empty(); }));
  const auto all = parse_mntr(answer);
  const auto found = all.find(key);
  return found == all.end() ? -1 : std::stoll(found->second);
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

TEST(ServerMemory, is_enough_for_others_beside_clients_that_do_not_read) {
  Server server(kAnyPort, {}, {"/bin/sh", "-c", "ulimit -v 400000 && exec \"$0\" \"$@\""});
  ASSERT_NE(server.serves().find("serving"), std::string::npos) << server.errors();
  ASSERT_NO_FATAL_FAILURE(fill(server.port()));
  auto holder = Client::connect("zk://" + server.address(), {.session_timeout = std::chrono::seconds(40)});
  const auto lease = holder.mutex("innocent").acquire();
  SessionClient innocent(server.port());
  ASSERT_TRUE(innocent.call(asking::create("/mine", "mine")).ok());

  // 48 x 16 x 680 kB = 520 MB of answers, of which the kernel takes some megabytes for each.
  const auto deaf = deaf_clients(server.port(), 48, 16);
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

// A host that runs many jobs.
TEST(ServerLimits, let_one_host_have_hundreds_of_clients) {
  Server server(kAnyPort);
  server.serves();
  std::vector<std::unique_ptr<SessionClient>> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(std::make_unique<SessionClient>(server.port()));
    ASSERT_TRUE(all.back()->accepted()) << i;
  }
}

// A connection to the server from an address of this machine of its own.
class From {
 public:
  From(const std::string& address, std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in us{};
    us.sin_family = AF_INET;
    ::inet_pton(AF_INET, address.c_str(), &us.sin_addr);
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&us), sizeof us), 0);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&server), sizeof server), 0);
  }
  ~From() { ::close(socket_); }
  From(const From&) = delete;
  From& operator=(const From&) = delete;

  // The server has given it a session, which lives on without it.
  bool gets_a_session() {
    const auto hello = RawClient::framed(Handshake{}.bytes());
    if (::send(socket_, hello.data(), hello.size(), MSG_NOSIGNAL) < 0) return false;
    timeval patience{};
    patience.tv_sec = kPatience.count();
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char length[4];
    return ::recv(socket_, length, sizeof length, MSG_WAITALL) == sizeof length;
  }

 private:
  int socket_;
};

TEST(ServerLimits, of_sessions_leave_room_for_other_addresses) {
  const TempDir dir("sessions");
  Server server(with(kAnyPort, {"--config", settings(dir, "limits: {sessions: 70}\n")}));
  server.serves();
  // Six addresses take all they can get: each as much as it leaves free.
  int opened = 0;
  for (int address = 2; address < 8; ++address) {
    for (int i = 0; i < 70; ++i) {
      if (!From(fmt::format("127.0.0.{}", address), server.port()).gets_a_session()) break;
      ++opened;
    }
  }
  EXPECT_GT(opened, 35);
  EXPECT_LT(opened, 70);
  EXPECT_TRUE(server.says("wants one more session than there may be")) << server.errors();
  EXPECT_TRUE(From("127.0.0.9", server.port()).gets_a_session()) << server.errors();
}

TEST(ServerLimits, of_connections_leave_room_for_other_addresses) {
  const TempDir dir("connections");
  Server server(with(kAnyPort, {"--config", settings(dir, "limits: {connections: 40}\n")}));
  server.serves();
  std::vector<std::unique_ptr<From>> all;
  for (int address = 2; address < 6; ++address) {
    for (;;) {
      all.push_back(std::make_unique<From>(fmt::format("127.0.0.{}", address), server.port()));
      if (!all.back()->gets_a_session()) break;
      ASSERT_LT(all.size(), 50U);
    }
  }
  EXPECT_TRUE(From("127.0.0.9", server.port()).gets_a_session()) << server.errors();
}

// printf orders:secret | openssl dgst -sha1 -binary | base64
constexpr const char* kUser = "orders:08sob9dMDb87qFrxEU6Yzq8j3HU=\n";

std::string login(const std::string& password) {
  return JuteWriter().i32(0).text("digest").text("orders:" + password).bytes();
}

TEST(ServerLimits, make_guessing_passwords_slow_and_no_client_that_knows_its_own) {
  const TempDir dir("logins");
  const std::string users = dir / "users";
  std::ofstream(users) << kUser;
  std::filesystem::permissions(users, std::filesystem::perms::owner_read);
  Server server(with(kAnyPort, {"--require-auth", users, "--config", settings(dir, "")}));
  server.serves();

  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<SessionClient>> guessing;
  for (int i = 0; i < 8; ++i) {
    guessing.push_back(std::make_unique<SessionClient>(server.port()));
    for (int n = 0; n < 60; ++n) guessing.back()->raw().send_request(-4, 100, login(std::to_string(n)));
  }
  EXPECT_TRUE(eventually(kPatience, [&] { return value(server, "zk_auth_failed_count") >= 20; }));

  // Waits for its turn among the others, if at all, and is let in.
  SessionClient honest(server.port());
  honest.raw().send_request(-4, 100, login("secret"));
  EXPECT_EQ(honest.receive(kPatience).err, 0);
  EXPECT_TRUE(honest.call(asking::create("/a")).ok());

  // In a burst so many; then four in every second, however many connections there are.
  const auto guessed = value(server, "zk_auth_failed_count");
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  constexpr double kBurst = 20 + 64;
  EXPECT_LE(static_cast<double>(guessed), kBurst + 4 * seconds + 1);
  EXPECT_TRUE(server.says("failed to log in as \"orders\"")) << server.errors();
}

}  // namespace
}  // namespace holdfast::testing
