// Which processes may use the engine behind local:, and which directories its clients trust. Needs root, to become another user for a moment.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "cli/local_world.h"
#include "holdfast/error.h"
#include "holdfast/holdfast.h"
#include "support/socket_client.h"

namespace holdfast::testing {
namespace {

constexpr uid_t kNobody = 65534;

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

bool can_connect(const std::string& path) {
  try {
    const SocketClient client(path);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

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

TEST_F(LocalSafety, another_user_can_neither_find_it_nor_connect) {
  auto client = Client::connect("local:");
  const auto engine = *find_local_engine();
  EXPECT_EQ(engine.address, state() / "engine.socket");
  EXPECT_EQ(as_nobody([&] { return ::access((state() / "engine").c_str(), F_OK) == 0 ? 1 : 0; }), 0);
  EXPECT_EQ(as_nobody([&] { return can_connect(engine.address) ? 1 : 0; }), 0);
  EXPECT_TRUE(can_connect(engine.address)) << "so that it is the user that makes the difference";
  struct stat status {};
  for (const auto* name : {"engine", "engine.socket", "engine.control"}) {
    ASSERT_EQ(::stat((state() / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 077, 0U) << name;
  }
  ASSERT_EQ(::stat(state().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
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

// Should the permissions of directory and socket have been opened, the kernel still says whose process it is.
TEST_F(LocalSafety, another_user_that_gets_as_far_as_the_socket_is_turned_away) {
  auto client = Client::connect("local:");
  const auto address = find_local_engine()->address;
  ASSERT_EQ(::chmod(state().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(address.c_str(), 0666), 0);
  constexpr int kMany = 200;
  EXPECT_EQ(as_nobody([&] {
              // Not one of them is kept.
              for (int i = 0; i < kMany; ++i) {
                SocketClient stranger(address);
                stranger.send_frame(std::string(40, '\0'));
                if (!stranger.ended()) return 1;
              }
              return 0;
            }),
            0);
  EXPECT_TRUE(client.mutex("a").try_acquire()) << "its own user is served";
}

TEST_F(LocalSafety, a_directory_of_another_user_is_refused) {
  std::filesystem::create_directory(state());
  ASSERT_EQ(::chown(state().c_str(), kNobody, kNobody), 0);
  EXPECT_NE(refusal().find("belongs to user 65534, and you are user 0"), std::string::npos) << refusal();
}

TEST_F(LocalSafety, a_directory_that_other_users_can_write_to_is_refused) {
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

// Whoever may rename a directory above the state could move it away, let a second engine start in its place, and have two holders.
TEST_F(LocalSafety, a_directory_above_that_other_users_can_write_to_is_refused) {
  { auto client = Client::connect("local:"); }
  last_pid_ = engine_pid();
  for (const mode_t mode : {0777, 0775, 0757}) {
    ASSERT_EQ(::chmod(dir_.path().c_str(), mode), 0);
    EXPECT_NE(refusal().find("other users can write to " + dir_.path().string() + ","), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("chmod go-w " + dir_.path().string()), std::string::npos) << refusal();
  }
  ASSERT_EQ(::chmod(dir_.path().c_str(), 01777), 0);
  EXPECT_EQ(run({"local", "status"}).exit_code, 0) << "in a sticky one only the owner can rename what is in it";
}

TEST_F(LocalSafety, a_directory_above_that_belongs_to_another_user_is_refused) {
  ASSERT_EQ(::chown(dir_.path().c_str(), kNobody, kNobody), 0);
  EXPECT_NE(
      refusal().find(dir_.path().string() + " belongs to user 65534, who could put another directory in its place"),
      std::string::npos)
      << refusal();
  EXPECT_FALSE(std::filesystem::exists(state())) << "nothing is left behind where it is not safe";
}

TEST_F(LocalSafety, a_link_above_is_followed_if_no_other_user_can_change_it) {
  std::filesystem::create_directory(dir_ / "far");
  std::filesystem::create_directory_symlink("far", dir_ / "near");
  ::setenv("HOLDFAST_STATE_DIR", (dir_ / "near/./state/").c_str(), 1);
  { auto client = Client::connect("local:"); }
  EXPECT_TRUE(std::filesystem::exists(dir_ / "far/state/engine"));
  EXPECT_EQ(run({"local", "stop"}).exit_code, 0);
  ASSERT_EQ(::lchown((dir_ / "near").c_str(), kNobody, kNobody), 0);
  EXPECT_NE(refusal().find((dir_ / "near").string() + " belongs to user 65534"), std::string::npos) << refusal();
  std::filesystem::remove(dir_ / "near");
  std::filesystem::create_directory_symlink("near", dir_ / "near");
  EXPECT_NE(refusal().find("Too many levels of symbolic links"), std::string::npos) << refusal();
}

// A path of more characters than an address of a socket has.
TEST_F(LocalSafety, a_state_directory_may_have_a_long_path) {
  const auto deep = dir_ / std::string(200, 'd') / std::string(200, 'e');
  ::setenv("HOLDFAST_STATE_DIR", deep.c_str(), 1);
  auto client = Client::connect("local:");
  EXPECT_TRUE(client.mutex("a").try_acquire());
  EXPECT_EQ(run({"local", "stop"}).exit_code, 0);
}

}  // namespace
}  // namespace holdfast::testing
