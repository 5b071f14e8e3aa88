#include "store/reached_file.h"

#include <fmt/format.h>

#include <array>

#include "store/checksum.h"
#include "store/encoding.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/publish.h"

namespace holdfast::store {

namespace {

constexpr std::uint64_t kMagic = 0x0064686372746668;  // "hftrchd\0"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kWritesAhead = 1;
constexpr std::size_t kSlotBytes = 88;
// The unit that a disk writes as a whole or not at all.
constexpr std::uint64_t kSector = 512;

std::uint64_t offset_of(std::uint64_t serial) { return serial % 2 * kSector; }

std::string encode(const Reached& reached, std::uint64_t serial) {
  std::string out;
  put<std::uint64_t>(out, kMagic);
  put<std::uint32_t>(out, kVersion);
  put<std::uint32_t>(out, reached.writes_ahead ? kWritesAhead : 0);
  for (const std::uint64_t number : {serial, reached.store, reached.epoch, reached.boot, reached.segment,
                                     reached.offset, reached.index, reached.durable}) {
    put<std::uint64_t>(out, number);
  }
  put<std::uint64_t>(out, checksum(out, 0));
  return out;
}

std::optional<ReachedFile::Found> parse(std::string_view slot, std::uint64_t offset) {
  if (slot.size() < kSlotBytes || get<std::uint64_t>(slot, 0) != kMagic) return std::nullopt;
  if (checksum(slot.substr(0, kSlotBytes - 8), 0) != get<std::uint64_t>(slot, kSlotBytes - 8)) return std::nullopt;
  if (get<std::uint32_t>(slot, 8) != kVersion) return std::nullopt;
  const auto serial = get<std::uint64_t>(slot, 16);
  if (offset_of(serial) != offset) return std::nullopt;
  return ReachedFile::Found{{get<std::uint64_t>(slot, 24), get<std::uint64_t>(slot, 32), get<std::uint64_t>(slot, 40),
                             get<std::uint64_t>(slot, 48), get<std::uint64_t>(slot, 56), get<std::uint64_t>(slot, 64),
                             get<std::uint64_t>(slot, 72), (get<std::uint32_t>(slot, 12) & kWritesAhead) != 0},
                            serial,
                            {}};
}

}  // namespace

tl::expected<std::optional<ReachedFile::Found>, Failure> ReachedFile::read(Disk& disk, const std::string& directory) {
  const std::string path = join(directory, kReachedFile);
  const auto file = disk.open(path, Disk::Mode::read);
  if (!file) {
    if (file.error() == std::errc::no_such_file_or_directory) return std::nullopt;
    return tl::unexpected(cannot("opened", path, file.error()));
  }
  std::string bytes(kSector + kSlotBytes, '\0');
  const auto got = (*file)->read_at(0, bytes);
  if (!got) return tl::unexpected(cannot("read", path, got.error()));
  const std::string_view content = std::string_view(bytes).substr(0, *got);

  std::optional<Found> newest;
  std::optional<std::uint64_t> bad;
  for (const std::uint64_t offset : {std::uint64_t{0}, kSector}) {
    const auto found =
        parse(content.substr(std::min<std::size_t>(offset, content.size())).substr(0, kSlotBytes), offset);
    if (!found) bad = bad.value_or(offset);
    if (found && (!newest || newest->serial < found->serial)) newest = found;
  }
  constexpr std::string_view kWhat = "how far the log has got does not match its checksum";
  if (!newest) return tl::unexpected(damaged(path, 0, kWhat));
  if (bad)
    newest->complaint = damaged(path, *bad, fmt::format("{}; there is a second copy, which is used", kWhat)).message;
  return newest;
}

tl::expected<ReachedFile, Failure> ReachedFile::create(Disk& disk, const std::string& directory,
                                                       const Reached& reached) {
  std::string bytes = encode(reached, 0);
  bytes.resize(kSector, '\0');
  bytes += encode(reached, 1);
  auto file = publish(disk, directory, std::string(kReachedFile), bytes);
  if (!file) return tl::unexpected(file.error());
  return ReachedFile(std::move(*file), join(directory, kReachedFile), 1);
}

tl::expected<ReachedFile, Failure> ReachedFile::open(Disk& disk, const std::string& directory, const Found& found) {
  const std::string path = join(directory, kReachedFile);
  auto file = disk.open(path, Disk::Mode::write);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  return ReachedFile(std::move(*file), path, found.serial);
}

DiskResult<void> ReachedFile::write(const Reached& reached) {
  // Into the older of the two slots, and into the same one again as long as that fails.
  const auto written = file_->write_at(offset_of(serial_ + 1), encode(reached, serial_ + 1));
  if (written) ++serial_;
  return written;
}

}  // namespace holdfast::store
