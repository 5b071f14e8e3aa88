#include "holdfast/shared_count.h"

#include <fmt/format.h>

#include "lock/count.h"
#include "lock/unusable.h"

namespace holdfast {
namespace lock {

void create_count(Core& core, const std::string& full_name, std::int32_t initial) {
  const NodeName node(full_name);
  const auto read = core.ask<std::string>(
      [&](spi::QueueBackend& backend, auto done) { backend.read(node.queue, node.ticket, std::move(done)); });
  if (read) return;
  if (read.status != spi::Status::absent) throw Error(errc_of(read.status), read.detail);
  const auto made = core.ask<spi::Nothing>([&](spi::QueueBackend& backend, auto done) {
    backend.commit(
        {}, {{.what = spi::Change::What::create, .path = backend.path(full_name), .text = encode_count(initial)}},
        std::move(done));
  });
  // Whatever became of it, somebody may have been faster: what counts is that it is there.
  const auto again = core.ask<std::string>(
      [&](spi::QueueBackend& backend, auto done) { backend.read(node.queue, node.ticket, std::move(done)); });
  if (again) return;
  if (!made) throw Error(errc_of(made.status), made.detail);
  throw Error(errc_of(again.status), again.detail);
}

}  // namespace lock

std::int32_t SharedCount::get() const {
  lock::check_usable(core_.get());
  const lock::NodeName node(name_);
  const auto reply = core_->ask<std::string>(
      [&](spi::QueueBackend& backend, auto done) { backend.read(node.queue, node.ticket, std::move(done)); });
  if (!reply) {
    throw Error(reply.status == spi::Status::absent ? Errc::refused : lock::errc_of(reply.status), reply.detail);
  }
  const auto count = lock::decode_count(reply.value);
  if (!count) {
    throw Error(Errc::refused, fmt::format("{} holds {} bytes; a shared count has 4", path_, reply.value.size()));
  }
  return *count;
}

void SharedCount::set(std::int32_t count) {
  lock::check_usable(core_.get());
  const lock::NodeName node(name_);
  const auto reply = core_->ask<spi::Nothing>([&](spi::QueueBackend& backend, auto done) {
    backend.write(node.queue, node.ticket, lock::encode_count(count), std::move(done));
  });
  if (!reply) {
    throw Error(reply.status == spi::Status::absent ? Errc::refused : lock::errc_of(reply.status), reply.detail);
  }
}

}  // namespace holdfast
