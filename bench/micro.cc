// micro.cc -- the engine's state machine alone: no network, no disk, no thread. What remains of a request's cost when
// everything else is taken away, as the tree grows and as watches pile up. And a lock without network and disk: on the queues in memory, and
// on an engine in this process, with the service and the protocol between.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>

#include "engine/engine.h"
#include "holdfast/client.h"

namespace holdfast::bench {
namespace {

using EngineClient = engine::Client;

constexpr std::size_t kPerDirectory = 1'000;
constexpr std::uint32_t kSeed = 20240229;
constexpr std::int64_t kTime = 1'700'000'000'000;
const std::string kData(16, 'x');
const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};

class Subject {
 public:
  Subject(std::size_t nodes, std::size_t watches) : nodes_(nodes), unwatched_(watches) {
    engine_.connect(client_.connection, {});
    (void)engine_.open_session(++zxid_, kTime, client_.session, std::string(16, '\0'), std::chrono::seconds(30),
                               engine::Moment{0});
    create("/many");
    for (std::size_t i = 0; i < nodes; ++i) {
      if (i % kPerDirectory == 0) create(fmt::format("/many/{}", i / kPerDirectory));
      create(path_of(i));
    }
    for (std::size_t i = 0; i < watches; ++i) ask(wire::GetData{path_of(i), true});
  }

  void ask(const wire::Request& request) {
    const auto zxid = wire::is_write(request) ? ++zxid_ : zxid_;
    auto outcome = engine_.execute(client_, zxid, kTime, request);
    if (outcome.code != wire::Code::ok) throw std::runtime_error("the engine refuses");
    engine_.settle(client_, request, outcome, [](engine::ConnectionId, const wire::Event&) {});
    benchmark::DoNotOptimize(outcome.body);
  }
  void create(const std::string& path) { ask(wire::Create{wire::Op::create, path, kData, kOpen}); }
  // Of a node that nobody watches.
  std::string any() { return path_of(std::uniform_int_distribution<std::size_t>(unwatched_, nodes_ - 1)(random_)); }

 private:
  static std::string path_of(std::size_t i) { return fmt::format("/many/{}/{}", i / kPerDirectory, i % kPerDirectory); }

  std::size_t nodes_;
  std::size_t unwatched_;
  engine::Engine engine_;
  EngineClient client_{1, 1};
  wire::Zxid zxid_ = 0;
  std::mt19937 random_{kSeed};
};

// Made once for several benchmarks: a million nodes take a while.
Subject& subject_of(const benchmark::State& state) {
  static std::unique_ptr<Subject> subject;
  static std::pair<std::int64_t, std::int64_t> made{-1, -1};
  if (const std::pair wanted{state.range(0), state.range(1)}; made != wanted) {
    subject.reset();
    subject =
        std::make_unique<Subject>(static_cast<std::size_t>(wanted.first), static_cast<std::size_t>(wanted.second));
    made = wanted;
  }
  return *subject;
}

void get_data(benchmark::State& state) {
  auto& subject = subject_of(state);
  for (auto _ : state) subject.ask(wire::GetData{subject.any()});
}
void set_data(benchmark::State& state) {
  auto& subject = subject_of(state);
  for (auto _ : state) subject.ask(wire::SetData{subject.any(), kData});
}
void create_and_remove(benchmark::State& state) {
  auto& subject = subject_of(state);
  for (auto _ : state) {
    const std::string path = subject.any() + "-new";
    subject.create(path);
    subject.ask(wire::Remove{path});
  }
}

void lock_and_unlock(benchmark::State& state, const char* url) {
  auto client = Client::connect(url);
  auto mutex = client.mutex("orders/1");
  for (auto _ : state) {
    mutex.lock();
    mutex.unlock();
  }
}

void register_all(std::int64_t nodes, std::int64_t watches) {
  struct Named {
    const char* name;
    void (*run)(benchmark::State&);
  };
  for (const auto& [name, run] :
       {Named{"get_data", get_data}, Named{"set_data", set_data}, Named{"create_and_remove", create_and_remove}}) {
    benchmark::RegisterBenchmark(name, run)->ArgNames({"nodes", "watches"})->Args({nodes, watches});
  }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  for (const std::int64_t nodes : {1'000, 10'000, 100'000, 1'000'000}) holdfast::bench::register_all(nodes, 0);
  for (const std::int64_t watches : {1'000, 10'000, 100'000}) holdfast::bench::register_all(1'000'000, watches);
  for (const char* url : {"memory:", "embedded:"}) {
    // The work is done by several threads: their time counts, not that of waiting.
    benchmark::RegisterBenchmark((std::string("lock_and_unlock/") + url).c_str(), holdfast::bench::lock_and_unlock, url)
        ->MeasureProcessCPUTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
