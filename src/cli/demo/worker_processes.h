// worker_processes.h -- the worker processes of the demonstration, and the pipes to them. None outlives its WorkerProcesses.
//
//              kill()       pause()      resume()    its end
//   running    -> ended     -> paused    nothing     -> ended
//   paused     -> ended     nothing      -> running  -
//   ended      nothing      nothing      nothing     -
//
// Must be made and used by one thread, which must live as long as the workers do (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::cli::demo {

class WorkerProcesses {
 public:
  // Starts that many workers, A, B, C..., each with `orders` on its stdin. Throws std::system_error, and then there is none.
  WorkerProcesses(std::size_t size, const std::string& orders);
  // Kills and reaps those that are left.
  ~WorkerProcesses();
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  std::size_t size() const noexcept { return workers_.size(); }
  const std::string& name(std::size_t worker) const { return workers_[worker].name; }
  pid_t pid(std::size_t worker) const { return workers_[worker].pid; }
  // What is readable when it has said something, or ended; -1 once it has ended.
  int descriptor(std::size_t worker) const { return workers_[worker].output.get(); }
  std::size_t running() const noexcept;

  // Calls `on_line` for every whole line that it has said so far. Its exit code (128 + signal) if that was all there will ever be.
  std::optional<int> listen(std::size_t worker, const std::function<void(std::string_view)>& on_line);
  void tell(std::size_t worker, std::string_view line);

  void kill(std::size_t worker);
  void pause(std::size_t worker);
  void resume(std::size_t worker);

 private:
  struct Worker {
    std::string name;
    pid_t pid = -1;
    base::Descriptor input{};   // its stdin
    base::Descriptor output{};  // its stdout
    std::string partial{};
  };

  void start(Worker& worker, const std::string& orders);
  int reap(Worker& worker);
  void end() noexcept;

  std::vector<Worker> workers_;
};

}  // namespace holdfast::cli::demo
