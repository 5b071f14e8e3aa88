// handlers.cc -- what the handlers of a client add to one acquire, beside the lock itself: the lock of these rows refuses immediately, so
// that nothing else is measured. `bare` asks the lock, `handlers:0` asks as a client without handlers does, and so on.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "backend/memory/memory_backend.h"
#include "holdfast/holdfast.h"
#include "lock/owner.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// Not inlined: the compiler would see malloc() and free() where it expects a pair of new and delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace holdfast::bench {
namespace {

using lock::Owner;

struct PassesOn : LockHandler {};

lock::Outcome refuse(lock::Call call) {
  benchmark::DoNotOptimize(call);
  return tl::unexpected(lock::Refusal{Errc::refused, "no"});
}

void report(benchmark::State& state, std::size_t before) {
  state.counters["allocations"] =
      static_cast<double>(allocations.load() - before) / static_cast<double>(state.iterations());
}

void bare(benchmark::State& state) {
  const Owner::Acquire ask = refuse;
  const auto before = allocations.load();
  for (auto _ : state) benchmark::DoNotOptimize(ask(lock::Call{}));
  report(state, before);
}

void acquire(benchmark::State& state) {
  ClientOptions options;
  for (std::int64_t i = 0; i < state.range(0); ++i) options.handlers.push_back(std::make_shared<PassesOn>());
  const auto core = std::make_shared<lock::Core>(
      [&](net::Reactor& executor) {
        return std::make_unique<memory::MemoryBackend>(executor, memory::Service::named("bench"),
                                                       options.session_timeout);
      },
      options);
  Owner owner(core, {{"orders/1"}, "/orders/1", LockMode::exclusive}, /*reentrant=*/false, {}, refuse);
  const auto before = allocations.load();
  for (auto _ : state) benchmark::DoNotOptimize(owner.enter(Owner::Way::lease, lock::Call{}));
  report(state, before);
}

BENCHMARK(bare);
BENCHMARK(acquire)->ArgName("handlers")->Arg(0)->Arg(1)->Arg(4);

}  // namespace
}  // namespace holdfast::bench

BENCHMARK_MAIN();
