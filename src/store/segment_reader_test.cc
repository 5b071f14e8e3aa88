#include "store/segment_reader.h"

#include <gtest/gtest.h>

#include <random>

#include "support/simulated_disk.h"

namespace holdfast::store {
namespace {

using testing::SimulatedDisk;

constexpr SegmentHeader kHeader{.store = 7, .epoch = 2, .number = 5, .after = 100};

// A segment in the making: groups of records, each written when everything before was synced.
class Draft {
 public:
  explicit Draft(SegmentHeader header = kHeader)
      : bytes(encode(header)), seed_(parse_segment_header(bytes)->seed), next_(header.after + 1) {}

  Draft& group(std::initializer_list<std::string> bodies) {
    const std::uint64_t synced = bytes.size();
    for (const std::string& body : bodies) {
      offsets.push_back(bytes.size());
      append_record(bytes, {.index = next_++, .synced = synced}, body, seed_, bytes.size());
    }
    return *this;
  }

  Draft& seal() {
    append_record(bytes, {.index = next_ - 1, .synced = bytes.size(), .kind = RecordKind::seal}, {}, seed_,
                  bytes.size());
    return *this;
  }

  std::string bytes;
  std::vector<std::uint64_t> offsets;

 private:
  std::uint64_t seed_;
  Index next_;
};

struct Reading {
  std::vector<std::string> bodies;
  std::optional<Failure> failure;
  std::uint64_t end = 0;
  Index last = 0;
  std::uint64_t synced = 0;
  bool sealed = false;
};

Reading read(const std::string& bytes) {
  SimulatedDisk disk;
  disk.set_content("/s", bytes);
  const auto file = disk.open("/s", Disk::Mode::read);
  Reading reading;
  auto reader = SegmentReader::open(**file, "/s");
  if (!reader) {
    reading.failure = reader.error();
    return reading;
  }
  while (true) {
    const auto record = reader->next();
    if (!record) reading.failure = record.error();
    if (!record || !*record) break;
    reading.bodies.emplace_back((*record)->bytes);
  }
  reading.end = reader->offset();
  reading.last = reader->last_index();
  reading.synced = reader->synced();
  reading.sealed = reader->sealed();
  return reading;
}

using Bodies = std::vector<std::string>;

TEST(SegmentReader, reads_back_every_record_of_every_size) {
  const std::string large(300'000, 'x');  // more than the window reads ahead
  const Draft draft = Draft().group({"", "a", "1234567"}).group({"12345678", large, "end"});
  const Reading reading = read(draft.bytes);
  EXPECT_FALSE(reading.failure);
  EXPECT_EQ(reading.bodies, (Bodies{"", "a", "1234567", "12345678", large, "end"}));
  EXPECT_EQ(reading.end, draft.bytes.size());
  EXPECT_EQ(reading.last, 106);
  EXPECT_EQ(reading.synced, draft.offsets[3]);
}

TEST(SegmentReader, takes_zeros_behind_the_records_for_the_end) {
  const Draft draft = Draft().group({"a"}).group({"b"});
  const Reading reading = read(draft.bytes + std::string(100'000, '\0'));
  EXPECT_FALSE(reading.failure);
  EXPECT_EQ(reading.bodies, (Bodies{"a", "b"}));
  EXPECT_EQ(reading.end, draft.bytes.size());
}

TEST(SegmentReader, ends_before_a_torn_group_of_which_later_records_are_whole) {
  Draft draft = Draft().group({"a"}).group({"b", "c", "d"});
  draft.bytes[draft.offsets[1] + kRecordHeaderBytes] ^= 1;
  const Reading reading = read(draft.bytes);
  EXPECT_FALSE(reading.failure);
  EXPECT_EQ(reading.bodies, Bodies{"a"});
  EXPECT_EQ(reading.end, draft.offsets[1]);
}

TEST(SegmentReader, refuses_damage_to_what_was_synced_when_a_later_record_was_written) {
  const Draft whole = Draft().group({"a", "b"}).group({std::string(5000, 'b')}).group({"c"});
  for (const std::uint64_t at : {whole.offsets[1], whole.offsets[1] + 24, whole.offsets[2] + 100}) {
    Draft draft = whole;
    draft.bytes[at] ^= 0x10;
    const Reading reading = read(draft.bytes);
    ASSERT_TRUE(reading.failure);
    EXPECT_EQ(reading.failure->file, "/s");
    EXPECT_EQ(reading.failure->offset, at < whole.offsets[2] ? whole.offsets[1] : whole.offsets[2]);
    EXPECT_NE(reading.failure->message.find("at offset"), std::string::npos) << reading.failure->message;
  }
}

TEST(SegmentReader, refuses_zeros_where_synced_records_were) {
  Draft draft = Draft().group({"a"}).group({std::string(9000, 'b')}).group({"c"});
  draft.bytes.replace(draft.offsets[1], draft.offsets[2] - draft.offsets[1],
                      std::string(draft.offsets[2] - draft.offsets[1], '\0'));
  const Reading reading = read(draft.bytes);
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->offset, draft.offsets[1]);
}

TEST(SegmentReader, refuses_damage_to_the_last_group_of_a_sealed_segment) {
  Draft draft = Draft().group({"a"}).group({"b"}).seal();
  EXPECT_TRUE(read(draft.bytes).sealed);
  draft.bytes[draft.offsets[1] + kRecordHeaderBytes] ^= 1;
  const Reading reading = read(draft.bytes);
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->offset, draft.offsets[1]);
}

TEST(SegmentReader, refuses_bytes_behind_a_seal) {
  const Draft draft = Draft().group({"a"}).seal();
  EXPECT_TRUE(read(draft.bytes + "x").failure);
}

TEST(SegmentReader, takes_no_record_of_another_segment_or_another_place_for_its_own) {
  const Draft mine = Draft().group({"a"});
  const Draft other = Draft({.store = 7, .epoch = 3, .number = 5, .after = 100}).group({"x"}).group({"y"});
  // The tail of the other one, at the offset where it stood there.
  EXPECT_EQ(read(mine.bytes + other.bytes.substr(other.offsets[1])).bodies, Bodies{"a"});
  // Its own record, once more.
  EXPECT_EQ(read(mine.bytes + mine.bytes.substr(mine.offsets[0])).bodies, Bodies{"a"});
}

TEST(SegmentReader, refuses_an_index_that_does_not_grow) {
  Draft draft;
  const std::uint64_t seed = parse_segment_header(draft.bytes)->seed;
  append_record(draft.bytes, {.index = 100, .synced = kSegmentHeaderBytes}, "x", seed, draft.bytes.size());
  const Reading reading = read(draft.bytes);
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->offset, kSegmentHeaderBytes);
}

TEST(SegmentReader, refuses_a_version_that_it_does_not_know) {
  Draft draft;
  draft.bytes[8] = 9;
  EXPECT_TRUE(read(draft.bytes).failure);
}

TEST(SegmentReader, survives_any_bytes) {
  std::mt19937_64 random(1);
  const Draft draft = Draft().group({"a", "b"}).group({std::string(600, 'c')}).group({"d"});
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = draft.bytes;
    for (auto changes = random() % 8; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 2 == 0) bytes.resize(random() % (bytes.size() + 100));
    const Reading reading = read(bytes);
    ASSERT_LE(reading.end, std::max(bytes.size(), kSegmentHeaderBytes));
    // Whatever is delivered is what was written.
    const Bodies all{"a", "b", std::string(600, 'c'), "d"};
    ASSERT_LE(reading.bodies.size(), all.size());
    ASSERT_TRUE(std::equal(reading.bodies.begin(), reading.bodies.end(), all.begin()));
  }
}

}  // namespace
}  // namespace holdfast::store
