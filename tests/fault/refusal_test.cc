// docs/semantics.md, "Refusals": what the service will not change its mind about is an error at once.
#include "network.h"

namespace holdfast::testing {
namespace {

using Refusal = Network;

TEST_F(Refusal, a_name_below_an_ephemeral_node_fails_at_once_and_says_why) {
  ASSERT_EQ(zoo_create(observer_.handle(), "/eph", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0), ZOK);
  // However long it would go on trying for the service itself.
  auto client = connect_directly({.retry = RetryPolicy::forever(std::chrono::milliseconds(10))});
  for (const auto* name : {"eph/child", "eph/child/below", "eph"}) {
    auto mutex = client.mutex(name);
    const auto result = mutex.try_acquire_until(Clock::time_point::max());
    EXPECT_EQ(result.error(), Errc::refused) << name << ": " << result.message();
    EXPECT_NE(result.message().find("an ephemeral node has no children"), std::string::npos) << result.message();
    EXPECT_EQ(mutex.try_acquire().error(), Errc::refused) << name;
  }
  auto several = client.multi_lock({{"fine"}, {"eph/child"}});
  EXPECT_EQ(several.try_acquire_until(Clock::time_point::max()).error(), Errc::refused);
  auto semaphore = client.semaphore("eph/permits", 2);
  EXPECT_EQ(semaphore.try_acquire_until(Clock::time_point::max()).error(), Errc::refused);
  EXPECT_TRUE(empties("fine"));
}

// The names that ZooKeeper itself would refuse either work or are refused before anything is sent.
TEST_F(Refusal, no_name_that_we_take_is_refused_by_the_service) {
  auto client = connect_directly();
  for (std::uint32_t code : {0x21U, 0x5cU, 0xa0U, 0xd7ffU, 0xe000U, 0xf8ffU, 0xf900U, 0xffefU, 0xfff0U, 0xfffdU,
                             0xffffU, 0x10000U, 0x1f512U, 0x20bb7U, 0x1ffffU, 0xe0001U, 0xf0000U, 0x10ffffU}) {
    std::string name = "u-";
    if (code < 0x80) {
      name += static_cast<char>(code);
    } else if (code < 0x800) {
      name += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    } else if (code < 0x10000) {
      name += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
               static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      name += {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3f)),
               static_cast<char>(0x80 | (code >> 6 & 0x3f)), static_cast<char>(0x80 | (code & 0x3f))};
    }
    try {
      auto mutex = client.mutex(name);
      const auto result = mutex.try_acquire_for(kSoon);
      EXPECT_TRUE(result) << std::hex << code << ": " << result.message();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument) << error.what();
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
