#include "engine_host.h"

#include <utility>

#include "server/recovery.h"

namespace holdfast::simulation {

EngineHost::Process::Process(Timeline& timeline, Chance& chance, Drift clock, const EngineOptions& options)
    : loop(timeline, chance, clock), engine(server::rules_of(options), {chance.number(), chance.number()}) {}

EngineHost::EngineHost(Timeline& timeline, Chance& chance, Network& network, EngineOptions options, Drift clock)
    : timeline_(timeline),
      chance_(chance),
      network_(network),
      options_(std::move(options)),
      clock_(clock),
      disk_(chance.number()) {}

std::string EngineHost::start() {
  auto& process = process_.emplace(timeline_, chance_, clock_, options_);
  auto recovered = server::recover(process.engine, disk_, options_, process.loop.now());
  if (!recovered) {
    process_.reset();
    return std::move(recovered.error());
  }
  process.store = std::move(*recovered);
  process.service = std::make_unique<server::Service>(process.loop, options_, process.engine, process.store.get());
  network_.set_host(process.service.get());
  return {};
}

void EngineHost::stop() {
  network_.set_host(nullptr);
  process_.reset();
}

void EngineHost::pause_until(Moment when) {
  process_->loop.pause_until(when);
  network_.pause_host_until(when);
}

void EngineHost::crash(bool power) {
  stop();
  if (power) disk_.crash();
}

}  // namespace holdfast::simulation
