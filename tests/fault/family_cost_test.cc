// docs/semantics.md, "Cost", for readers and writers, several names, permits, revocation and inspection: counted on the wire.
#include <fmt/format.h>

#include <future>

#include "family_network.h"

namespace holdfast::testing {
namespace {

class FamilyCost : public FamilyNetwork {
 protected:
  // Without heartbeats. Sessions here are long, so there is only the first, which looks at the root.
  std::string requests() {
    std::string all;
    for (const auto& seen : proxy_.trace()) {
      if (!seen.is_work() || (seen.op == Op::exists && seen.path == "/")) continue;
      all += fmt::format("{}{}{}", all.empty() ? "" : " ", to_string(seen.op), seen.watch ? "+watch" : "");
    }
    return all;
  }

  // What `f` costs, in order. A turn for permits is given back without waiting for it.
  std::string cost_of(const std::function<void()>& f) {
    proxy_.clear();
    f();
    EXPECT_TRUE(empties("s/locks"));
    return requests();
  }

  // Once, so that the directories are there, and nobody in them.
  void warm_up(Lease lease) { ASSERT_EQ(lease.release_for(kSoon), std::error_code()); }

  Client connect_quietly() { return connect({.session_timeout = 60s}); }
};

TEST_F(FamilyCost, of_reading_and_of_writing_is_that_of_a_mutex) {
  auto client = connect_quietly();
  auto mutex = client.shared_mutex("m");
  warm_up(mutex.acquire());
  Lease lease;
  EXPECT_EQ(cost_of([&] { lease = mutex.acquire_shared(); }), "create2 getChildren");
  EXPECT_EQ(cost_of([&] { lease.release_for(kSoon); }), "delete");
  EXPECT_EQ(cost_of([&] { lease = mutex.acquire(); }), "create2 getChildren");
  EXPECT_EQ(cost_of([&] { lease.release_for(kSoon); }), "delete");
}

TEST_F(FamilyCost, of_becoming_a_reader_is_one_flight) {
  auto client = connect_quietly();
  auto mutex = client.shared_mutex("m");
  auto writing = mutex.acquire();
  Lease reading;
  EXPECT_EQ(cost_of([&] { reading = mutex.acquire_shared(); }), "multi exists getChildren");
  EXPECT_EQ(cost_of([&] { writing.release_for(kSoon); }), "delete");
}

TEST_F(FamilyCost, of_several_names_is_one_transaction_a_list_of_each_and_one_look) {
  auto client = connect_quietly();
  auto multi = client.multi_lock({{"a"}, {"b"}, {"c"}});
  warm_up(multi.acquire());
  Lease lease;
  EXPECT_EQ(cost_of([&] { lease = multi.acquire(); }), "multi getChildren getChildren getChildren exists");
  EXPECT_EQ(cost_of([&] { lease.release_for(kSoon); }), "delete delete delete");
}

TEST_F(FamilyCost, of_permits_is_a_turn_and_the_tickets) {
  auto client = connect_quietly();
  auto semaphore = client.semaphore("s", 3);
  warm_up(semaphore.acquire());
  Lease lease;
  EXPECT_EQ(cost_of([&] { lease = semaphore.acquire(); }), "create2 getChildren create2 getChildren delete");
  EXPECT_EQ(cost_of([&] { lease.release_for(kSoon); }), "delete");
  EXPECT_EQ(cost_of([&] { lease = semaphore.acquire(2); }), "create2 getChildren multi getChildren exists delete");
  EXPECT_EQ(cost_of([&] { lease.release_for(kSoon); }), "delete delete");
  auto counted = client.semaphore("s", client.shared_count("s/count", 3));
  EXPECT_EQ(cost_of([&] { lease = counted.acquire(); }),
            "create2 getChildren getData+watch create2 getChildren removeWatches delete");
}

TEST_F(FamilyCost, of_trying_for_permits_that_are_taken_is_one_read) {
  auto rival = connect_directly();
  auto held = rival.semaphore("s", 1).acquire();
  auto client = connect_quietly();
  auto semaphore = client.semaphore("s", 1);
  EXPECT_EQ(cost_of([&] { EXPECT_FALSE(semaphore.try_acquire()); }), "getChildren");
}

TEST_F(FamilyCost, of_listening_for_a_revocation_is_one_read_with_a_watch) {
  auto client = connect_quietly();
  auto lease = client.mutex("m").acquire();
  EXPECT_EQ(cost_of([&] {
              (void)lease.revoked();
              (void)lease.revoked();
              EXPECT_TRUE(eventually(kSoon, [&] { return server_.own_watch_count() == 1; }));
            }),
            "getData+watch");
}

TEST_F(FamilyCost, of_inspecting_is_a_list_and_a_read_of_each_ticket_and_nothing_is_written) {
  auto rival = connect_directly({.hand_over = {.count = 0}});
  auto a = rival.shared_mutex("m");
  auto b = rival.shared_mutex("m");
  const auto one = a.acquire_shared();
  const auto two = b.acquire_shared();
  auto client = connect_quietly();
  EXPECT_EQ(cost_of([&] { EXPECT_EQ(client.inspect("m").tickets.size(), 2U); }), "getChildren2 getData getData");
}

TEST_F(FamilyCost, of_readers_behind_a_writer_is_one_event_each) {
  constexpr std::size_t kReaders = 5;
  auto rival = connect_directly();
  auto writing = rival.shared_mutex("m").acquire();
  std::vector<Client> clients;
  std::vector<std::future<AcquireResult>> waiting;
  for (std::size_t i = 0; i < kReaders; ++i) clients.push_back(connect_quietly());
  for (auto& client : clients) {
    waiting.push_back(
        std::async(std::launch::async, [&] { return client.shared_mutex("m").try_acquire_shared_for(20s); }));
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.watch_count() == kReaders; }));
  proxy_.clear();
  writing.release();
  std::vector<AcquireResult> reading;
  for (auto& each : waiting) reading.push_back(each.get());
  for (const auto& each : reading) EXPECT_TRUE(each) << each.message();
  EXPECT_EQ(proxy_.count([](const Seen& seen) { return seen.is_event(); }), kReaders);
  EXPECT_EQ(requests(), "") << "a request after the event";
}

}  // namespace
}  // namespace holdfast::testing
