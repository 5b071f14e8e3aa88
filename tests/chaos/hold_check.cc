#include "hold_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::testing {

void HoldCheck::blame(std::string rule, std::string what, std::vector<HistoryLine> lines) {
  report_.violations.push_back({std::move(rule), std::move(what), std::move(lines)});
}

void HoldCheck::see(const HistoryLine& line) {
  const std::string what = line.entry.at("what");
  if (what != "granted" && what != "write" && what != "released" && what != "lost") return;
  const Section section(fmt::format("{}/{}", line.entry.at("who").get<std::string>(), line.entry.at("life").get<int>()),
                        line.entry.at("token").get<Token>());
  if (what == "granted") return see_grant(section, line);
  if (what == "write") return see_write(section, line);
  if (what == "lost") {
    ++report_.figures.lost;
  } else if (const auto hold = holds_.find(section); hold != holds_.end()) {
    hold->second.released = line.entry.at("at_ms").get<double>();
  }
}

void HoldCheck::see_grant(const Section& section, const HistoryLine& line) {
  ++report_.figures.grants;
  const auto [owner, is_new] = owners_.emplace(section.second, section);
  if (!is_new) {
    return blame("shared_token", fmt::format("token {} was granted twice", section.second),
                 {holds_.at(owner->second).granted, line});
  }
  Hold& hold = holds_[section];
  hold.granted = line;
  hold.from = line.entry.at("at_ms").get<double>();
  promise(hold, line);
}

void HoldCheck::promise(Hold& hold, const HistoryLine& line) {
  const auto until = line.entry.at("valid_until_ms").get<double>();
  if (until <= hold.promised) return;
  hold.promised = until;
  hold.promise = line;
}

void HoldCheck::see_write(const Section& section, const HistoryLine& line) {
  const bool admitted = line.entry.at("admitted");
  const bool late = line.entry.at("late");
  ++(admitted ? report_.figures.admitted : report_.figures.refused);
  if (late) ++report_.figures.late;
  if (late && !admitted) ++report_.figures.late_refused;

  const auto found = holds_.find(section);
  if (found == holds_.end()) {
    return blame("shared_token",
                 fmt::format("{} wrote with token {}, which was not granted to it", section.first, section.second),
                 {line});
  }
  Hold& hold = found->second;
  promise(hold, line);
  if (!admitted) return;

  if (largest_ && section.second < largest_->entry.at("token").get<Token>()) {
    blame("stale_write", "a write was admitted after one with a larger token", {*largest_, line});
  } else {
    if (!hold.wrote && largest_ && section.second == largest_->entry.at("token").get<Token>()) {
      blame("token_order", "two sections wrote with one token", {*largest_, line});
    }
    largest_ = line;
  }
  if (hold.closed) blame("overlapping_writes", "a section went on after another had begun", {*hold.closed, line});
  if (writing_ && *writing_ != section) {
    Hold& before = holds_.at(*writing_);
    if (!before.closed) before.closed = line;
    if (!hold.wrote && section.second <= writing_->second) {
      blame("token_order", "a later section has no larger token", {*before.wrote, line});
    }
  }
  hold.wrote = line;
  writing_ = section;
}

void HoldCheck::finish() {
  std::vector<const Hold*> in_order;
  for (const auto& [section, hold] : holds_) in_order.push_back(&hold);
  std::sort(in_order.begin(), in_order.end(), [](const Hold* a, const Hold* b) { return a->from < b->from; });
  const Hold* longest = nullptr;
  for (const Hold* hold : in_order) {
    if (longest != nullptr && hold->from < longest->until()) {
      blame("overlapping_holds",
            fmt::format("granted at {:.3f} ms, while another hold was valid until {:.3f} ms", hold->from,
                        longest->until()),
            {longest->promise, hold->granted});
    }
    if (longest != nullptr && longest->until() == longest->promised) {
      ++report_.figures.inherited;
      const double gap = hold->from - longest->promised;
      report_.figures.closest_ms = std::min(report_.figures.closest_ms.value_or(gap), gap);
    }
    if (longest == nullptr || hold->until() > longest->until()) longest = hold;
  }
}

}  // namespace holdfast::testing
