// declared.h -- one line around a function, and each call of it holds a lock.
//
//   locked(client, spec, f)       a function as f, whose calls hold the lock; its name may be made from their arguments
//   with_lock(client, spec, f)    calls f now, with the lock
//   HOLDFAST_LOCKED(client)       holds a lock named after the function that it stands in, until the end of the scope
//
// Example:
//
//   auto ship = holdfast::locked(client, "orders/{0}", [&](int order) { shipped.push_back(order); });
//   ship(7);  // holds orders/7, meanwhile
//
// Each takes a LockSpec (lock_spec.h), or only a name. In a specification the words of starters for Java mean what their users meant:
// `wait` is how long to wait for the lock (3 s by default), and not when it expires.
//
//   what ends the call             what happens
//   it returns                     the lock is released, then the result is there
//   it throws                      the lock is released, then the exception is there
//   the lock does not come in time, or a stop is requested
//                                  nothing was called. Error(timed_out or cancelled) is thrown; or as on_timeout says
//   another failure (lockable.h)   nothing was called, Error is thrown
//
// on_timeout, after the function:
//
//   holdfast::skip     the call returns std::optional of the result: empty if it was skipped. Instead of a reference, of a
//                      std::reference_wrapper; instead of void, bool
//   another function   is called with the same arguments, or with the AcquireResult before them, which says who holds; its result is
//                      the result
//
// Re-entrant. All declared locks of one client that have one name, and are of one kind (read and write are), are one lock object: a
// function that calls itself, or another one that holds the same lock, goes on immediately. Not so the types `non_reentrant`, of which a thread
// waits for itself, and `semaphore`, where it takes another permit.
//
// If the hold is lost during the call, that goes on, its result counts, and a warning is logged. A function that has to know takes a Lease& as
// its first parameter, and is given the lease of the call.
//
// noexcept: a function that is noexcept is so with its lock too. As there is no exception that could say that the lock did not come, it needs
// holdfast::skip or a noexcept fallback (otherwise it does not compile), which then stand for every failure; those other than timed_out and
// cancelled are logged. As in every noexcept function, std::terminate is called if memory ends or a projection throws.
//
// A specification that makes no sense is Error(invalid_argument) when the function is declared, as far as it can be known by then: all but what
// an argument does to the name; and, of a generic function, whether it has the arguments that the name asks for.
//
// Ownership: a locked function may outlive its Client; its calls then throw `cancelled`. It can be copied if f can, and moved.
//
// Thread safety: as f. Calls from many threads at the same time are what it is for.
//
// Cost: beside that of the lock, less than 1 us for each call; 3 us for a HOLDFAST_LOCKED without a name, which is made of the signature. A client keeps up to 1,024 lock objects that are not in use, for the next call.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/acquire_result.h"
#include "holdfast/language.h"
#include "holdfast/lock_name.h"
#include "holdfast/lock_spec.h"

namespace holdfast {

class Client;

// For on_timeout: the call is left out.
struct Skip {};
inline constexpr Skip skip{};

namespace declare {

class Plan;

// The lock of one call, or why there is none.
class Held {
 public:
  Held(std::shared_ptr<void> object, AcquireResult result, bool is_late) noexcept
      : object_(std::move(object)), result_(std::move(result)), is_late_(is_late) {}
  Held(Held&&) noexcept = default;
  Held& operator=(Held&&) = delete;
  ~Held();  // releases; logs it if the hold was lost meanwhile

  explicit operator bool() const noexcept { return static_cast<bool>(result_); }
  Lease& lease() noexcept { return result_.lease(); }
  const AcquireResult& result() const noexcept { return result_; }

  [[noreturn]] void fail() const;
  // There is no lock. Returns if it did not come in time, or a stop was requested; otherwise throws or, where nothing may be thrown, logs why.
  void fail_unless_late(bool may_throw) const;

 private:
  std::shared_ptr<void> object_;  // keeps the lock object, so that this thread can re-enter
  AcquireResult result_;
  bool is_late_;
};

// What a specification is for one client. Copies share it.
class Declaration {
 public:
  // `keys`: of the projections.
  Declaration(Client& client, LockSpec spec, std::vector<std::string> keys);

