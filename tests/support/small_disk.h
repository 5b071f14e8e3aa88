// small_disk.h -- a directory that is a file system of 8 MiB to a program and its children, with or without privileges.
//
//   way        takes                                            what it is
//   mount      root, also in a chroot                           a tmpfs in a mount namespace
//   user       a kernel that gives this user namespaces         the same, in a user namespace
//   preload    nothing                                          the C library's calls, limited (preload/small_disk.cc)
//
// The first that works is taken. HOLDFAST_SMALL_DISK_WAY forces one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::testing {

class SmallDisk {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;

  // `directory` must be there.
  explicit SmallDisk(std::filesystem::path directory);

  // Runs `argv` with the directory small.
  std::vector<std::string> around(std::vector<std::string> argv) const;

  // `command`, or a script at `script` in its place: for a program that is started without the environment of those around it.
  std::string by_itself(const std::string& command, const std::filesystem::path& script) const;

  // How the directory of a process that runs like that is seen from here.
  std::filesystem::path seen_by(pid_t process) const;

  // Takes all the room that there is, in the eyes of that process, in a file `filler`, and gives it back.
  void fill(pid_t process) const;
  void make_room(pid_t process) const;

 private:
  enum class Way { mount, user, preload };
  static Way find_way();

  std::filesystem::path directory_;
  Way way_;
};

}  // namespace holdfast::testing
