// declared.h -- what the tests of declared locks have in common.
#pragma once

#include <gtest/gtest.h>
#include <holdfast/holdfast.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::testing {

using namespace std::chrono_literals;

// Long enough for a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kSoon{20};
// A wait that is meant to end without the lock.
inline constexpr std::chrono::milliseconds kNotLong{30};

// Two clients of one service.
class Declared : public ::testing::Test {
 protected:
  // Which names are held right now.
  std::vector<std::string> held() {
    std::vector<std::string> names;
    for (const auto& lock : rival.inspect_all()) {
      if (std::any_of(lock.tickets.begin(), lock.tickets.end(), [](const auto& each) { return each.holds; }))
        names.push_back(lock.name);
    }
    return names;
  }

  Client client = Client::connect("memory:");
  Client rival = Client::connect("memory:");
};

// What a call threw; nothing if it did not.
inline std::error_code code_of(const std::function<void()>& f) {
  try {
    f();
    return {};
  } catch (const Error& error) {
    return error.code();
  }
}
inline std::string sentence_of(const std::function<void()>& f) {
  try {
    f();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace holdfast::testing