  // Throws Error(invalid_argument) if the name asks for what calls with such arguments do not have.
  void check(Fit (*fit)(std::size_t argument, std::size_t projection)) const;
  // Why there is no lock is in the result. `stop`: instead of the specification's, if a stop can be requested.
  Held acquire(const Arguments& arguments, std::stop_token stop = {}) const;

 private:
  std::shared_ptr<const Plan> plan_;
};

// For a block of the program. Without a name in `spec`, that of the function counts, as the compiler spells it.
Held acquire(Client& client, const LockSpec& spec, std::string_view function = {});

// Throws if it does not come in time.
struct Throw {};

template <class F, class... Args>
concept WantsLease = !std::is_invocable_v<F, Args...> && std::is_invocable_v<F, Lease&, Args...>;
template <class F, class... Args>
concept Callable = std::is_invocable_v<F, Args...> || WantsLease<F, Args...>;

// With the arguments alone if that is possible, and otherwise with a lease, or why there is none, before them.
template <class F, class First, class... Args>
requires(std::is_invocable_v<F&, Args...> || std::is_invocable_v<F&, First&, Args...>) decltype(auto)
    call(F& f, First& first, Args&&... args) noexcept(std::is_nothrow_invocable_v<F&, Args...> ||
                                                      (!std::is_invocable_v<F&, Args...> &&
                                                       std::is_nothrow_invocable_v<F&, First&, Args...>)) {
  if constexpr (std::is_invocable_v<F&, Args...>) {
    return std::invoke(f, std::forward<Args>(args)...);
  } else {
    return std::invoke(f, first, std::forward<Args>(args)...);
  }
}

template <class F, class First, class... Args>
inline constexpr bool is_noexcept = noexcept(call(std::declval<F&>(), std::declval<First&>(), std::declval<Args>()...));

template <class F, class... Args>
using ResultOf = decltype(call(std::declval<F&>(), std::declval<Lease&>(), std::declval<Args>()...));

template <class OnTimeout, class R>
consteval auto what_is_returned() {
  if constexpr (!std::is_same_v<OnTimeout, Skip>) {
    return std::type_identity<R>();
  } else if constexpr (std::is_void_v<R>) {
    return std::type_identity<bool>();
  } else if constexpr (std::is_reference_v<R>) {
    return std::type_identity<std::optional<std::reference_wrapper<std::remove_reference_t<R>>>>();
  } else {
    return std::type_identity<std::optional<R>>();
  }
}
template <class OnTimeout, class F, class... Args>
using Returned = typename decltype(what_is_returned<std::remove_const_t<OnTimeout>, ResultOf<F, Args...>>())::type;

template <class R, class Fallback, class... Args>
R call_instead(Fallback& fallback, const AcquireResult& why, Args&&... args) {
  static_assert(
      std::is_invocable_v<Fallback&, Args...> || std::is_invocable_v<Fallback&, const AcquireResult&, Args...>,
      "a fallback takes the arguments of the function, or an AcquireResult before them");
  using Instead = decltype(call(fallback, why, std::forward<Args>(args)...));
  if constexpr (std::is_void_v<R>) {
    static_cast<void>(call(fallback, why, std::forward<Args>(args)...));
  } else {
    static_assert(std::is_convertible_v<Instead, R> && (!std::is_reference_v<R> || std::is_reference_v<Instead>),
                  "a fallback returns what the function returns");
    return call(fallback, why, std::forward<Args>(args)...);
  }
}

// With what acquire() has returned.
template <bool kMayThrow, class F, class OnTimeout, class... Args>
Returned<OnTimeout, F, Args...> run(Held held, F& f, OnTimeout& on_timeout, Args&&... args) {
  using R = ResultOf<F, Args...>;
  constexpr bool kSkip = std::is_same_v<std::remove_const_t<OnTimeout>, Skip>;
  if (held) {
    if constexpr (kSkip && std::is_void_v<R>) {
      call(f, held.lease(), std::forward<Args>(args)...);
      return true;
    } else {
      return call(f, held.lease(), std::forward<Args>(args)...);
    }
  }
  if constexpr (std::is_same_v<std::remove_const_t<OnTimeout>, Throw>) {
    held.fail();
  } else {
    held.fail_unless_late(kMayThrow);
    if constexpr (kSkip) {
      return {};
    } else {
      return call_instead<R>(on_timeout, held.result(), std::forward<Args>(args)...);
    }
  }
}

inline std::stop_token first_stop_token() { return {}; }
template <class First, class... Rest>
std::stop_token first_stop_token(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<First, std::stop_token>) {
    return first;
  } else {
    return first_stop_token(rest...);
  }
}

// What F is called with, where it says so itself: the types of its parameters, without a Lease& at the beginning.
template <class Projections, class R, class... Params>
void check_parameters(const Declaration& declaration, const std::function<R(Params...)>*) {
  declaration.check(&CallArguments<Projections, std::remove_cvref_t<Params>...>::fit);
}
template <class Projections, class R, class... Params>
void check_parameters(const Declaration& declaration, const std::function<R(Lease&, Params...)>*) {
  declaration.check(&CallArguments<Projections, std::remove_cvref_t<Params>...>::fit);
}
template <class Projection, class... Args>
concept FitsOneOf = (ProjectsToName<Projection, std::remove_cvref_t<Args>> || ...);
template <class F>
concept SaysItsParameters = requires(F f) {
  std::function(f);
};

}  // namespace declare

