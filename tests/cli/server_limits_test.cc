// Clients that take more than their share, and others beside them that must not notice.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/server_command.h"
#include "cli/server_settings.h"
#include "holdfast/client.h"
#include "session_client.h"
#include "support/four_letter_word.h"
#include "support/process.h"

namespace holdfast::testing {
namespace {

using asking::SessionClient;

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

std::string write_for_owner(const std::filesystem::path& file, const char* text) {
  std::ofstream(file) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  return file.string();
}

struct UserFile {
  TempDir dir{"users"};
  std::string users = write_for_owner(dir / "users", kUser);
};

// Lets in only "orders", whose password is "secret".
class ServerWithAUser : private UserFile, public Server {
 public:
  ServerWithAUser() : Server(with(kAnyPort, {"--require-auth", users, "--config", settings(dir, "")})) { serves(); }
};

// A burst of wrong passwords, and more connections that wait for their turn; while they are kept.
std::vector<std::unique_ptr<SessionClient>> guess_passwords(Server& server) {
  std::vector<std::unique_ptr<SessionClient>> guessing;
  for (int i = 0; i < 120; ++i) {
    guessing.push_back(std::make_unique<SessionClient>(server.port()));
    guessing.back()->raw().send_request(-4, 100, login(std::to_string(i)));
  }
  EXPECT_TRUE(eventually(kPatience, [&] { return value(server, "zk_auth_failed_count") >= 20; }));
  return guessing;
}

TEST(ServerLimits, make_guessing_passwords_slow_and_no_client_that_knows_its_own) {
  ServerWithAUser server;

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

// A wrong password costs the connection only: the session of a client that knows one password is resumed to guess another.
TEST(ServerLimits, make_guessing_passwords_slow_also_by_a_session_that_is_resumed) {
  ServerWithAUser server;
  SessionClient known(server.port());
  known.raw().send_request(-4, 100, login("secret"));
  ASSERT_EQ(known.receive(kPatience).err, 0);
  const auto who = known.who();

  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < 400 && std::chrono::steady_clock::now() < begin + std::chrono::seconds(3); ++n) {
    SessionClient again(server.port(), who);
    ASSERT_TRUE(again.accepted());
    again.raw().send_request(-4, 100, login(std::to_string(n)));
    (void)again.receive(std::chrono::seconds(1));
  }
  const auto guessed = value(server, "zk_auth_failed_count");
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  constexpr double kBurst = 20 + 64;
  EXPECT_GE(guessed, 20);
  EXPECT_LE(static_cast<double>(guessed), kBurst + 4 * seconds + 1);
}

// Each of them leaves before its password was looked at.
TEST(ServerLimits, let_no_client_wait_for_a_login_whose_client_has_gone) {
  ServerWithAUser server;
  for (int i = 0; i < 3'000; ++i) {
    RawClient gone(server.port());
    gone.send_frame(Handshake{}.bytes());
    gone.send_request(-4, 100, login(std::to_string(i)));
  }
  // Those before it, at four a second, would take twelve minutes.
  const auto begin = std::chrono::steady_clock::now();
  SessionClient honest(server.port());
  honest.raw().send_request(-4, 100, login("secret"));
  EXPECT_EQ(honest.receive(kPatience).err, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(honest.call(asking::create("/a")).ok());
  EXPECT_TRUE(eventually(kPatience, [&] { return value(server, "zk_num_alive_connections") <= 2; }));
  // The burst at least was tried: it has not passed because nothing was.
  EXPECT_GE(value(server, "zk_auth_failed_count"), 20);
}

// It is the server that keeps it waiting, so its silence does not end it.
// Its client may not hear of a shorter one, and would count on the longer.
TEST(ServerLimits, that_were_lowered_shorten_no_session_that_is_there) {
  const TempDir dir("limits");
  const auto serve = [&](const char* limits) {
    auto server = std::make_unique<Server>(
        with(kAnyPort, {"--data", (dir / "data").string(), "--config", settings(dir, limits)}));
    server->serves();
    return server;
  };
  auto server = serve("");
  std::optional<SessionClient> client(std::in_place, server->port(), asking::Who{.timeout = std::chrono::seconds(30)});
  ASSERT_EQ(client->greeting()->timeout, 30'000);
  auto who = client->who();
  server.reset();  // one directory, one server
  server = serve("max_session_timeout: 5s\n");
  client.emplace(server->port(), who);
  ASSERT_TRUE(client->accepted());
  EXPECT_EQ(client->greeting()->timeout, 30'000);
  EXPECT_EQ(SessionClient(server->port(), {.timeout = std::chrono::seconds(30)}).greeting()->timeout, 5'000)
      << "a new one";
  who.timeout = std::chrono::seconds(8);
  EXPECT_EQ(SessionClient(server->port(), who).greeting()->timeout, 8'000) << "as it asks for itself";
}

// Not that there is no session, and nothing more.
TEST(ServerLimits, that_let_a_login_wait_are_named_by_a_run_that_gets_no_session) {
  const TempDir dir("password");
  write_for_owner(dir / "password", "orders:secret\n");
  ServerWithAUser server;
  const auto guessing = guess_passwords(server);
  Process run({.argv = {HOLDFAST_COMMAND, "run", "--url", "zk://" + server.address(), "--auth",
                        (dir / "password").string(), "--connect-timeout", "2s", "a", "--", "true"},
               .stderr_file = dir / "err"});
  EXPECT_EQ(run.wait(kPatience), 69);
  std::ifstream err(dir / "err");
  const std::string said{std::istreambuf_iterator<char>(err), {}};
  EXPECT_NE(said.find("it has not answered the login yet"), std::string::npos) << said;
}

TEST(ServerLimits, keep_a_session_whose_login_waits_for_its_turn) {
  ServerWithAUser server;
  // A burst, and then four in every second: more than a session of four seconds can wait for.
  const auto guessing = guess_passwords(server);
  const auto begin = std::chrono::steady_clock::now();
  SessionClient honest(server.port(), {.timeout = std::chrono::milliseconds(4'000)});
  honest.raw().send_request(-4, 100, login("secret"));
  const auto answer = honest.receive(kPatience);
  EXPECT_TRUE(answer.ok());
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4)) << "it did not have to wait";
  EXPECT_TRUE(honest.call(asking::create("/a")).ok());
}

}  // namespace
}  // namespace holdfast::testing
