#include "settings/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/descriptor.h"

namespace holdfast::settings {
namespace {

constexpr std::size_t kLargest = 1 << 20;

}  // namespace

Parsed<SmallFile> read_small_file(const std::string& file) {
  const auto failed = [&] {
    return tl::unexpected(fmt::format("cannot read {}: {}", file, std::generic_category().message(errno)));
  };
  const base::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  SmallFile read;
  if (!descriptor || ::fstat(descriptor.get(), &read.status) != 0) return failed();
  std::array<char, 4096> buffer{};
  while (true) {
    const auto got = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) break;
    read.text.append(buffer.data(), static_cast<std::size_t>(got));
    if (read.text.size() > kLargest) {
      return tl::unexpected(
          fmt::format("{} is larger than {}: that is not a configuration", file, show_size(kLargest)));
    }
  }
  if (read.text.find('\0') != std::string::npos) {
    return tl::unexpected(fmt::format("{} has a zero byte in it: that is not text", file));
  }
  return read;
}

std::string whole_path(const std::string& file) {
  std::error_code error;
  return file.empty() ? file : std::filesystem::absolute(file, error).string();
}

}  // namespace holdfast::settings
