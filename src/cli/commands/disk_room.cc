#include "cli/commands/disk_room.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <system_error>

#include "holdfast/error.h"
#include "holdfast/local.h"

namespace holdfast::cli {

tl::expected<std::uint64_t, std::string> free_room(const std::string& directory) {
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) return tl::unexpected(std::generic_category().message(errno));
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

std::string room_trouble(const std::string& url) {
  if (url != "local:") return {};
  try {
    const auto directory = local_directory();
    const auto room = free_room(directory);
    if (!room || *room >= kTooLittleRoom) return {};
    return fmt::format("only {} MiB are free in {}; make room, as the local engine refuses what it cannot write down",
                       *room / kMebibyte, directory);
  } catch (const Error&) {
    return {};  // the code that needs the directory says what is wrong with it
  }
}

}  // namespace holdfast::cli