// What locked() returns: called as F is.
template <class F, class OnTimeout, class... Projections>
class LockedFunction {
 public:
  LockedFunction(Client& client, ProjectedSpec<Projections...> spec, F f, OnTimeout on_timeout)
      : declaration_(client, std::move(spec.spec), std::move(spec.keys)),
        projections_(std::move(spec.projections)),
        f_(std::move(f)),
        on_timeout_(std::move(on_timeout)) {
    if constexpr (declare::SaysItsParameters<F>) {
      declare::check_parameters<std::tuple<Projections...>>(declaration_,
                                                            static_cast<decltype(std::function(f_))*>(nullptr));
    }
  }

  template <class... Args>
  requires declare::Callable<F&, Args...> declare::Returned<OnTimeout, F, Args...>
  operator()(Args&&... args) noexcept(declare::is_noexcept<F, Lease, Args...>) {
    return call(f_, on_timeout_, std::forward<Args>(args)...);
  }
  template <class... Args>
  requires declare::Callable<const F&, Args...> declare::Returned<OnTimeout, const F, Args...>
  operator()(Args&&... args) const noexcept(declare::is_noexcept<const F, Lease, Args...>) {
    return call(f_, on_timeout_, std::forward<Args>(args)...);
  }

 private:
  template <class Function, class Instead, class... Args>
  decltype(auto) call(Function& f, Instead& on_timeout, Args&&... args) const {
    static_assert((declare::FitsOneOf<Projections, Args...> && ...), "no argument of this call fits the projection");
    constexpr bool kNoexcept = declare::is_noexcept<Function, Lease, Args...>;
    static_assert(!kNoexcept || !std::is_same_v<OnTimeout, declare::Throw>,
                  "a noexcept function needs to be told what to do when the lock does not come: holdfast::skip, or a "
                  "noexcept fallback");
    if constexpr (kNoexcept && !std::is_same_v<OnTimeout, Skip> && !std::is_same_v<OnTimeout, declare::Throw>) {
      static_assert(declare::is_noexcept<Instead, const AcquireResult, Args...>,
                    "the fallback of a noexcept function must be noexcept");
    }
    const declare::CallArguments<std::tuple<Projections...>, std::remove_cvref_t<Args>...> arguments(projections_,
                                                                                                     args...);
    return declare::run<!kNoexcept>(declaration_.acquire(arguments.view(), declare::first_stop_token(args...)), f,
                                    on_timeout, std::forward<Args>(args)...);
  }

