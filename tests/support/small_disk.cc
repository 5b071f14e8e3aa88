#include "support/small_disk.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using Words = std::vector<std::string>;

// For a starved machine.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kPage = 4 << 10;

Words mounted(Words unshare, const std::string& directory, Words argv) {
  Words words = std::move(unshare);
  words.insert(
      words.end(),
      {"sh", "-c", "mount -t tmpfs -o size=" + std::to_string(SmallDisk::kBytes) + " tmpfs \"$0\" && exec \"$@\"",
       directory});
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

const Words kMount{"unshare", "--mount"};
const Words kUser{"unshare", "--user", "--map-root-user", "--mount"};

bool works(const Words& unshare) {
  const TempDir dir("small-disk");
  Process probe({.argv = mounted(unshare, dir.path().string(), {"true"}), .stderr_file = "/dev/null"});
  return probe.wait(kPatience) == 0;
}

std::uint64_t used_below(const std::filesystem::path& directory) {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    std::error_code gone;
    const auto size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

}  // namespace

SmallDisk::SmallDisk(std::filesystem::path directory) : directory_(std::move(directory)), way_(find_way()) {}

SmallDisk::Way SmallDisk::find_way() {
  const char* forced = std::getenv("HOLDFAST_SMALL_DISK_WAY");
  const std::string way = forced == nullptr ? "" : forced;
  if (way == "mount" || (way.empty() && works(kMount))) return Way::mount;
  if (way == "user" || (way.empty() && works(kUser))) return Way::user;
  if (!way.empty() && way != "preload") throw std::runtime_error("HOLDFAST_SMALL_DISK_WAY is mount, user or preload");
  return Way::preload;
}

std::vector<std::string> SmallDisk::around(std::vector<std::string> argv) const {
  if (way_ != Way::preload) return mounted(way_ == Way::mount ? kMount : kUser, directory_.string(), std::move(argv));
  // Of the sanitizers, AddressSanitizer insists on being the first library unless told otherwise.
  Words words{"env", std::string("LD_PRELOAD=") + HOLDFAST_SMALL_DISK_PRELOAD, "ASAN_OPTIONS=verify_asan_link_order=0",
              "HOLDFAST_SMALL_DISK=" + directory_.string(), "HOLDFAST_SMALL_DISK_BYTES=" + std::to_string(kBytes)};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

std::string SmallDisk::by_itself(const std::string& command, const std::filesystem::path& script) const {
  if (way_ != Way::preload) return command;  // a namespace is inherited
  {
    std::ofstream file(script);
    file << "#!/bin/sh\nexec";
    for (const auto& word : around({command})) file << " '" << word << "'";
    file << " \"$@\"\n";
  }
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script.string();
}

std::filesystem::path SmallDisk::seen_by(pid_t process) const {
  if (way_ == Way::preload) return directory_;
  return "/proc/" + std::to_string(process) + "/root" + directory_.string();
}

void SmallDisk::fill(pid_t process) const {
  const auto filler = seen_by(process) / "filler";
  if (way_ == Way::preload) {
    // Its length is what counts.
    { std::ofstream make(filler, std::ios::app); }
    const auto used = used_below(directory_);
    if (used < kBytes) std::filesystem::resize_file(filler, std::filesystem::file_size(filler) + kBytes - used);
    return;
  }
  std::ofstream file(filler, std::ios::binary | std::ios::app);
  const std::string page(kPage, 'x');
  for (std::uint64_t at = 0; at <= kBytes && file.write(page.data(), kPage).flush(); at += kPage) {
  }
  if (file) throw std::runtime_error("the file system cannot be filled");
}

void SmallDisk::make_room(pid_t process) const { std::filesystem::remove(seen_by(process) / "filler"); }

}  // namespace holdfast::testing
