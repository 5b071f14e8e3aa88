// A writer that is killed leaves the old content or the new one, never a part of either.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "fencing/fenced_file.h"
#include "race.h"
#include "recipe.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// More than one page and more than one buffer, so that half of it can be there.
constexpr std::size_t kSize = 300'000;
constexpr std::chrono::milliseconds kSoon = 20s;

class FencedFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<Peer> start_writer() {
    return std::make_unique<Peer>(std::vector<std::string>{HOLDFAST_FENCED_WRITER, "file", path_}, "writer");
  }

  // Throws if what is there is not what a writer has written, whole.
  Token token_of_whole_file() {
    const auto content = file_.read().value();
    if (content.text != text_for(content.token, kSize)) {
      throw std::runtime_error(fmt::format("half a file: {} bytes of {}", content.text.size(), content.token));
    }
    return content.token;
  }

  TempDir dir_{"fenced-file"};
  std::string path_ = (dir_ / "document").string();
  fencing::FencedFile file_{path_};
};

TEST_F(FencedFileTest, syncs_the_bytes_before_the_rename_and_the_directory_after) {
  const auto writer = start_writer();
  writer->send("record");
  writer->expect("recording");
  writer->send("write 1 100");
  writer->expect("written");
  writer->send("recorded");
  EXPECT_EQ(writer->expect(""),
            "write document.new,write document.new,fsync document.new,rename document.new document,"
            "fsync " +
                dir_.path().filename().string());
}

TEST_F(FencedFileTest, is_old_or_new_whichever_step_the_writer_was_killed_at) {
  // Token, text, sync, rename, sync of the directory.
  constexpr int kSteps = 5;
  constexpr int kRenamed = 4;
  ASSERT_TRUE(file_.write(1, text_for(1, kSize)));
  Token old = 1;
  for (int step = 0; step <= kSteps; ++step) {
    const Token token = old + 1;
    const auto writer = start_writer();
    writer->send(fmt::format("die_at {}", step));
    writer->expect("armed");
    writer->send(fmt::format("write {} {}", token, kSize));
    if (step < kSteps) {
      ASSERT_EQ(writer->process().wait(kSoon), 128 + SIGKILL) << "step " << step;
    } else {
      writer->expect("written");  // there is no sixth step that was forgotten here
    }
    EXPECT_EQ(token_of_whole_file(), step < kRenamed ? old : token) << "step " << step;
    // Neither the lock nor the half-written file is in the way of the next.
    EXPECT_TRUE(file_.write(token + 1, text_for(token + 1, kSize)));
    EXPECT_EQ(token_of_whole_file(), token + 1);
    old = token + 1;
  }
}

TEST_F(FencedFileTest, is_whole_after_each_of_many_writers_was_killed_at_any_moment) {
  constexpr int kKills = 60;
  std::mt19937 random(1);
  Token last = 0;
  int died_inside = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    const auto writer = start_writer();
    writer->send(fmt::format("stream {} {}", last + 1, kSize));
    Token acknowledged = 0;
    for (auto count = 1 + random() % 3; count > 0; --count)
      acknowledged = std::stoull(writer->expect("written").substr(8));
    // Somewhere within the next write or two.
    const auto moment = Process::Clock::now() + std::chrono::microseconds(random() % 4'000);
    while (Process::Clock::now() < moment) {
    }
    writer->kill9();
    while (const auto line = writer->reply(0ms)) acknowledged = std::stoull(line->substr(8));
    const Token token = token_of_whole_file();
    EXPECT_GE(token, acknowledged) << "what was acknowledged is there";
    EXPECT_LE(token, acknowledged + 1);
    if (std::filesystem::exists(path_ + ".new")) ++died_inside;
    last = token;
  }
  EXPECT_GT(died_inside, 0) << "no writer was killed in the middle of a write: the test shows nothing";
}

TEST_F(FencedFileTest, is_whole_for_readers_while_it_is_written) {
  ASSERT_TRUE(file_.write(1, text_for(1, kSize)));
  const auto writer = start_writer();
  writer->send(fmt::format("stream 2 {}", kSize));
  Token before = 1;
  int changes = 0;
  EXPECT_TRUE(eventually(kSoon, [&] {
    const Token token = token_of_whole_file();
    EXPECT_GE(token, before);
    if (token != before) ++changes;
    before = token;
    return changes >= 20;
  }));
}

// Why the doc says that a writer which stands still holds up the others: the lock is the test's own here.
TEST_F(FencedFileTest, waits_for_a_writer_that_stands_still_between_looking_and_writing) {
  const int lock = ::open((path_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const auto writer = start_writer();
  writer->send("write 1 100");
  EXPECT_EQ(writer->reply(200ms), std::nullopt);
  EXPECT_FALSE(file_.read().has_value());
  ASSERT_EQ(::close(lock), 0);
  writer->expect("written");
}

TEST_F(FencedFileTest, leaves_a_file_alone_that_does_not_begin_with_a_token) {
  std::ofstream(path_) << "somebody else's\n";
  EXPECT_THROW(file_.read(), std::runtime_error);
  EXPECT_THROW(static_cast<void>(file_.write(5, "ours")), std::runtime_error);
  std::string line;
  std::getline(std::ifstream(path_), line);
  EXPECT_EQ(line, "somebody else's");
}

TEST_F(FencedFileTest, says_so_when_it_cannot_write) {
  fencing::FencedFile nowhere(dir_ / "no such directory" / "document");
  EXPECT_THROW(static_cast<void>(nowhere.write(1, "text")), std::system_error);
  EXPECT_FALSE(nowhere.read().has_value());
}

}  // namespace
}  // namespace holdfast::testing
