// loss.h -- when a hold was lost, and whether that was before a rival was granted the name.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>

#include "holdfast/holdfast.h"

namespace holdfast::testing {

class Loss {
 public:
  explicit Loss(const Lease& lease) : on_loss_(lease.lost(), [this] { at_.set_value(Clock::now()); }) {}
  // None: not yet.
  std::optional<Clock::time_point> at() const {
    if (lost_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    return lost_.get();
  }

 private:
  std::promise<Clock::time_point> at_;
  std::shared_future<Clock::time_point> lost_ = at_.get_future().share();
  std::stop_callback<std::function<void()>> on_loss_;
};

// The name is granted again after its holder has lost it, and with a larger token.
inline void expect_passed_on(Client& rival, const std::string& name, const Lease& lost, const Loss& loss,
                             std::chrono::milliseconds within) {
  auto result = rival.mutex(name).try_acquire_for(within);
  const auto granted = Clock::now();
  ASSERT_TRUE(result) << result.message();
  ASSERT_TRUE(loss.at()) << "two clients hold it";
  EXPECT_LT(*loss.at(), granted);
  EXPECT_LT(lost.valid_until(), granted);
  EXPECT_GT(result.lease().token(), lost.token());
}

}  // namespace holdfast::testing
