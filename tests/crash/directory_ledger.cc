#include "directory_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::testing::crash {
namespace {

struct Apply {
  Contents& contents;
  std::int64_t zxid;

  void operator()(const Create& step) const {
    contents.nodes[step.path] = {.data = step.data, .czxid = zxid, .mzxid = zxid, .owner = step.owner};
    ++contents.creations;
  }
  void operator()(const Set& step) const {
    auto& node = contents.nodes[step.path];
    node.data = step.data;
    node.mzxid = zxid;
    ++node.version;
  }
  void operator()(const Remove& step) const { contents.nodes.erase(step.path); }
  void operator()(const EndSession& step) const {
    std::erase_if(contents.nodes, [&](const auto& each) { return each.second.owner == step.session; });
  }
};

void apply(Contents& contents, const Write& write, std::int64_t zxid) {
  for (const auto& step : write) std::visit(Apply{contents, zxid}, step);
}

std::int32_t creations_of(const asking::Node& directory) { return (directory.cversion + directory.children) / 2; }

// Of a write that was never answered, the zxid is above all that were.
bool fits(std::int64_t expected, std::int64_t seen, std::int64_t last) {
  return expected == 0 ? seen > last : seen == expected;
}

std::vector<std::string> differences(const Contents& expected, const asking::Directory& seen, std::int64_t last) {
  std::vector<std::string> all;
  for (const auto& [path, node] : expected.nodes) {
    const auto found = seen.nodes.find(path);
    if (found == seen.nodes.end()) {
      all.push_back(fmt::format("{} (zxid {:#x}) is missing", path, node.mzxid));
      continue;
    }
    const auto& there = found->second;
    const bool same = there.data == node.data && there.version == node.version && there.owner == node.owner;
    if (!same || !fits(node.czxid, there.czxid, last) || !fits(node.mzxid, there.mzxid, last)) {
      all.push_back(fmt::format(
          "{} should be '{}' version {} czxid {:#x} mzxid {:#x} owner {:#x}, and is '{}' {} {:#x} {:#x} {:#x}", path,
          node.data, node.version, node.czxid, node.mzxid, node.owner, there.data, there.version, there.czxid,
          there.mzxid, there.owner));
    }
  }
  for (const auto& [path, node] : seen.nodes) {
    if (expected.nodes.contains(path)) continue;
    all.push_back(fmt::format("{} (czxid {:#x}, owner {:#x}) should not be there", path, node.czxid, node.owner));
  }
  if (creations_of(seen.self) != expected.creations) {
    all.push_back(
        fmt::format("{} nodes were created, and the directory counts {}", expected.creations, creations_of(seen.self)));
  }
  return all;
}

}  // namespace

void DirectoryLedger::sent(Write write) {
  apply(ahead_, write, 0);
  under_way_.push_back(std::move(write));
}

void DirectoryLedger::acknowledged(std::int64_t zxid) {
  if (zxid <= std::max(zxid_, floor_)) {
    complaints_.push_back(fmt::format("zxid {:#x} came after {:#x}", zxid, std::max(zxid_, floor_)));
  }
  zxid_ = std::max(zxid_, zxid);
  apply(safe_, under_way_.front(), zxid);
  under_way_.pop_front();
}

void DirectoryLedger::refused() {
  under_way_.pop_front();
  ahead_ = safe_;
  for (const auto& write : under_way_) apply(ahead_, write, 0);
}

std::vector<std::string> DirectoryLedger::check(const asking::Directory& seen) {
  auto complaints = std::exchange(complaints_, {});
  const auto wrong = differences(safe_, seen, zxid_);
  bool explained = wrong.empty();
  Contents reached = safe_;
  while (!explained && !under_way_.empty()) {
    apply(reached, under_way_.front(), 0);
    under_way_.pop_front();
    explained = differences(reached, seen, zxid_).empty();
  }
  under_way_.clear();
  if (!explained) complaints.insert(complaints.end(), wrong.begin(), wrong.end());
  // As it is, right or wrong: so each mistake is told once.
  safe_ = {.creations = creations_of(seen.self)};
  for (const auto& [path, node] : seen.nodes) {
    safe_.nodes[path] = {node.data, node.czxid, node.mzxid, node.version, node.owner};
    zxid_ = std::max({zxid_, node.czxid, node.mzxid});
  }
  ahead_ = safe_;
  return complaints;
}

}  // namespace holdfast::testing::crash
