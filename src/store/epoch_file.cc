#include "store/epoch_file.h"

#include <fmt/format.h>

#include "store/checksum.h"
#include "store/encoding.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/publish.h"

namespace holdfast::store {

namespace {
constexpr std::uint64_t kMagic = 0x0068637065746668;  // "hftepch\0"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kBytes = 56;
constexpr std::uint32_t kHasReached = 1;
}  // namespace

tl::expected<std::optional<Epoch>, Failure> read_epoch(Disk& disk, const std::string& directory) {
  const std::string path = join(directory, kEpochFile);
  const auto file = disk.open(path, Disk::Mode::read);
  if (!file) {
    if (file.error() == std::errc::no_such_file_or_directory) return std::nullopt;
    return tl::unexpected(cannot("opened", path, file.error()));
  }
  std::string bytes(kBytes + 1, '\0');  // one more than there may be
  const auto got = (*file)->read_at(0, bytes);
  if (!got) return tl::unexpected(cannot("read", path, got.error()));
  bytes.resize(*got);
  constexpr std::string_view kAdvice = "restore it from a copy: without it numbers could be given out twice";
  if (bytes.size() != kBytes) {
    return tl::unexpected(
        damaged(path, std::min(*got, kBytes), fmt::format("it should end after {} bytes; {}", kBytes, kAdvice)));
  }
  const auto sum = get<std::uint64_t>(bytes, kBytes - 8);
  if (get<std::uint64_t>(bytes, 0) != kMagic || checksum(std::string_view(bytes).substr(0, kBytes - 8), 0) != sum) {
    return tl::unexpected(damaged(path, 0, fmt::format("the content does not match its checksum; {}", kAdvice)));
  }
  if (const auto version = get<std::uint32_t>(bytes, 8); version != kVersion) {
    return tl::unexpected(
        damaged(path, 8, fmt::format("the format is version {}, and this program reads {}", version, kVersion)));
  }
  return Epoch{get<std::uint64_t>(bytes, 16), get<std::uint64_t>(bytes, 24), get<std::uint64_t>(bytes, 32),
               get<std::uint64_t>(bytes, 40), (get<std::uint32_t>(bytes, 12) & kHasReached) != 0};
}

tl::expected<void, Failure> write_epoch(Disk& disk, const std::string& directory, const Epoch& epoch) {
  std::string bytes;
  put<std::uint64_t>(bytes, kMagic);
  put<std::uint32_t>(bytes, kVersion);
  put<std::uint32_t>(bytes, epoch.has_reached ? kHasReached : 0);
  put<std::uint64_t>(bytes, epoch.store);
  put<std::uint64_t>(bytes, epoch.epoch);
  put<std::uint64_t>(bytes, epoch.reached);
  put<std::uint64_t>(bytes, epoch.segment);
  put<std::uint64_t>(bytes, checksum(bytes, 0));
  return publish(disk, directory, std::string(kEpochFile), bytes).map([](auto&&) {});
}

}  // namespace holdfast::store
