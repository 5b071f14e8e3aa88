#include "holdfast/declared.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "declare/function_name.h"
#include "declare/locks.h"
#include "declare/name_template.h"
#include "holdfast/error.h"

namespace holdfast::declare {
namespace {

Error invalid(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

Arguments no_arguments() {
  return {.fit = [](std::size_t, std::size_t) { return Fit::no_such_argument; },
          .append = [](const void*, std::size_t, std::size_t, std::string&) { return false; },
          .call = nullptr};
}

// Any argument whatever, before there is one.
Arguments any_arguments() {
  return {.fit = [](std::size_t, std::size_t) { return Fit::yes; },
          .append =
              [](const void*, std::size_t argument, std::size_t, std::string& text) {
                text += std::to_string(argument);
                return true;
              },
          .call = nullptr};
}

std::vector<std::string> texts_of(const LockSpec& spec) {
  if (spec.names.empty()) return {spec.name};
  if (!spec.name.empty())
    throw invalid(fmt::format("a lock is declared with the name \"{}\" and with names; it has either", spec.name));
  if (spec.names.size() > 1 && spec.type.value_or(LockType::multi) != LockType::multi) {
    throw invalid(
        fmt::format("a lock is declared with {} names; only the type multi can have several", spec.names.size()));
  }
  return spec.names;
}

}  // namespace

// A specification, read once.
class Plan {
 public:
  Plan(Client& client, LockSpec spec, std::vector<std::string> keys)
      : locks_(Locks::of(client)), spec_(std::move(spec)) {
    for (const auto& text : texts_of(spec_)) names_.emplace_back(text, keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::none_of(names_.begin(), names_.end(), [&](const auto& name) { return name.uses(i); })) {
        throw invalid(fmt::format("no placeholder asks for the projection \"{}\"", keys[i]));
      }
    }
    if (spec_.wait.value_or(spec_.kDefaultWait).count() < 0) {
      throw invalid(fmt::format("a lock is declared with a wait of {} ms; it cannot be negative", spec_.wait->count()));
    }
  }

  const LockSpec& spec() const { return spec_; }

  void check(Fit (*fit)(std::size_t argument, std::size_t projection)) const {
    for (const auto& name : names_) name.check(fit);
  }

  // The lock object of a call, and what it wants of it. Throws Error(invalid_argument).
  std::pair<std::shared_ptr<LockObject>, Wanted> find(const Arguments& arguments) const {
    locks_->check_usable();
    auto wanted = want(arguments);
    return {locks_->find(wanted), wanted};
  }

 private:
  Wanted want(const Arguments& arguments) const {
    Wanted wanted;
    wanted.options = {spec_.min_hold, spec_.max_hold, spec_.lock_delay, spec_.purpose};
    for (const auto& name : names_) {
      auto made = name.name(arguments);
      const bool is_new = std::find(wanted.names.begin(), wanted.names.end(), made) == wanted.names.end();
      if (is_new) wanted.names.push_back(std::move(made));
    }
    const auto settings = locks_->settings(wanted.names.front());
    const auto by_default = names_.size() > 1 ? LockType::multi : settings.type.value_or(LockType::mutex);
    wanted.type = spec_.type.value_or(by_default);
    wanted.wait = spec_.wait ? *spec_.wait : settings.wait.value_or(spec_.kDefaultWait);
    if (wanted.type == LockType::semaphore) {
      const auto permits = spec_.permits ? spec_.permits : settings.permits;
      if (!permits) throw invalid(fmt::format("the semaphore {} is declared without permits", wanted.names.front()));
      wanted.permits = *permits;
    }
    return wanted;
  }

  const std::shared_ptr<Locks> locks_;
  const LockSpec spec_;
  std::vector<NameTemplate> names_;
};

namespace {

Held acquire_for(const Plan& plan, const Arguments& arguments, std::stop_token stop) {
  if (!stop.stop_possible()) stop = plan.spec().stop;
  try {
    auto [object, wanted] = plan.find(arguments);
    auto result = object->acquire(wanted, stop);
    const bool is_late =
        result.error() == Errc::timed_out || (result.error() == Errc::cancelled && stop.stop_requested());
    return {std::move(object), std::move(result), is_late};
  } catch (const Error& error) {
    return {nullptr, AcquireResult(error.code(), error.what(), {}, {}), false};
  }
}

}  // namespace

Declaration::Declaration(Client& client, LockSpec spec, std::vector<std::string> keys)
    : plan_(std::make_shared<const Plan>(client, std::move(spec), std::move(keys))) {
  plan_->find(any_arguments());
}

void Declaration::check(Fit (*fit)(std::size_t argument, std::size_t projection)) const { plan_->check(fit); }

Held Declaration::acquire(const Arguments& arguments, std::stop_token stop) const {
  return acquire_for(*plan_, arguments, std::move(stop));
}

Held acquire(Client& client, const LockSpec& spec, std::string_view function) {
  auto named = spec;
  if (named.name.empty() && named.names.empty() && !function.empty()) named.name = function_name(function);
  return acquire_for(Plan(client, std::move(named), {}), no_arguments(), {});
}

Held::~Held() {
  if (lease().release() == Errc::session_lost) {
    base::log().warn("the lock {} was lost before the function that held it had returned", lease().ticket());
  }
}

void Held::fail() const { throw Error(result_.error(), result_.message()); }

void Held::fail_unless_late(bool may_throw) const {
  if (is_late_) return;
  if (may_throw) fail();
  base::log().warn("a noexcept function was not called, as it did not get its lock: {}", result_.message());
}

}  // namespace holdfast::declare
