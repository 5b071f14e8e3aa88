// declared.cc -- what a declared lock adds to an acquire: by hand, and by each of the three ways. The lock is held already, so that each round is
// a re-entry: neither store nor another thread takes part, and what remains is what is added.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "holdfast/holdfast.h"

namespace holdfast::bench {
namespace {

Client& client() {
  static Client one = Client::connect("memory:");
  return one;
}

void work(int order) { benchmark::DoNotOptimize(order); }

void by_hand(benchmark::State& state) {
  auto mutex = client().mutex("orders/7");
  const auto held = mutex.acquire();
  for (auto _ : state) {
    const auto lease = mutex.try_acquire_for(std::chrono::seconds(3));
    work(7);
  }
}

void locked_function(benchmark::State& state) {
  HOLDFAST_LOCKED(client(), "orders/7");
  auto function = locked(client(), "orders/7", work);
  for (auto _ : state) function(7);
}

void locked_function_named_by_argument(benchmark::State& state) {
  HOLDFAST_LOCKED(client(), "orders/7");
  auto function = locked(client(), "orders/{0}", work);
  for (auto _ : state) function(7);
}

void with_lock_of_a_name(benchmark::State& state) {
  HOLDFAST_LOCKED(client(), "orders/7");
  for (auto _ : state) with_lock(client(), "orders/7", [] { work(7); });
}

void locked_scope(benchmark::State& state) {
  HOLDFAST_LOCKED(client());
  for (auto _ : state) {
    HOLDFAST_LOCKED(client());
    work(7);
  }
}

BENCHMARK(by_hand);
BENCHMARK(locked_function);
BENCHMARK(locked_function_named_by_argument);
BENCHMARK(with_lock_of_a_name);
BENCHMARK(locked_scope);

}  // namespace
}  // namespace holdfast::bench

BENCHMARK_MAIN();
