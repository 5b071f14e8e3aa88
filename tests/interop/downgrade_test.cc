// From writing to reading without letting go, while others wait.
#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Downgrade : public Interop {
 protected:
  void keeps_a_waiting_writer_out(Make make, Make writer_make) {
    auto& other = start(make, "write");
    auto& writer = start(writer_make, "write");
    other.acquire();
    writer.send("acquire");
    ASSERT_TRUE(queue_becomes(2));
    const auto place = queue().front().sequence();

    const auto token = other.share();
    EXPECT_EQ(queue().size(), 3U);
    EXPECT_EQ(other.downgrade(), token);
    ASSERT_TRUE(queue_becomes(2));
    const auto reader = queue().front();
    EXPECT_EQ(std::to_string(reader.czxid), token);
    EXPECT_EQ(reader.sequence(), place);
    EXPECT_NE(reader.name.find("-__READ__"), std::string::npos) << reader.name;
    EXPECT_EQ(writer.reply(kShortWait), std::nullopt) << "writes while another reads";

    other.release();
    writer.expect("acquired ");
    EXPECT_TRUE(queue_becomes(1));
  }

  void lets_a_waiting_reader_in(Make make, Make reader_make) {
    auto& other = start(make, "write");
    auto& reader = start(reader_make, "read");
    other.acquire();
    reader.send("acquire");
    ASSERT_TRUE(queue_becomes(2));
    other.share();
    EXPECT_EQ(reader.reply(kShortWait), std::nullopt) << "reads while another still writes";
    other.downgrade();
    reader.expect("acquired ");
    EXPECT_EQ(queue().size(), 2U);
  }
};

TEST_F(Downgrade, of_ours_keeps_a_waiting_writer_of_curator_out) {
  keeps_a_waiting_writer_out(Make::holdfast, Make::curator);
}
TEST_F(Downgrade, of_ours_keeps_a_waiting_writer_of_kazoo_out) {
  keeps_a_waiting_writer_out(Make::holdfast, Make::kazoo);
}
TEST_F(Downgrade, of_ours_keeps_a_waiting_writer_of_ours_out) {
  keeps_a_waiting_writer_out(Make::holdfast, Make::holdfast);
}
// The kazoo peer does it as Curator does since 5.5.
TEST_F(Downgrade, as_curator_5_5_has_it_keeps_a_waiting_writer_of_ours_out) {
  keeps_a_waiting_writer_out(Make::kazoo, Make::holdfast);
}

TEST_F(Downgrade, of_ours_lets_a_waiting_reader_of_curator_in) {
  lets_a_waiting_reader_in(Make::holdfast, Make::curator);
}
TEST_F(Downgrade, of_curator_lets_a_waiting_reader_of_ours_in) {
  lets_a_waiting_reader_in(Make::curator, Make::holdfast);
}
TEST_F(Downgrade, as_curator_5_5_has_it_lets_a_waiting_reader_of_ours_in) {
  lets_a_waiting_reader_in(Make::kazoo, Make::holdfast);
}

TEST_F(Downgrade, of_curator_5_4_keeps_a_writer_of_ours_out_that_came_after_its_read_lock) {
  auto& curator = start(Make::curator, "write");
  auto& ours = start(Make::holdfast, "write");
  curator.acquire();
  curator.share();
  ours.send("acquire");
  ASSERT_TRUE(queue_becomes(3));
  curator.downgrade();
  ASSERT_TRUE(queue_becomes(2));
  EXPECT_EQ(ours.reply(kShortWait), std::nullopt) << "writes while another reads";
  curator.release();
  ours.expect("acquired ");
}

// CURATOR-621, mended in 5.5. Not ours to mend: nothing tells its read lock, which stands behind us, from one that
// waits.
TEST_F(Downgrade, of_curator_5_4_lets_in_a_writer_that_came_before_its_read_lock) {
  auto& curator = start(Make::curator, "write");
  auto& ours = start(Make::holdfast, "write");
  curator.acquire();
  ours.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  curator.share();
  EXPECT_EQ(ours.reply(kShortWait), std::nullopt);
  curator.downgrade();
  ours.expect("acquired ");
  EXPECT_EQ(queue().size(), 2U);
}

}  // namespace
}  // namespace holdfast::testing
