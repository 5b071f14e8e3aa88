#include "support/engine/history.h"

#include <algorithm>
#include <utility>

namespace holdfast::testing {

using engine::Client;
using engine::Moment;

namespace {

constexpr std::size_t kSessions = 4;

}  // namespace

History::History() : engine({.ttl_nodes = true, .path_depth = 4}) {
  for (std::size_t each = 1; each <= kSessions; ++each) {
    // Two of them have proven something: only these can make lists of "auth".
    engine::Identities who{{"ip", "127.0.0.1"}};
    if (each % 2 == 0) who.push_back({"digest", "user" + std::to_string(each) + ":secret"});
    engine.connect(each, std::move(who));
  }
}

void History::act(RandomRequests& random) {
  const auto number = 1 + random.number(kSessions);
  const auto session = static_cast<wire::SessionId>(number);
  ++zxid_;
  time_ += static_cast<std::int64_t>(random.number(3));
  if (engine.sessions().find(session) == nullptr) {
    pending_.push_back({{},
                        wire::WhoAmI{},
                        engine.open_session(zxid_, time_, session, "word" + std::to_string(zxid_),
                                            std::chrono::seconds(30), Moment(time_))});
    return;
  }
  Client client{session, number};
  wire::Request request = random.write();
  engine.advance(std::chrono::milliseconds(time_));
  auto due = engine.mortals_due();
  if (!due.empty() && random.one_in(6)) {
    std::sort(due.begin(), due.end());
    client = {};
    request = wire::RemoveContainer{due[random.number(due.size())]};
  }
  auto outcome = engine.execute(client, zxid_, time_, request);
  if (!outcome.changed()) ++refused;
  pending_.push_back({client, std::move(request), std::move(outcome)});
}

void History::settle() {
  for (auto& each : pending_) {
    if (each.outcome.changed()) log.push_back(encode(each.outcome.transaction));
    engine.settle(each.client, each.request, each.outcome, [](engine::ConnectionId, const wire::Event&) {});
  }
  pending_.clear();
  zxid_at_rest_ = zxid_;
  time_at_rest_ = time_;
}

void History::take_back() {
  for (auto each = pending_.rbegin(); each != pending_.rend(); ++each) engine.take_back(each->outcome);
  pending_.clear();
  zxid_ = zxid_at_rest_;
  time_ = time_at_rest_;
}

std::vector<std::string> History::snapshot_records(std::size_t most) {
  std::vector<std::string> records;
  while (records.size() < most) {
    auto record = engine.next_snapshot_record();
    if (!record) break;
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace holdfast::testing
