// importer_test.cc -- what the importer does when it loses its lock. docs/testing.md quotes this file.
#include "importer.h"

#include <gtest/gtest.h>
#include <holdfast/testing/faulty_service.h>

#include <condition_variable>
#include <mutex>

using namespace std::chrono_literals;
using holdfast::testing::FaultyService;
using holdfast::testing::Operation;

TEST(Importer, stops_when_its_session_expires) {
  FaultyService service;
  auto client = service.connect("importer");
  std::vector<std::string> written;
  const auto result = import_all(client, {"a", "b", "c"}, [&](const std::string& order, auto, const auto&) {
    written.push_back(order);
    if (order == "b") service.expire("importer");
  });
  EXPECT_EQ(result, Imported::interrupted);
  EXPECT_EQ(written, (std::vector<std::string>{"a", "b"}));
}

TEST(Importer, stops_when_it_cannot_reach_the_service_for_too_long) {
  FaultyService service;
  auto client = service.connect("importer", {.session_timeout = 200ms});
  std::vector<std::string> written;
  const auto result = import_all(client, {"a", "b", "c"}, [&](const std::string& order, auto, const auto&) {
    written.push_back(order);
    if (order != "a") return;
    service.cut("importer");
    while (client.state() != holdfast::ConnectionState::lost) std::this_thread::yield();  // by its own clock
  });
  EXPECT_EQ(result, Imported::interrupted);
  EXPECT_EQ(written, std::vector<std::string>{"a"});
}

TEST(Importer, ends_a_long_write_when_lost_fires) {
  FaultyService service;
  auto client = service.connect("importer");
  const auto result = import_all(client, {"a", "b"}, [&](const auto&, auto, const std::stop_token& lost) {
    service.expire("importer");
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, lost, [] { return false; });  // a write that only `lost` can end
  });
  EXPECT_EQ(result, Imported::interrupted);
}

TEST(Importer, does_not_notice_a_connection_that_is_back_in_time) {
  FaultyService service;
  auto client = service.connect("importer");
  const auto result = import_all(client, {"a", "b"}, [&](const auto&...) {
    service.cut("importer");
    service.mend("importer");
  });
  EXPECT_EQ(result, Imported::all);
}

TEST(Importer, gets_its_lock_although_the_reply_is_lost) {
  FaultyService service;
  auto client = service.connect("importer");
  service.lose_next_reply("importer", Operation::enqueue);
  EXPECT_EQ(import_all(client, {"a"}, [](const auto&...) {}), Imported::all);
  auto rival = service.connect("rival");
  EXPECT_TRUE(rival.mutex("import").try_acquire_for(10s)) << "a ticket was left behind";
}
