// stage.h -- the demonstration as it is played: the workers take turns, one holder is killed, one is paused past its session.
//
// The database is here: a value in this process, guarded by a Fence.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo/history.h"
#include "cli/demo/message.h"
#include "cli/demo/queue_watcher.h"
#include "cli/demo/scene.h"
#include "cli/demo/screen.h"
#include "cli/demo/worker_processes.h"
#include "cli/stop_signals.h"
#include "holdfast/fence.h"

namespace holdfast::cli::demo {

class Stage {
 public:
  // `service` is only shown. All must outlive it.
  Stage(WorkerProcesses& processes, QueueWatcher& watcher, Screen& screen, std::string lock, std::string service);

  // Until all workers have ended, or a worker has failed, or `limit` has passed (see failures()), or a signal came: that one.
  std::optional<int> play(StopSignals& signals, std::chrono::milliseconds limit);

  const History& history() const noexcept { return history_; }
  // One sentence each: the demonstration could not be played to its end.
  const std::vector<std::string>& failures() const noexcept { return failures_; }
  double seconds() const;

 private:
  using State = Scene::Worker::State;
  struct Actor {
    pid_t pid = 0;
    State state = State::starting;
    Token token = 0;
    Clock::time_point granted_at{};
    Clock::time_point valid_until{};
    std::size_t ahead = 0;
    int reports = 0;  // of holding, in this hold
  };

  void heard(std::size_t worker, const WorkerLine& line);
  void granted(std::size_t worker, const WorkerLine& line);
  void holding(std::size_t worker, const WorkerLine& line);
  void wrote(std::size_t worker, const WorkerLine& line);
  void lost(std::size_t worker, const WorkerLine& line);
  void ended(std::size_t worker, int exit_code);
  void seen(const QueueWatcher::Queue& queue);

  void kill(std::size_t worker);
  void pause(std::size_t worker);
  void resume(std::size_t worker);

  void record(Deed deed, std::size_t worker, const WorkerLine& line);
  void record_now(Deed deed, std::size_t worker);
  void log(std::size_t worker, const std::string& text, Tone tone = Tone::plain);
  void draw();

  WorkerProcesses& processes_;
  QueueWatcher& watcher_;
  Screen& screen_;
  const Clock::time_point start_ = Clock::now();
  std::vector<Actor> actors_;
  Scene scene_;
  Fence fence_;
  History history_;
  std::vector<std::string> failures_;
  std::size_t grants_ = 0;
  bool killed_ = false;
  std::optional<std::size_t> paused_;
  Clock::time_point paused_at_{};
  bool resumed_ = false;
};

}  // namespace holdfast::cli::demo
