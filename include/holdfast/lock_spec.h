// lock_spec.h -- what a declared lock is: its name, its kind, how long to wait for it and how long to hold it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/language.h"
#include "holdfast/lock_settings.h"

namespace holdfast {

template <class... Projections>
struct ProjectedSpec;

// For locked(), with_lock() and HOLDFAST_LOCKED (declared.h).
//
// Example:
//
//   using namespace std::chrono_literals;
//   const holdfast::LockSpec spec{.name = "orders/{0}", .wait = 5s, .max_hold = 1min};
//
// What is left out is as the client's settings of that name have it at that call (ClientOptions::locks, lock_settings.h), and otherwise as
// below.
struct LockSpec {
  static constexpr std::chrono::milliseconds kDefaultWait{3'000};

  // A name, or for locked() a text with placeholders for its arguments (lock_name.h).
  std::string name{};
  // Instead of `name`: all of these at the same time (a MultiLock). One that comes twice counts once, as when money goes from an account to
  // the same account.
  std::vector<std::string> names{};
  // By default a mutex. `multi` with one name is a MultiLock of that.
  std::optional<LockType> type{};
  // How long to wait for the lock, at most; by default kDefaultWait. Not how long to hold it. Zero: not at all; milliseconds::max(): as long
  // as it takes.
  std::optional<std::chrono::milliseconds> wait{};
  // These four as in LockOptions.
  std::chrono::milliseconds min_hold{0};
  std::chrono::milliseconds max_hold{0};
  std::chrono::milliseconds lock_delay{0};
  std::string purpose{};
  // Of a semaphore, which has to have some; each call takes one.
  std::optional<std::int64_t> permits{};
  // Ends a wait: `cancelled`. An argument of the call that is a std::stop_token counts instead.
  std::stop_token stop{};

  // Names a part of an argument for a placeholder such as {0.id}: a pointer to a member, or anything else that can be called with one
  // argument. May be repeated.
  //
  //   holdfast::LockSpec{.name = "member-{0.id}"}.arg("id", &Member::id)
  template <class Projection>
  ProjectedSpec<std::decay_t<Projection>> arg(std::string key, Projection&& projection) const;
};

// A LockSpec with projections. Made by LockSpec::arg().
template <class... Projections>
struct ProjectedSpec {
  LockSpec spec;
  std::vector<std::string> keys;
  std::tuple<Projections...> projections;

  template <class Projection>
  ProjectedSpec<Projections..., std::decay_t<Projection>> arg(std::string key, Projection&& projection) && {
    keys.push_back(std::move(key));
    return {std::move(spec), std::move(keys),
            std::tuple_cat(std::move(projections),
                           std::tuple<std::decay_t<Projection>>(std::forward<Projection>(projection)))};
  }
};

template <class Projection>
ProjectedSpec<std::decay_t<Projection>> LockSpec::arg(std::string key, Projection&& projection) const {
  return ProjectedSpec<>{*this, {}, {}}.arg(std::move(key), std::forward<Projection>(projection));
}

}  // namespace holdfast
