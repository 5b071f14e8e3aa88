#include "settings/watched_path.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::settings {
namespace {

namespace fs = std::filesystem;

class WatchedPathTest : public ::testing::Test {
 protected:
  void write(const fs::path& path, std::string_view text = "x") const { std::ofstream(dir_.path() / path) << text; }
  void rename(const fs::path& from, const fs::path& to) const { fs::rename(dir_.path() / from, dir_.path() / to); }
  void link(const fs::path& target, const fs::path& name) const { fs::create_symlink(target, dir_.path() / name); }

  // Whether it has noticed something since. The kernel says it before the call that did it returns.
  static bool noticed(WatchedPath& watched) {
    pollfd readable{.fd = watched.descriptor(), .events = POLLIN, .revents = 0};
    const bool ours = ::poll(&readable, 1, 0) == 1 && watched.drain();
    watched.watch();
    watched.drain();  // what watching it anew has brought about
    return ours;
  }

  const testing::TempDir dir_{"watched"};
};

TEST_F(WatchedPathTest, notices_that_the_file_was_written_replaced_removed_or_made) {
  write("a.yaml");
  WatchedPath watched(dir_ / "a.yaml");
  watched.watch();
  EXPECT_FALSE(noticed(watched));
  write("a.yaml", "written");
  EXPECT_TRUE(noticed(watched));
  write("other");
  EXPECT_FALSE(noticed(watched)) << "another file of the directory";
  rename("other", "a.yaml");
  EXPECT_TRUE(noticed(watched));
  fs::remove(dir_ / "a.yaml");
  EXPECT_TRUE(noticed(watched));
  write("a.yaml", "made");
  EXPECT_TRUE(noticed(watched));
  fs::resize_file(dir_ / "a.yaml", 0);
  write("a.yaml", "");
  EXPECT_TRUE(noticed(watched));
  fs::permissions(dir_ / "a.yaml", fs::perms::owner_all);
  EXPECT_TRUE(noticed(watched)) << "it may be readable now";
}

TEST_F(WatchedPathTest, does_not_notice_a_file_before_its_writer_has_closed_it) {
  WatchedPath watched(dir_ / "a.yaml");
  watched.watch();
  std::ofstream file(dir_ / "a.yaml");
  file << "half of it" << std::flush;
  EXPECT_FALSE(noticed(watched));
  file.close();
  EXPECT_TRUE(noticed(watched));
}

// As Kubernetes mounts a ConfigMap: a.yaml -> ..data/a.yaml, ..data -> ..1
TEST_F(WatchedPathTest, notices_that_a_link_on_the_way_was_switched) {
  fs::create_directories(dir_ / "..1");
  write("..1/a.yaml", "1");
  link("..1", "..data");
  link("..data/a.yaml", "a.yaml");
  WatchedPath watched(dir_ / "a.yaml");
  watched.watch();
  for (const auto* next : {"..2", "..3"}) {
    fs::create_directories(dir_ / next);
    write(fs::path(next) / "a.yaml", next);
    link(next, "..data_tmp");
    EXPECT_FALSE(noticed(watched));
    rename("..data_tmp", "..data");
    EXPECT_TRUE(noticed(watched));
    write(fs::path(next) / "a.yaml", "in place");
    EXPECT_TRUE(noticed(watched)) << "where the link leads now";
  }
  write("..1/a.yaml", "where it led before");
  EXPECT_FALSE(noticed(watched));
}

TEST_F(WatchedPathTest, notices_that_a_directory_on_the_way_was_switched_moved_or_made) {
  fs::create_directories(dir_ / "releases/1/conf");
  fs::create_directories(dir_ / "releases/2/conf");
  write("releases/1/conf/a.yaml");
  link("releases/1", "current");
  WatchedPath watched(dir_ / "current/conf/a.yaml");
  watched.watch();
  link("releases/2", "next");
  EXPECT_FALSE(noticed(watched));
  rename("next", "current");
  EXPECT_TRUE(noticed(watched));
  write("releases/2/conf/a.yaml");
  EXPECT_TRUE(noticed(watched));
  rename("releases/2/conf", "releases/2/gone");
  EXPECT_TRUE(noticed(watched));
  fs::create_directory(dir_ / "releases/2/conf");
  EXPECT_TRUE(noticed(watched));
  write("releases/2/conf/a.yaml");
  EXPECT_TRUE(noticed(watched));
  rename("releases/2", "releases/3");
  EXPECT_TRUE(noticed(watched));
}

TEST_F(WatchedPathTest, does_not_follow_links_in_a_circle) {
  link("b", "a");
  link("a", "b");
  WatchedPath watched(dir_ / "a");
  watched.watch();
  fs::remove(dir_ / "b");
  EXPECT_TRUE(noticed(watched));
  write("b");
  EXPECT_TRUE(noticed(watched));
}

}  // namespace
}  // namespace holdfast::settings
