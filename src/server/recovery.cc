#include "server/recovery.h"

#include <algorithm>
#include <string_view>

namespace holdfast::server {
namespace {

class EngineRecovery final : public store::Recovery {
 public:
  EngineRecovery(engine::Engine& engine, engine::Moment now) : engine_(engine), now_(now) {}

  tl::expected<void, std::string> snapshot_record(std::string_view bytes) override {
    if (engine_.restore(bytes, now_)) return {};
    return tl::unexpected(std::string("is no node or session that this version knows"));
  }
  tl::expected<void, std::string> log_record(store::Index, std::string_view bytes) override {
    if (engine_.replay(bytes, now_)) return {};
    return tl::unexpected(std::string("is no change that this version knows"));
  }

 private:
  engine::Engine& engine_;
  const engine::Moment now_;
};

// A request changes little more than what it brings along.
constexpr std::size_t kTransactionPerFrame = 4;
// Half of what a record may be: the other half is room for all that is in there beside paths, data and names.
constexpr std::size_t kLongestTransaction = store::kRecordLimit / 2;
static_assert(engine::Rules{}.ephemeral_bytes <= kLongestTransaction);

// Bytes are wrong or missing, and not only out of reach: the operator has to decide.
std::string with_next_step(const store::Failure& failure) {
  if (failure.error) return failure.message;
  return failure.message + " (holdfast server --check DIR shows what is there; docs/operating.md says what to do)";
}

}  // namespace

engine::Rules rules_of(const EngineOptions& options) {
  return {
      .ttl_nodes = options.ttl_nodes,
      .path_depth = options.limits.path_depth,
      .answer = options.limits.answer,
      .watches = options.limits.watches,
      .watches_per_session = options.limits.watches_per_session,
      .transaction = std::min(options.limits.frame, kLongestTransaction / kTransactionPerFrame) * kTransactionPerFrame};
}

tl::expected<std::unique_ptr<store::Store>, std::string> recover(engine::Engine& engine, store::Disk& disk,
                                                                 const EngineOptions& options, engine::Moment now) {
  EngineRecovery recovery(engine, now);
  auto opened = store::Store::open(
      disk,
      {.data_directory = options.data_dir,
       .log_directory = options.log_dir,
       .durability = options.durability == Durability::power ? store::Durability::power : store::Durability::process,
       .snapshots_kept = options.snapshots_kept},
      recovery);
  if (!opened) return tl::unexpected(with_next_step(opened.error()));
  return std::move(*opened);
}

}  // namespace holdfast::server
