// commits.cc -- ZooKeeperBackend: changes to data, guarded by tickets.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/zookeeper/status.h"
#include "backend/zookeeper/zookeeper_backend.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;
using wire::CreateMode;

struct ZooKeeperBackend::Committing {
  std::vector<zk::Step> ops;
  std::size_t guards = 0;  // the first of them
  spi::Callback<spi::Nothing> done;
  bool parents_made = false;
  std::shared_ptr<Denied> denied = std::make_shared<Denied>();
};

void ZooKeeperBackend::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                              spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  auto committing = std::make_shared<Committing>(Committing{{}, guards.size(), std::move(done)});
  for (const auto& guard : guards) {
    committing->ops.push_back({.what = zk::Step::What::check, .path = path(guard.queue, guard.ticket)});
  }
  for (const auto& change : changes) {
    const auto what = change.what == spi::Change::What::create   ? zk::Step::What::create
                      : change.what == spi::Change::What::set    ? zk::Step::What::set
                      : change.what == spi::Change::What::remove ? zk::Step::What::remove
                                                                 : zk::Step::What::check;
    committing->ops.push_back({what, change.path, change.text, CreateMode::persistent, change.version.value_or(-1)});
  }
  commit(std::move(committing));
}

void ZooKeeperBackend::commit(std::shared_ptr<Committing> committing) {
  connection_.client().multi(
      committing->ops, acknowledged([this, committing](const zk::Answer& answer) {
        if (answer.code == Code::ok) return committing->done({});
        const auto& op = committing->ops[std::min(answer.failed, committing->ops.size() - 1)];
        if (answer.failed < committing->guards && answer.code == Code::no_node) {
          return committing->done({Status::absent, "there is no ticket " + op.path, {}});
        }
        const auto slash = op.path.rfind('/');
        if (answer.code == Code::no_node && op.what == zk::Step::What::create && slash > 0 && connection_.connected() &&
            !std::exchange(committing->parents_made, true)) {
          create_with_parents(op.path.substr(0, slash), committing->denied);
          return commit(committing);
        }
        const auto step = fmt::format("step {}", answer.failed + 1 - committing->guards);
        if (answer.code == Code::no_node && committing->denied->code != Code::ok) {
          const auto& [parent, code] = *committing->denied;
          return committing->done(failure<spi::Nothing>(code, fmt::format("{}: create {}", step, parent)));
        }
        auto reply = failure<spi::Nothing>(answer.code, fmt::format("{} on {}", step, op.path));
        if (zk::came_from_the_server(answer.code)) reply.status = Status::denied;
        committing->done(std::move(reply));
      }));
}

}  // namespace holdfast::zookeeper