  declare::Declaration declaration_;
  std::tuple<Projections...> projections_;
  F f_;
  OnTimeout on_timeout_;
};

// A function as `f`, whose calls hold the lock. `f`: anything that std::invoke takes. Throws Error(invalid_argument).
template <class F, class OnTimeout = declare::Throw>
LockedFunction<std::decay_t<F>, std::decay_t<OnTimeout>> locked(Client& client, LockSpec spec, F&& f,
                                                                OnTimeout&& on_timeout = {}) {
  return {client, {std::move(spec), {}, {}}, std::forward<F>(f), std::forward<OnTimeout>(on_timeout)};
}
template <class F, class OnTimeout = declare::Throw, class... Projections>
LockedFunction<std::decay_t<F>, std::decay_t<OnTimeout>, Projections...> locked(Client& client,
                                                                                ProjectedSpec<Projections...> spec,
                                                                                F&& f, OnTimeout&& on_timeout = {}) {
  return {client, std::move(spec), std::forward<F>(f), std::forward<OnTimeout>(on_timeout)};
}
template <std::convertible_to<std::string_view> Name, class F, class OnTimeout = declare::Throw>
LockedFunction<std::decay_t<F>, std::decay_t<OnTimeout>> locked(Client& client, const Name& name, F&& f,
                                                                OnTimeout&& on_timeout = {}) {
  return locked(client, LockSpec{.name = std::string(std::string_view(name))}, std::forward<F>(f),
                std::forward<OnTimeout>(on_timeout));
}

// Calls `f` with the lock, and returns what it returns. The name has no placeholders; lock_name() makes one from values.
template <class F, class OnTimeout = declare::Throw>
declare::Returned<std::remove_reference_t<OnTimeout>, F> with_lock(Client& client, const LockSpec& spec, F&& f,
                                                                   OnTimeout&& on_timeout = {}) {
  return declare::run<true>(declare::acquire(client, spec), f, on_timeout);
}
template <std::convertible_to<std::string_view> Name, class F, class OnTimeout = declare::Throw>
declare::Returned<std::remove_reference_t<OnTimeout>, F> with_lock(Client& client, const Name& name, F&& f,
                                                                   OnTimeout&& on_timeout = {}) {
  return with_lock(client, LockSpec{.name = std::string(std::string_view(name))}, std::forward<F>(f),
                   std::forward<OnTimeout>(on_timeout));
}

namespace declare {

// What HOLDFAST_LOCKED makes.
class Scope {
 public:
  Scope(const char* function, Client& client, const LockSpec& spec = {}) : held_(acquire(client, spec, function)) {
    if (!held_) held_.fail();
  }
  template <std::convertible_to<std::string_view> Name>
  Scope(const char* function, Client& client, const Name& name)
      : Scope(function, client, LockSpec{.name = std::string(std::string_view(name))}) {}

 private:
  Held held_;
};

}  // namespace declare
}  // namespace holdfast

// HOLDFAST_LOCKED(client); HOLDFAST_LOCKED(client, "orders"); HOLDFAST_LOCKED(client, {.name = "orders", .wait = 5s});
//
// From here to the end of the scope this thread holds the lock. Throws Error if it does not come in time, and the function is left.
//
// Without a name it is that of the function with its namespaces and classes, "shop::Orders::export_all", as g++ and clang both spell it:
// without parameters and template arguments, so that overloads and instances of a template share one lock. An anonymous namespace is
// "(anonymous)", a lambda "(lambda)". What is in an inline namespace has other names with clang, and needs one from you.
#define HOLDFAST_LOCKED(...) \
  const ::holdfast::declare::Scope HOLDFAST_SCOPE_NAME(__COUNTER__) { __PRETTY_FUNCTION__, __VA_ARGS__ }
#define HOLDFAST_SCOPE_NAME(number) HOLDFAST_SCOPE_NAME_AT(number)
#define HOLDFAST_SCOPE_NAME_AT(number) holdfast_locked_##number
