// The limit of one inspection, on the one service where so many directories cost nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/memory/memory_service.h"
#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast::memory {
namespace {

TEST(InspectLimit, is_told_before_a_tree_that_is_no_place_of_locks_has_been_read) {
  const auto service = Service::named("a large tree");
  std::vector<spi::Change> changes;
  for (int i = 0; i < 100'000; ++i) {
    changes.push_back({.what = spi::Change::What::create, .path = "/data/" + std::to_string(i)});
  }
  ASSERT_TRUE(service->commit({}, changes));
  auto client = Client::connect("memory:a large tree");
  try {
    client.inspect_all("data");
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_NE(std::string(error.what()).find("smaller root"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(client.inspect_all("data/7").empty());
}

}  // namespace
}  // namespace holdfast::memory
