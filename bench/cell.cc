// cell.cc -- a lock of one key on Redis, taken and given back by one client: ours with mode=cell, and redis-py's Lock, in turns on one server.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <stdexcept>
#include <string>

#include "holdfast/holdfast.h"
#include "measure/figures.h"
#include "measure/guarded.h"
#include "support/process.h"
#include "support/redis_server.h"

namespace holdfast::bench {
namespace {

using std::chrono::milliseconds;

struct Settings {
  int rounds = 5;
  milliseconds duration{1'000};
};

constexpr const char* kRedisPy = R"py(
import sys, time, redis
host, port = sys.argv[1].split(":")
client = redis.Redis(host=host, port=int(port))
lock = client.lock("theirs", timeout=15)
print("ready", flush=True)
for line in sys.stdin:
    count, end = 0, time.monotonic() + int(line) / 1000
    while time.monotonic() < end:
        lock.acquire()
        lock.release()
        count += 1
    print(count, flush=True)
)py";

double per_second(double count, milliseconds time) { return count * 1'000 / static_cast<double>(time.count()); }

double ours(Client& client, const std::string& name, milliseconds duration) {
  auto mutex = client.mutex(name);
  const auto end = Clock::now() + duration;
  int count = 0;
  for (; Clock::now() < end; ++count) (void)mutex.acquire();
  return per_second(count, duration);
}

double theirs(testing::Process& process, milliseconds duration) {
  process.write_line(std::to_string(duration.count()));
  const auto line = process.read_line(duration + std::chrono::seconds(20));
  if (!line) throw std::runtime_error("redis-py does not answer; is python3-redis installed?");
  return per_second(std::stod(*line), duration);
}

int run(int argc, char** argv) {
  Settings settings;
  milliseconds::rep duration = settings.duration.count();
  CLI::App app("A lock of one key on Redis, beside redis-py");
  app.add_option("--rounds", settings.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--duration", duration, "of each round, in milliseconds")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  settings.duration = milliseconds(duration);

  testing::RedisServer server;
  testing::Process peer({"/usr/bin/python3", "-c", kRedisPy, server.address()});
  if (peer.read_line(std::chrono::seconds(20)) != "ready") throw std::runtime_error("redis-py does not start");
  const auto url = "redis://" + server.address();
  auto cell = Client::connect(url + "?mode=cell");
  auto redisson = Client::connect(url + "?mode=redisson");
  auto queue = Client::connect(url);
  (void)ours(cell, "warm", settings.duration / 4);
  (void)theirs(peer, settings.duration / 4);

  Duel of_cell;
  Duel of_redisson;
  Duel of_queue;
  for (int i = 0; i < settings.rounds; ++i) {
    const auto other = theirs(peer, settings.duration);
    of_cell.theirs.push_back(other);
    of_redisson.theirs.push_back(other);
    of_queue.theirs.push_back(other);
    of_cell.ours.push_back(ours(cell, "cell", settings.duration));
    of_redisson.ours.push_back(ours(redisson, "redisson", settings.duration));
    of_queue.ours.push_back(ours(queue, "queue", settings.duration));
  }
  Table table(duel_heads());
  table.row(duel_row("mode=cell, 1 client, locks/s; redis-py", of_cell, "2.5"));
  table.row(duel_row("mode=redisson, 1 client, locks/s; redis-py", of_redisson, "-"));
  table.row(duel_row("mode=queue, 1 client, locks/s; redis-py", of_queue, "-"));
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
