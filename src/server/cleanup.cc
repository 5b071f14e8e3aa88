#include "server/cleanup.h"

#include <memory>
#include <new>
#include <utility>

#include "server/cleanup_work.h"
#include "server/client_connection.h"

namespace holdfast::server {
namespace {

// So many nodes are looked at at a time, and so many of those that are due wait for their removal at most.
constexpr std::size_t kContainersAtOnce = 10'000;
constexpr engine::Moment kContainersPause = std::chrono::milliseconds(10);
// Watches that connections left, in each turn of the loop: less than a millisecond's worth.
constexpr std::size_t kSweptAtOnce = 1'000;
// After a disk refused to note the end of ephemerals.
constexpr engine::Moment kEphemeralsPause = std::chrono::seconds(1);

}  // namespace

Cleanup::Cleanup(Loop& loop, engine::Engine& engine, Pipeline& pipeline, EventDelivery& events,
                 std::chrono::milliseconds check_interval)
    : loop_(loop), engine_(engine), pipeline_(pipeline), events_(events), check_interval_(check_interval) {}

void Cleanup::start() {
  for (const auto session : engine_.orphaned()) end_ephemerals(session);
  look_after_containers(0);
}

void Cleanup::sweep_watches() {
  if (std::exchange(sweeping_, true)) return;
  loop_.post(alive_.guard([this] {
    sweeping_ = false;
    if (engine_.sweep(kSweptAtOnce)) sweep_watches();
  }));
}

engine::Outcome Cleanup::remove_ephemerals(const Turn& turn, wire::SessionId session) {
  try {
    return engine_.remove_ephemerals(turn.zxid, turn.time, session);
  } catch (const std::bad_alloc&) {
    end_ephemerals_later(session);
    return {.zxid = turn.zxid, .code = wire::Code::system_error};
  }
}

void Cleanup::end_ephemerals(wire::SessionId session) {
  pipeline_.push(line_of_session(session), std::make_unique<EphemeralsEnd>(*this, events_, session));
}

void Cleanup::end_ephemerals_later(wire::SessionId session) {
  loop_.at(loop_.now() + kEphemeralsPause, alive_.guard([this, session] {
    if (!stopping_) end_ephemerals(session);
  }));
}

void Cleanup::look_after_containers(std::size_t from) {
  const auto pause = from == 0 ? engine::Moment(check_interval_) : kContainersPause;
  loop_.at(loop_.now() + pause, alive_.guard([this, from] {
    if (stopping_) return;
    if (from > 0 && pipeline_.waiting() > kContainersAtOnce) return look_after_containers(from);
    engine_.advance(loop_.now());
    for (auto& path : engine_.mortals_due(from, kContainersAtOnce)) {
      pipeline_.push({}, std::make_unique<ContainerEnd>(events_, std::move(path)));
    }
    const auto next = from + kContainersAtOnce;
    look_after_containers(next < engine_.tree().mortals().size() ? next : 0);
  }));
}

}  // namespace holdfast::server
