#include "backend/zookeeper/status.h"

#include <gtest/gtest.h>

#include <map>

namespace holdfast::zookeeper {
namespace {

using spi::Status;

// Every code that ZooKeeper 3.9 has (KeeperException.Code), and what becomes of a request that it answers. Only what may have happened
// all the same, or has not been looked at, is ever tried again.
const std::map<int, Status> kCodes{
    {0, Status::ok},         {-1, Status::unknown},   {-2, Status::unknown},
    {-3, Status::unknown},   {-4, Status::unknown},   {-5, Status::denied},
    {-6, Status::denied},    {-7, Status::unknown},   {-8, Status::denied},
    {-12, Status::denied},   {-13, Status::denied},   {-14, Status::denied},
    {-100, Status::denied},  {-101, Status::absent},  {-102, Status::denied},
    {-103, Status::denied},  {-108, Status::denied},  {-110, Status::unknown},
    {-111, Status::denied},  {-112, Status::expired}, {-113, Status::denied},
    {-114, Status::denied},  {-115, Status::denied},  {-116, Status::closed},
    {-118, Status::unknown}, {-119, Status::denied},  {-120, Status::denied},
    {-121, Status::denied},  {-122, Status::unknown}, {-123, Status::denied},
    {-124, Status::denied},  {-125, Status::denied},  {-127, Status::unreachable},
};

TEST(Status, of_every_code_of_zookeeper_says_whether_asking_again_can_help) {
  for (const auto& [code, status] : kCodes) EXPECT_EQ(status_of(static_cast<Code>(code)), status) << code;
}

TEST(Status, of_a_code_that_is_not_known_is_a_no) {
  for (const int code : {-126, -128, -999, 1}) EXPECT_EQ(status_of(static_cast<Code>(code)), Status::denied) << code;
}

TEST(Status, has_words_for_every_code) {
  for (const auto& [code, status] : kCodes) EXPECT_FALSE(to_text(static_cast<Code>(code)).empty());
  EXPECT_EQ(describe(Code::quota_exceeded, "create /a"), "create /a: a quota of the server is used up");
}

}  // namespace
}  // namespace holdfast::zookeeper
