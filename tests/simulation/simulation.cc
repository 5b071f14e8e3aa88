#include "simulation.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/random.h"
#include "engine_host.h"

namespace holdfast::simulation {
namespace {

using namespace std::chrono_literals;

// How far a clock may be off: less than the margin of a lease allows for (lock/validity.h), by two of them.
constexpr std::int64_t kMostDrift = 15'000;  // millionths
// Virtual time in which everything must have ended once all is well again: the longest session, and every thread's longest hold in turn.
constexpr Moment kEnd = 5min;

class Simulation {
 public:
  explicit Simulation(const Settings& settings)
      : settings_(settings),
        chance_(settings.seed),
        random_([this] { return static_cast<std::uint32_t>(chance_.number()); }),
        host_(timeline_, chance_, network_, engine_options(), drift()) {
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      machines_[i].number = i + 1;
      machines_[i].way->latency = chance_.between(100us, 5ms);
      machines_[i].clock.emplace(drift());
    }
  }

  Result run() {
    start_engine();
    for (auto& machine : machines_) start_client(machine);
    if (settings_.faults) next_fault();
    run_until(settings_.faults_for, [] { return false; });
    all_is_well();
    check_end();
    return {.objections = oracle_.objections(),
            .trace = oracle_.trace(),
            .counts = counts_,
            .lives = lives_,
            .crashes = crashes_,
            .events = timeline_.happened(),
            .frames = network_.frames(),
            .time = timeline_.now()};
  }

 private:
  struct Machine {
    std::size_t number = 0;
    std::uint64_t lives = 0;
    std::shared_ptr<Way> way = std::make_shared<Way>();
    std::optional<Drift> clock{};
    std::unique_ptr<Client> client{};
  };

  EngineOptions engine_options() {
    EngineOptions options;
    options.data_dir = "/data";
    options.min_session_timeout = 100ms;
    options.max_session_timeout = 10s;
    options.snapshot_after = 50 + chance_.below(500);
    if (chance_.percent(20)) options.durability = Durability::process;
    return options;
  }
  Drift drift() {
    return {chance_.between(1h, 48h), static_cast<std::int64_t>(chance_.below(2 * kMostDrift)) - kMostDrift};
  }

  template <class Done>
  bool run_until(Moment end, Done done) {
    while (!done() && oracle_.objections().empty() && timeline_.step(end)) {
    }
    return done();
  }

  void start_engine() {
    if (auto trouble = host_.start(); !trouble.empty()) oracle_.object("the engine does not start: " + trouble);
    oracle_.note("the engine runs");
  }

