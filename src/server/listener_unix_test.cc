// The Listener on a Unix socket: which users it lets in, and what it finds at its path.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "server/listener.h"
#include "server/recording_host.h"
#include "support/eventually.h"
#include "support/socket_client.h"
#include "support/temp_dir.h"

namespace holdfast::server {
namespace {

using testing::eventually;
using testing::framed;
using testing::SocketClient;
using testing::TempDir;
using namespace std::chrono_literals;

constexpr auto kSoon = 10s;

EngineOptions listening_on(const std::filesystem::path& path) {
  EngineOptions options;
  options.listen = {{.path = path}};
  return options;
}

// Of this thread alone, unlike seteuid(): the server stays who it is.
bool become(uid_t user) { return ::syscall(SYS_setresuid, -1, user, -1) == 0; }

std::string trouble_of(const EngineOptions& options) {
  try {
    const RecordingServer server(options);
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ListenerOfPath, takes_frames_and_answers_them) {
  const TempDir dir("unix");
  RecordingServer server(listening_on(dir / "socket"));
  server.inside([&] { server.host.on_frame = [](Peer& peer, const std::string& f) { peer.send(framed(f)); }; });
  EXPECT_EQ(server.inside([&] { return server.listener->addresses(); }), std::vector<std::string>{dir / "socket"});
  EXPECT_EQ(server.inside([&] { return server.listener->port(false); }), -1);
  {
    SocketClient client((dir / "socket").string());
    client.send_frame("hello");
    EXPECT_EQ(client.receive_frame(), "hello");
    const auto origin = server.inside([&] { return server.host.origins.front(); });
    EXPECT_EQ(origin.address, "unix");
    EXPECT_EQ(origin.ip, "127.0.0.1") << "for the ip scheme";
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
  EXPECT_EQ(server.connections(), 0U);
}

TEST(ListenerOfPath, is_for_its_user_only) {
  ASSERT_EQ(::geteuid(), 0U) << "this test must be root to become another user";
  const TempDir dir("unix");
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0755));
  const auto path = (dir / "socket").string();
  RecordingServer server(listening_on(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  // The kernel keeps another user out; should the file be opened to all, we do.
  ASSERT_TRUE(become(65534));
  EXPECT_THROW(SocketClient{path}, std::system_error);
  ASSERT_TRUE(become(0));
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  ASSERT_TRUE(become(65534));
  SocketClient stranger(path);
  ASSERT_TRUE(become(0));
  EXPECT_TRUE(stranger.ended());
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_TRUE(server.inside([&] { return server.host.origins.empty(); })) << "the service has heard of it";
}

TEST(ListenerOfPath, takes_the_place_of_one_that_has_ended) {
  const TempDir dir("unix");
  const auto options = listening_on(dir / "socket");
  { RecordingServer first(options); }
  ASSERT_TRUE(std::filesystem::is_socket(dir / "socket"));
  RecordingServer second(options);
  SocketClient client((dir / "socket").string());
  EXPECT_TRUE(eventually(kSoon, [&] { return second.connections() == 1; }));
}

TEST(ListenerOfPath, does_not_take_the_place_of_one_that_listens_nor_of_a_file) {
  const TempDir dir("unix");
  const RecordingServer first(listening_on(dir / "socket"));
  EXPECT_EQ(trouble_of(listening_on(dir / "socket")),
            "cannot listen on " + (dir / "socket").string() + ": address already in use");
  std::ofstream(dir / "file") << "mine";
  EXPECT_EQ(trouble_of(listening_on(dir / "file")),
            "cannot listen on " + (dir / "file").string() + ": address already in use");
  EXPECT_TRUE(std::filesystem::is_regular_file(dir / "file"));
  EXPECT_EQ(trouble_of(listening_on(dir / "missing/socket")),
            "cannot listen on " + (dir / "missing/socket").string() + ": no such file or directory");
}

}  // namespace
}  // namespace holdfast::server
