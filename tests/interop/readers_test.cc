// Readers of all makes share, and writers of all makes wait for them and are waited for.
#include <atomic>
#include <stop_token>
#include <thread>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Roles {
  Make reader;  // and one more behind the writer
  Make other_reader;
  Make writer;
};

class Readers : public Interop, public ::testing::WithParamInterface<Roles> {};

TEST_P(Readers, share_and_a_writer_waits_for_all_of_them_and_a_reader_for_a_writer_that_waits) {
  auto& reader = start(GetParam().reader, "read");
  auto& other_reader = start(GetParam().other_reader, "read");
  auto& writer = start(GetParam().writer, "write");
  auto& late_reader = start(GetParam().reader, "read");

  reader.acquire();
  other_reader.acquire();
  EXPECT_EQ(writer.acquire_within(kShortWait), std::nullopt);
  ASSERT_TRUE(queue_becomes(2)) << "the ticket of the writer that gave up is left behind";
  writer.send("acquire");
  ASSERT_TRUE(queue_becomes(3));
  EXPECT_EQ(late_reader.acquire_within(kShortWait), std::nullopt) << "overtook a writer";
  ASSERT_TRUE(queue_becomes(3));
  late_reader.send("acquire");
  ASSERT_TRUE(queue_becomes(4));

  reader.release();
  EXPECT_EQ(writer.reply(kShortWait), std::nullopt) << "did not wait for the other reader";
  other_reader.release();
  writer.expect("acquired ");
  EXPECT_EQ(late_reader.reply(kShortWait), std::nullopt) << "reads while another writes";
  writer.release();
  late_reader.expect("acquired ");
  reader.acquire();
  EXPECT_EQ(queue().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(All, Readers,
                         ::testing::Values(Roles{Make::holdfast, Make::curator, Make::kazoo},
                                           Roles{Make::holdfast, Make::kazoo, Make::curator},
                                           Roles{Make::curator, Make::kazoo, Make::holdfast},
                                           Roles{Make::kazoo, Make::holdfast, Make::curator}),
                         [](const auto& instance) {
                           return std::string(to_string(instance.param.reader)) + "_" +
                                  to_string(instance.param.other_reader) + "_before_" +
                                  to_string(instance.param.writer);
                         });

// Threads of one client may share a ticket: they must not keep the door open for each other for ever.
class CrowdOfReaders : public Interop {};

TEST_F(CrowdOfReaders, in_one_client_of_ours_lets_a_writer_of_curator_in) {
  auto& writer = start(Make::curator, "write");
  auto client = connect();
  std::atomic<int> inside{0};
  std::atomic<int> entries{0};
  const auto read_on = [&](std::stop_token stop) {
    auto mutex = client.shared_mutex(kPath);
    while (!stop.stop_requested()) {
      const auto lease = mutex.acquire_shared();
      ++inside;
      ++entries;
      std::this_thread::sleep_for(5ms);  // reads
      --inside;
    }
  };
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) readers.emplace_back(read_on);
  ASSERT_TRUE(eventually(kSoon, [&] { return inside > 1; })) << "they never shared";

  writer.acquire(10s);
  EXPECT_EQ(inside, 0) << "reads while another writes";
  const int entries_before = entries;
  EXPECT_FALSE(eventually(kShortWait, [&] { return entries != entries_before; }));
  writer.release();
  EXPECT_TRUE(eventually(kSoon, [&] { return entries > entries_before + 10; }));
}

}  // namespace
}  // namespace holdfast::testing
