// What the lock makes of a store that breaks its contract. (That every request is answered twice: tests/conformance/worlds/careless_world.cc.)
#include "testing/faulty_backend.h"

#include <gtest/gtest.h>

#include "backend/memory/memory_backend.h"
#include "holdfast/client.h"
#include "holdfast/error.h"
#include "support/eventually.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
constexpr auto kSoon = 10s;

TEST(StoreThatAnswersForTooFewTickets, is_refused_and_left_with_none) {
  const auto service = std::make_shared<memory::Service>();
  const auto make = [&](spi::Executor& executor) {
    auto store = std::make_unique<FaultyBackend>(
        executor, std::make_unique<memory::MemoryBackend>(executor, service, 10s),
        [service](spi::SessionId session) { return service->is_open(session); }, nullptr);
    store->answer_for_fewer();
    return store;
  };
  auto client = Client::connect(make);
  const auto both = client.multi_lock({{"a"}, {"b"}}).try_acquire_for(kSoon);
  EXPECT_EQ(both.error(), Errc::refused);
  EXPECT_EQ(both.message(), "the store has answered for 1 of 2 tickets");
  const auto one = client.mutex("a").try_acquire_for(kSoon);
  EXPECT_EQ(one.error(), Errc::refused);
  EXPECT_EQ(one.message(), "the store has answered for 0 of 1 tickets");
  EXPECT_TRUE(eventually(kSoon, [&] { return service->list("a").empty() && service->list("b").empty(); }));
}

}  // namespace
}  // namespace holdfast::testing
