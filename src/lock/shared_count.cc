#include "holdfast/shared_count.h"

#include "lock/count.h"
#include "lock/unusable.h"

namespace holdfast {
namespace lock {

namespace {

spi::Reply<std::int32_t> read_count(Core& core, const std::string& full_name) {
  return core.ask<std::int32_t>(
      [&](spi::QueueBackend& backend, auto done) { backend.read_count(full_name, std::move(done)); });
}

}  // namespace

void create_count(Core& core, const std::string& full_name, std::int32_t initial) {
  const auto read = read_count(core, full_name);
  if (read) return;
  if (read.status != spi::Status::absent) throw Error(errc_of(read.status), read.detail);
  const auto made = core.ask<spi::Nothing>(
      [&](spi::QueueBackend& backend, auto done) { backend.make_count(full_name, initial, std::move(done)); });
  // Another client may have been faster, so the outcome does not matter: the count has to exist now.
  const auto again = read_count(core, full_name);
  if (again) return;
  if (!made) throw Error(errc_of(made.status), made.detail);
  throw Error(errc_of(again.status), again.detail);
}

}  // namespace lock

namespace {

// A count that does not exist is a refusal, not a lost session.
[[noreturn]] void fail(spi::Status status, const std::string& detail) {
  throw Error(status == spi::Status::absent ? Errc::refused : lock::errc_of(status), detail);
}

}  // namespace

std::int32_t SharedCount::get() const {
  lock::check_usable(core_.get());
  const auto reply = lock::read_count(*core_, name_);
  if (!reply) fail(reply.status, reply.detail);
  return reply.value;
}

void SharedCount::set(std::int32_t count) {
  lock::check_usable(core_.get());
  const auto reply = core_->ask<spi::Nothing>(
      [&](spi::QueueBackend& backend, auto done) { backend.set_count(name_, count, std::move(done)); });
  if (!reply) fail(reply.status, reply.detail);
}

}  // namespace holdfast
