// retry_keys.h -- retry policies in a file, by our names and by those of Java's starters.
//
//   retry: {policy: forever, interval: 3s}
//
//   zk-lock:
//     retry-policy: retry-forever
//     retry_forever: {retry-interval-ms: 3000}
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "holdfast/retry.h"
#include "settings/form.h"

namespace holdfast::settings {

// What the policies are made of; each takes some of them.
struct RetryValues {
  std::size_t policy = 0;  // of kRetryPolicies
  std::chrono::milliseconds base{};
  std::chrono::milliseconds max_delay{};
  std::chrono::milliseconds interval{};
  std::chrono::milliseconds max_elapsed{};
  std::size_t max_retries = 0;
  std::size_t n = 0;
};

// One value of one policy.
struct RetryValue {
  std::string_view key;    // of ours: interval
  std::string_view java;   // of theirs, in the policy's own block: retry_interval_ms
  std::string_view usual;  // what counts if nothing is said
};

struct RetryPolicyKey {
  std::string_view name;  // of ours: forever
  std::string_view java;  // of theirs: retry-forever; also of its block, with _ or -
  std::vector<RetryValue> values;
};

const std::vector<RetryPolicyKey>& retry_policies();

RetryPolicy make_policy(const RetryValues& values);

}  // namespace holdfast::settings
