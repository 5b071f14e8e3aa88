#include "cli/shell/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "support/temp_dir.h"

namespace holdfast::cli::shell {
namespace {

using Lines = std::vector<std::string>;
using holdfast::testing::TempDir;

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

mode_t mode_of(const std::filesystem::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(ShellHistory, is_there_again_and_only_its_user_can_read_it) {
  const TempDir dir;
  const auto file = dir / "state/holdfast/shell_history";
  {
    History first(file);
    EXPECT_EQ(first.trouble(), "");
    first.add("ls /");
    first.add("ls /");
    History at_the_same_time(file);
    at_the_same_time.add("get /a");
    first.add("stat /a");
    EXPECT_EQ(first.lines(), (Lines{"ls /", "stat /a"}));
  }
  EXPECT_EQ(History(file).lines(), (Lines{"ls /", "get /a", "stat /a"}));
  EXPECT_EQ(mode_of(file), 0600u);
  EXPECT_EQ(mode_of(file.parent_path()), 0700u);
}

TEST(ShellHistory, keeps_no_secret) {
  const TempDir dir;
  const auto file = dir / "holdfast/shell_history";
  History history(file);
  for (const char* line : {"addauth digest ann:secret", "  addauth digest ann:secret", "'addauth' digest ann:secret",
                           "setAcl /a digest:ann:hash:r", "create /Password x", " ls /hidden", ""}) {
    history.add(line);
    EXPECT_TRUE(history.lines().empty()) << line;
  }
  EXPECT_EQ(content(file), "");
}

TEST(ShellHistory, is_bounded) {
  const TempDir dir;
  const auto file = dir / "holdfast/shell_history";
  constexpr auto kWritten = 2 * History::kMostLines + 1;
  {
    History history(file);
    for (std::size_t i = 0; i < kWritten; ++i) history.add("ls /" + std::to_string(i));
    EXPECT_EQ(history.lines().size(), History::kMostLines);
  }
  const History again(file);
  EXPECT_EQ(again.lines().size(), History::kMostLines);
  EXPECT_EQ(again.lines().back(), "ls /" + std::to_string(kWritten - 1));
  const auto text = content(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(History::kMostLines));
  EXPECT_EQ(mode_of(file), 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1) << "nothing is left behind";
}

TEST(ShellHistory, does_without_a_file_that_it_cannot_use) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "holdfast/shell_history");
  History history(dir / "holdfast/shell_history");
  EXPECT_NE(history.trouble(), "");
  history.add("ls /");
  EXPECT_EQ(history.lines(), Lines{"ls /"});
}

TEST(ShellHistory, follows_no_link_and_closes_a_file_to_others) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "holdfast");
  std::ofstream(dir / "elsewhere") << "precious\n";
  std::filesystem::create_symlink(dir / "elsewhere", dir / "holdfast/shell_history");
  History linked(dir / "holdfast/shell_history");
  linked.add("ls /");
  EXPECT_NE(linked.trouble(), "");
  EXPECT_EQ(content(dir / "elsewhere"), "precious\n");

  std::filesystem::remove(dir / "holdfast/shell_history");
  std::filesystem::rename(dir / "elsewhere", dir / "holdfast/shell_history");
  ASSERT_EQ(::chmod((dir / "holdfast/shell_history").c_str(), 0644), 0);
  EXPECT_EQ(History(dir / "holdfast/shell_history").lines(), Lines{"precious"});
  EXPECT_EQ(mode_of(dir / "holdfast/shell_history"), 0600u);
}

}  // namespace
}  // namespace holdfast::cli::shell
