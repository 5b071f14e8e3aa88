#include "cli/config/auth_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "settings/small_file.h"

namespace holdfast::cli {

Parsed<std::vector<std::string>> read_auth_file(const std::string& file) {
  constexpr mode_t kOthers = S_IROTH | S_IWOTH;
  const auto read = read_small_file(file);
  if (!read) return tl::unexpected(read.error());
  if ((read->status.st_mode & kOthers) != 0 && S_ISREG(read->status.st_mode)) {
    return tl::unexpected(fmt::format("{} has passwords in it and is open to all users: chmod o= {}", file, file));
  }
  std::vector<std::string> users;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < read->text.size();) {
    const auto end = std::min(read->text.find('\n', begin), read->text.size());
    const auto line = trimmed(std::string_view(read->text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    auto user = parse_digest(line);
    if (!user) return tl::unexpected(fmt::format("{}:{}: {}", file, number, user.error()));
    users.push_back(*std::move(user));
  }
  if (users.empty()) {
    return tl::unexpected(fmt::format("{} names no user: write user:base64(sha1(user:password)) lines", file));
  }
  return users;
}

}  // namespace holdfast::cli
