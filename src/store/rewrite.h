// rewrite.h -- makes bytes durable that an earlier sync may have failed to keep: the system takes them for clean, and the
// next sync would pass over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "store/disk.h"

namespace holdfast::store {

// Writes [begin, end) of the file again, as it reads now. Does not sync.
inline DiskResult<void> rewrite(File& file, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;  // bounds the memory
  std::string buffer;
  for (std::uint64_t at = begin; at < end; at += buffer.size()) {
    buffer.resize(std::min(kStep, end - at));
    const auto got = file.read_at(at, buffer);
    if (!got) return tl::unexpected(got.error());
    if (*got != buffer.size()) return tl::unexpected(std::make_error_code(std::errc::io_error));
    if (const auto written = file.write_at(at, buffer); !written) return written;
  }
  return {};
}

}  // namespace holdfast::store
