#include "cli/demo/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holdfast::cli::demo {
namespace {

using Worker = Scene::Worker;
using State = Scene::Worker::State;

std::string cut(std::string text) {
  if (text.size() > kSceneColumns) text.resize(kSceneColumns);
  return text;
}

// A bar that grows: a tenth of a second each.
std::string bar(double seconds) {
  constexpr int kLongest = 20;
  const int length = std::clamp(static_cast<int>(seconds * 10), 0, kLongest);
  return std::string(static_cast<std::size_t>(length), '#');
}

std::tuple<int, std::size_t> place(const Worker& worker) {
  switch (worker.state) {
    case State::holding: return {0, 0};
    case State::waiting: return {1, worker.ahead};
    case State::paused: return {2, 0};
    case State::starting:
    case State::idle: return {3, 0};
    case State::ended: return {4, 0};
    case State::killed: return {5, 0};
  }
  return {6, 0};
}

Row row(const Worker& worker) {
  const auto who = fmt::format("{}  pid {:<8}", worker.name, worker.pid);
  const auto line = [&](const char* what, const std::string& more, Tone tone) {
    return Row{cut(fmt::format("  {:<9} {} {}", what, who, more)), tone};
  };
  const auto token = fmt::format("token {:<13}", worker.token);
  switch (worker.state) {
    case State::holding:
      return line("HOLDS", fmt::format("{} {:.1f} s {}", token, worker.held_for, bar(worker.held_for)), Tone::good);
    case State::waiting: return line(fmt::format("waits {}", worker.ahead).c_str(), token, Tone::plain);
    case State::paused:
      return line("PAUSED",
                  worker.provably_for > 0 ? fmt::format("{} good for another {:.1f} s", token, worker.provably_for)
                                          : fmt::format("{} believes that it holds", token),
                  Tone::bad);
    case State::killed: return line("killed", fmt::format("{} gone without a word", token), Tone::bad);
    case State::starting: return line("starts", "", Tone::faint);
    case State::idle: return line("asks", "", Tone::faint);
    case State::ended: return line("is done", "", Tone::faint);
  }
  return {};
}

}  // namespace

Row log_row(const LogEntry& entry) {
  return {cut(fmt::format("  {:>5.2f} s  {}", entry.seconds, entry.text)), entry.tone};
}

std::vector<Row> rows_of(const Scene& scene) {
  std::vector<Row> rows;
  rows.push_back({cut(fmt::format("{:>5.1f} s  {} processes, one lock: {}  on {}", scene.seconds, scene.workers.size(),
                                  scene.lock, scene.service)),
                  Tone::title});
  rows.emplace_back();
  auto workers = scene.workers;
  std::stable_sort(workers.begin(), workers.end(),
                   [](const Worker& a, const Worker& b) { return place(a) < place(b); });
  for (const auto& worker : workers) rows.push_back(row(worker));
  rows.emplace_back();
  auto database = scene.last_writer.empty() ? std::string("  database  nothing written yet")
                                            : fmt::format("  database  {} writes, the last by {} with token {}",
                                                          scene.writes, scene.last_writer, scene.last_token);
  if (scene.refused > 0) database += fmt::format("; {} refused", scene.refused);
  rows.push_back({cut(std::move(database)), scene.refused > 0 ? Tone::bad : Tone::plain});
  rows.emplace_back();
  const std::size_t room = kSceneRows - std::min(kSceneRows, rows.size());
  const std::size_t shown = std::min(room, scene.log.size());
  for (std::size_t i = scene.log.size() - shown; i < scene.log.size(); ++i) rows.push_back(log_row(scene.log[i]));
  return rows;
}

}  // namespace holdfast::cli::demo
