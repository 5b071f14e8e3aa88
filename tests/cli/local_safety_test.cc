// Who may use the engine behind local:, and whom its clients believe. Needs root, to be somebody else for a moment.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>

#include "cli/local_world.h"
#include "holdfast/error.h"
#include "holdfast/holdfast.h"
#include "support/socket_client.h"

namespace holdfast::testing {
namespace {

constexpr uid_t kNobody = 65534;

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

// The exit code of `work`, done by another user in another process.
int as_nobody(const std::function<int()>& work) {
  const auto child = ::fork();
  if (child == 0) {
    if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(100);
    try {
      ::_exit(work());
    } catch (...) {
      ::_exit(101);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

std::string number(std::int64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

std::string counted(const std::string& text) { return number(static_cast<std::int64_t>(text.size()), 4) + text; }

constexpr int kMustLogIn = -124;  // SESSIONCLOSEDREQUIRESASLAUTH
constexpr int kNoAnswer = 1;

// A session by hand: a client of a library has threads, which a process that was forked from one with threads had better not start.
class Session {
 public:
  explicit Session(std::uint16_t port) : client_(port) {
    constexpr int kTimeout = 10'000;
    client_.send_frame(number(0, 4) + number(0, 8) + number(kTimeout, 4) + number(0, 8) + counted(std::string(16, 0)));
    client_.receive_frame();
  }
  void log_in(const std::string& credentials) {
    client_.send_frame(number(-4, 4) + number(100, 4) + number(0, 4) + counted("digest") + counted(credentials));
    client_.receive_frame();
  }
  // The error code of the answer to exists /.
  int ask_for_root() {
    client_.send_frame(number(1, 4) + number(3, 4) + counted("/") + number(0, 1));
    const auto answer = client_.receive_frame();
    if (answer.size() < 16) return kNoAnswer;
    std::uint32_t code = 0;
    for (std::size_t i = 12; i < 16; ++i) code = code << 8 | static_cast<unsigned char>(answer[i]);
    return static_cast<int>(code);
  }

 private:
  SocketClient client_;
};

class LocalSafety : public LocalWorld {
 protected:
  LocalSafety() { EXPECT_EQ(::geteuid(), 0u) << "this test must be root to become another user"; }

  std::string refusal() {
    const auto said = run({"local", "status"});
    EXPECT_NE(said.exit_code, 0) << said.out;
    EXPECT_EQ(said.out, "");
    try {
      Client::connect("local:");
      ADD_FAILURE() << "connected";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::refused);
      EXPECT_EQ(said.err, std::string("holdfast: ") + error.what() + "\n") << "the command says the same";
    }
    return said.err;
  }
};

TEST_F(LocalSafety, another_user_can_neither_read_the_secret_nor_use_the_port) {
  auto client = Client::connect("local:");
  const auto engine = *find_local_engine();
  const auto file = (state() / "engine").string();
  EXPECT_EQ(as_nobody([&] { return ::access(file.c_str(), R_OK) == 0 || ::access(file.c_str(), F_OK) == 0; }), 0);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(state().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);

  const auto port = port_of(engine.address);
  EXPECT_EQ(as_nobody([&] { return Session(port).ask_for_root() == kMustLogIn ? 0 : 1; }), 0);
  EXPECT_EQ(as_nobody([&] {
              Session guessing(port);
              guessing.log_in("local:guess");
              return guessing.ask_for_root() == kMustLogIn ? 0 : 1;
            }),
            0);
  EXPECT_EQ(as_nobody([&] {  // so that it is the secret that the others lack
              Session knowing(port);
              knowing.log_in(engine.auth.credentials);
              return knowing.ask_for_root();
            }),
            0);
  EXPECT_EQ(as_nobody([&] {
              for (const auto* word : {"ruok", "srvr", "stat", "mntr", "dump", "envi", "conf"}) {
                SocketClient stranger(port);
                stranger.send(word);
                if (stranger.receive_all().find("not in the whitelist") == std::string::npos) return 1;
              }
              return 0;
            }),
            0);
  // With our directory as its own.
  EXPECT_EQ(as_nobody([&] {
              try {
                find_local_engine();
                return 1;
              } catch (const Error& error) {
                return error.code() == Errc::refused ? 0 : 2;
              }
            }),
            0);
}

TEST_F(LocalSafety, a_directory_of_somebody_else_is_refused) {
  std::filesystem::create_directory(state());
  ASSERT_EQ(::chown(state().c_str(), kNobody, kNobody), 0);
  EXPECT_NE(refusal().find("belongs to user 65534, and you are user 0"), std::string::npos) << refusal();
}

TEST_F(LocalSafety, a_directory_that_others_can_write_to_is_refused) {
  std::filesystem::create_directory(state());
  ASSERT_EQ(::chmod(state().c_str(), 0770), 0);
  EXPECT_NE(refusal().find("chmod 700 " + state().string()), std::string::npos) << refusal();
}

TEST_F(LocalSafety, a_link_is_no_directory) {
  const TempDir elsewhere("elsewhere");
  std::filesystem::create_directory_symlink(elsewhere.path(), state());
  EXPECT_NE(refusal().find("is not a directory"), std::string::npos) << refusal();
}

TEST_F(LocalSafety, an_announcement_that_others_can_read_is_refused) {
  { auto client = Client::connect("local:"); }
  last_pid_ = engine_pid();
  ASSERT_EQ(::chmod((state() / "engine").c_str(), 0644), 0);
  EXPECT_NE(refusal().find("only you can read"), std::string::npos) << refusal();
}

// Somebody who has the port of an engine that was killed, and says nothing.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    has_it_ =
        ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && ::listen(socket_, 16) == 0;
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool has_it() const { return has_it_; }
  bool was_called() const {
    pollfd readable{socket_, POLLIN, 0};
    return ::poll(&readable, 1, 0) > 0;
  }

 private:
  int socket_;
  bool has_it_ = false;
};

TEST_F(LocalSafety, a_stranger_on_the_port_of_a_killed_one_is_not_called) {
  { auto client = Client::connect("local:"); }
  const auto old = *find_local_engine();
  kill_engine();
  const Stranger stranger(port_of(old.address));
  ASSERT_TRUE(stranger.has_it());
  auto client = Client::connect("local:");
  EXPECT_TRUE(client.mutex("a").try_acquire());
  EXPECT_FALSE(stranger.was_called());
  EXPECT_NE(find_local_engine()->address, old.address);
  EXPECT_NE(find_local_engine()->auth.credentials, old.auth.credentials)
      << "what the old one believed is worth nothing";
}

TEST_F(LocalSafety, a_shell_does_not_call_a_stranger_on_the_port_of_a_killed_one) {
  Process shell({HOLDFAST_COMMAND, "shell", "--connect-timeout", "60s"});
  ASSERT_TRUE(shell.write_line("create /a x"));
  ASSERT_EQ(first_line(shell), "Created /a");
  const auto old = *find_local_engine();
  shell.pause();
  kill_engine();
  ASSERT_TRUE(eventually(kLocalPatience, [&] { return is_gone(old.pid); }));
  const Stranger stranger(port_of(old.address));
  ASSERT_TRUE(stranger.has_it());
  shell.resume();
  ASSERT_TRUE(shell.write_line("get /a"));
  EXPECT_EQ(first_line(shell), "x") << "from the next engine";
  EXPECT_FALSE(stranger.was_called());
}

// Another engine of ours, which would answer as the killed one did, and grant everything.
TEST_F(LocalSafety, a_holder_is_not_taken_in_by_a_server_on_the_port_of_a_killed_one) {
  Process first({HOLDFAST_LOCAL_HOLDER, "local:", "a", "30000"});
  ASSERT_NE(first_line(first).find("token"), std::string::npos);
  const auto old = *find_local_engine();
  kill_engine();
  Process impostor({HOLDFAST_COMMAND, "server", "--listen", old.address});
  const auto served = impostor.read_line(kLocalPatience);
  ASSERT_TRUE(served.has_value()) << "the port is somebody else's";

  // It comes to the right one, with its session: there is nobody else to end it by.
  ASSERT_TRUE(eventually(kLocalPatience, [&] { return engine_pid() != 0 && engine_pid() != old.pid; }));
  first.close_stdin();
  EXPECT_EQ(first_line(first), "held");
  EXPECT_EQ(first.wait(kLocalPatience), 0);
  EXPECT_TRUE(eventually(kLocalPatience, [] { return local_sessions() == 0; })) << "it ended its session elsewhere";
}

}  // namespace
}  // namespace holdfast::testing