  void start_client(Machine& machine) {
    ++lives_;
    ClientOptions options;
    options.session_timeout = std::chrono::milliseconds(500 + chance_.below(5'000));
    options.connection_timeout = 2s;
    options.retry = chance_.percent(50) ? RetryPolicy::forever(20ms) : RetryPolicy::exponential_backoff(10ms, 5, 500ms);
    if (chance_.percent(30)) options.hand_over.count = 0;
    // Kept tickets: none, for about as long as a thread pauses, for long.
    if (chance_.percent(60)) options.hand_over.keep = chance_.percent(50) ? 100ms : 3'000ms;
    const auto name = fmt::format("c{}.{}", machine.number, ++machine.lives);
    oracle_.note(fmt::format("{} starts, session timeout {} ms", name, options.session_timeout.count()));
    machine.client = std::make_unique<Client>(World{timeline_, chance_, network_, oracle_, counts_}, name, machine.way,
                                              *machine.clock, 1 + static_cast<std::size_t>(chance_.below(3)), options);
  }

  // ------------------------------------------------------------------------------------------------------------ faults

  void next_fault() {
    timeline_.after(chance_.between(10ms, 2s), [this] {
      if (well_) return;
      fault();
      next_fault();
    });
  }

  void fault() {
    auto& machine = machines_[chance_.below(machines_.size())];
    const auto c = machine.number;
    const auto for_that_long = chance_.between(10ms, chance_.percent(30) ? Moment(10s) : Moment(1s));
    const auto until = timeline_.now() + for_that_long;
    const auto ms = for_that_long / 1ms;
    switch (chance_.below(13)) {
      case 0: oracle_.note(fmt::format("machine {} is cut off", c)); return network_.cut(*machine.way, true);
      case 1:
        oracle_.note(fmt::format("machine {} is cut off, and not all hear of it", c));
        return network_.cut(*machine.way, false);
      case 2:
        oracle_.note(fmt::format("machine {} is not heard for {} ms", c, ms));
        machine.way->silent_up_until = until;
        return;
      case 3:
        oracle_.note(fmt::format("machine {} does not hear for {} ms", c, ms));
        machine.way->silent_down_until = until;
        return;
      case 4:
        oracle_.note(fmt::format("machine {} is out of reach for {} ms", c, ms));
        machine.way->silent_up_until = machine.way->silent_down_until = until;
        return;
      case 5:
        oracle_.note(fmt::format("client {} stands still for {} ms", c, ms));
        return machine.client->pause_until(until);
      case 6: return end_client(machine);
      case 7: return kill_client(machine);
      case 8: return crash_engine();
      case 9: {
        // Long enough for the service to give the session up, and not much longer.
        const auto timeout = machine.client->session_timeout();
        const auto silence = chance_.between(timeout * 9 / 10, timeout * 3 / 2);
        oracle_.note(fmt::format("machine {} is not heard for {} ms, about its session's timeout", c, silence / 1ms));
        machine.way->silent_up_until = timeline_.now() + silence;
        return;
      }
      case 10:
        if (!host_.running()) return;
        oracle_.note(fmt::format("the disk is slow for {} ms", ms));
        return host_.slow_disk_until(until);
      case 11:
        if (!host_.running()) return;
        oracle_.note(fmt::format("the engine stands still for {} ms", ms));
        return host_.pause_until(until);
      default: machine.way->latency = chance_.between(100us, chance_.percent(20) ? Moment(400ms) : Moment(5ms)); return;
    }
  }

  void end_client(Machine& machine) {
    machine.client->close();
    machine.client.reset();
    start_client(machine);
  }

  void kill_client(Machine& machine) {
    oracle_.note(fmt::format("client {} is killed", machine.number));
    network_.cut(*machine.way, chance_.percent(70));
    machine.client.reset();
    start_client(machine);
  }

  void crash_engine() {
    if (!host_.running()) return;
    const bool power = chance_.percent(50);
    oracle_.note(power ? "the engine loses power" : "the engine is killed");
    ++crashes_;
    host_.crash(power);
    // What is lost then may have been a release: there is a promise only if the clients end, too.
    if (power && !host_.keeps_through_power_loss()) {
      for (auto& machine : machines_) kill_client(machine);
      oracle_.forget_delays();
    }
    timeline_.after(chance_.between(1ms, 3s), [this] {
      if (!host_.running()) start_engine();
    });
  }

  // ------------------------------------------------------------------------------------------------------------ the end

  void all_is_well() {
    if (!oracle_.objections().empty()) return;
    well_ = true;
    oracle_.note("all is well from now on");
    for (auto& machine : machines_) {
      machine.way->silent_up_until = machine.way->silent_down_until = Moment{-1};
      machine.way->latency = 1ms;
      machine.client->finish();
    }
    if (!host_.running()) start_engine();
  }

  // Every acquire ends, and nothing is left of it, while the sessions live on; then these end.
  void check_end() {
    const auto end = timeline_.now() + kEnd;
    const auto all_idle = [this] {
      return std::all_of(machines_.begin(), machines_.end(), [](const auto& each) { return each.client->idle(); });
    };
    if (!run_until(end, all_idle)) return object_to_end("not all ends:");
    const auto no_ticket = [this] { return host_.engine().tree().ephemeral_count() == 0; };
    if (!run_until(end, no_ticket)) return object_to_end("a ticket is left that no client wants:");
    for (auto& machine : machines_) {
      machine.client->close();
      machine.client.reset();
    }
    const auto no_session = [this] { return host_.engine().sessions().size() == 0; };
    if (!run_until(end, no_session)) object_to_end("a session is left:");
  }

  void object_to_end(std::string why) {
    if (!oracle_.objections().empty()) return;
    for (const auto& machine : machines_) {
      if (machine.client) why += machine.client->busy();
    }
    for (const auto& [session, owned] : host_.engine().tree().ephemerals()) {
      for (const auto* node : *host_.engine().tree().ephemerals(session)) {
        why += fmt::format(" {} of session {:#x}", node->path(), session);
      }
    }
    oracle_.object(why);
  }

  const Settings settings_;
  Timeline timeline_;
  Chance chance_;
  base::OwnRandomNumbers random_;
  Network network_{timeline_, chance_};
  Oracle oracle_{timeline_};
  Counts counts_;
  EngineHost host_;
  std::array<Machine, 2> machines_;
  std::uint64_t lives_ = 0;
  std::uint64_t crashes_ = 0;
  bool well_ = false;
};

}  // namespace

Result simulate(const Settings& settings) { return Simulation(settings).run(); }

}  // namespace holdfast::simulation
