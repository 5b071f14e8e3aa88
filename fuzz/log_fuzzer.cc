// log_fuzzer.cc -- files of a store, through the readers that recovery uses.
//
// Bits 0-1 of the first byte say what the rest is:
//
//   0, 1   the bytes of a segment, or of a snapshot, as they are. What was damaged must be found.
//   2, 3   a script, out of which such a file is made with checksums that are right, so that one gets behind them. Bit 0 of a control
//          byte: a seal, or a new block. Bit 1: bytes as they are, behind a record or in a block. Bit 2: the content is no record, but
//          damage to be done when all is made: place u16 | flipped bits u8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/script.h"
#include "store/encoding.h"
#include "store/segment_format.h"
#include "store/segment_reader.h"
#include "store/snapshot_format.h"
#include "store/snapshot_reader.h"

namespace holdfast::fuzz {
namespace {

using store::DiskResult;

class MemoryFile final : public store::File {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(into.data(), into.size(), offset);
  }
  DiskResult<std::uint64_t> size() override { return bytes_.size(); }
  DiskResult<void> write_at(std::uint64_t, std::string_view) override { return refuse(); }
  DiskResult<void> truncate(std::uint64_t) override { return refuse(); }
  DiskResult<void> sync() override { return refuse(); }

 private:
  static DiskResult<void> refuse() { return tl::unexpected(std::make_error_code(std::errc::read_only_file_system)); }

  std::string bytes_;
};

// All records up to the first that makes no sense.
std::vector<std::string> read_segment(std::string bytes) {
  std::vector<std::string> bodies;
  MemoryFile file(std::move(bytes));
  auto reader = store::SegmentReader::open(file, "segment");
  if (!reader) return bodies;
  store::Index last = reader->header().after;
  for (;;) {
    const auto before = reader->offset();
    const auto record = reader->next();
    require(reader->offset() <= reader->size(), "no record ends behind the file");
    if (!record || !*record) break;
    require((*record)->index > last, "indexes grow");
    require(reader->offset() > before, "it goes on");
    last = (*record)->index;
    bodies.emplace_back((*record)->bytes);
  }
  require(reader->last_index() == last, "the last index is that of the last record");
  return bodies;
}

// Nothing unless all of it is whole.
std::vector<std::string> read_snapshot(std::string bytes) {
  std::vector<std::string> bodies;
  MemoryFile file(std::move(bytes));
  const auto read = store::read_snapshot(file, "snapshot", [&](std::string_view record) {
    bodies.emplace_back(record);
    return tl::expected<void, std::string>();
  });
  if (!read) return {};
  require(read->end.records == bodies.size(), "all records of a whole snapshot are there");
  return bodies;
}

struct Made {
  std::string bytes;
  std::vector<std::string> bodies;
  bool pure = true;  // nothing in it but what was made
  std::vector<std::pair<std::size_t, int>> damage;

  // False if the entry is something else.
  bool note_damage(const Entry& entry) {
    if ((entry.control & 4) == 0) return false;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(entry.content[i]); };
    if (entry.content.size() >= 3) damage.emplace_back(byte(0) << 8 | byte(1), byte(2));
    return true;
  }
  // False if there was none.
  bool do_damage() {
    const auto whole = bytes;
    for (const auto& [place, bits] : damage) {
      if (place < bytes.size()) bytes[place] = static_cast<char>(bytes[place] ^ bits);
    }
    return bytes != whole;
  }
};

Made make_segment(Script script) {
  Made made;
  made.bytes = encode(store::SegmentHeader{.store = 1, .epoch = 2, .number = 3, .after = 4});
  const auto seed = store::parse_segment_header(made.bytes)->seed;
  store::Index index = 4;
  bool sealed = false;
  while (const auto entry = script.next()) {
    if (made.note_damage(*entry)) continue;
    if ((entry->control & 2) != 0 || sealed) {
      made.pure = false;
      made.bytes += entry->content;
      continue;
    }
    sealed = (entry->control & 1) != 0;
    const store::RecordHeader header{.index = sealed ? index : ++index,
                                     .synced = made.bytes.size(),
                                     .kind = sealed ? store::RecordKind::seal : store::RecordKind::change};
    append_record(made.bytes, header, entry->content, seed, made.bytes.size());
    if (!sealed) made.bodies.emplace_back(entry->content);
  }
  return made;
}

Made make_snapshot(Script script) {
  Made made;
  made.bytes = encode(store::SnapshotHeader{.store = 1, .epoch = 2, .begin = 3, .salt = 4});
  const auto seed = store::parse_snapshot_header(made.bytes)->seed;
  std::string block;
  const auto put = [&](store::BlockKind kind, const std::string& content) {
    made.bytes += encode_block(kind, content, seed, made.bytes.size());
  };
  while (const auto entry = script.next()) {
    if (made.note_damage(*entry)) continue;
    if ((entry->control & 2) != 0) {
      made.pure = false;
      block += entry->content;
      continue;
    }
    if ((entry->control & 1) != 0 && !block.empty()) put(store::BlockKind::records, std::exchange(block, {}));
    store::put(block, static_cast<std::uint32_t>(entry->content.size()));
    block += entry->content;
    made.bodies.emplace_back(entry->content);
  }
  if (!block.empty()) put(store::BlockKind::records, block);
  put(store::BlockKind::end, encode(store::SnapshotEnd{.end = 9, .records = made.bodies.size()}));
  return made;
}

}  // namespace
}  // namespace holdfast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast::fuzz;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Script script(data + 1, size - 1);
  switch (data[0] & 3) {
    case 0: (void)read_segment(bytes); break;
    case 1: (void)read_snapshot(bytes); break;
    case 2: {
      auto made = make_segment(script);
      const bool damaged = made.do_damage();
      const auto read = read_segment(made.bytes);
      require(read.size() <= made.bodies.size() && std::equal(read.begin(), read.end(), made.bodies.begin()),
              "no record is read that was not written");
      require(damaged || !made.pure || read == made.bodies, "a whole segment is read as a whole");
      break;
    }
    default: {
      auto made = make_snapshot(script);
      const bool damaged = made.do_damage();
      const auto read = read_snapshot(made.bytes);
      require(!damaged || read.empty(), "a damaged snapshot is not used");
      require(damaged || !made.pure || read == made.bodies, "a whole snapshot is read as a whole");
    }
  }
  return 0;
}
