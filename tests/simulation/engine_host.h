// engine_host.h -- the machine of the simulated engine: its disk lasts, its process may crash and start again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "holdfast/engine.h"
#include "network.h"
#include "server/service.h"
#include "store/store.h"
#include "support/simulated_disk.h"
#include "virtual_loop.h"

namespace holdfast::simulation {

class EngineHost {
 public:
  EngineHost(Timeline& timeline, Chance& chance, Network& network, EngineOptions options, Drift clock);
  ~EngineHost() { stop(); }

  // Recovers what is on the disk, and listens. What is wrong, or nothing.
  std::string start();
  // The process is gone without a word. With `power`, what the disk had not synced is lost or torn too.
  void crash(bool power);
  bool running() const { return process_.has_value(); }
  // The process does nothing until then; what comes waits to be read. While it runs.
  void pause_until(Moment when);
  void slow_disk_until(Moment when) { process_->loop.slow_disk_until(when); }
  bool keeps_through_power_loss() const { return options_.durability == Durability::power; }
  // While it runs.
  const engine::Engine& engine() const { return process_->engine; }

 private:
  // Destroyed from the bottom up.
  struct Process {
    Process(Timeline& timeline, Chance& chance, Drift clock, const EngineOptions& options);
    VirtualLoop loop;
    engine::Engine engine;
    std::unique_ptr<store::Store> store{};
    std::unique_ptr<server::Service> service{};
  };

  void stop();

  Timeline& timeline_;
  Chance& chance_;
  Network& network_;
  const EngineOptions options_;
  const Drift clock_;
  testing::SimulatedDisk disk_;
  std::optional<Process> process_;
};

}  // namespace holdfast::simulation
