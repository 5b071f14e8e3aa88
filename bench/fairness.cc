// fairness.cc -- how long a small request of one client takes beside a pipeline of another, on a tree of a million nodes: the engine
// and Apache ZooKeeper in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/socket_client.h"
#include "wire/jute.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using wire::Op;

const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};
constexpr std::int32_t kEphemeral = 1;
constexpr std::int32_t kWatchXid = -1;

struct Settings {
  int nodes = 1'000'000;
  milliseconds duration{5'000};
  milliseconds pause{5};
  // That a client leaves behind: ephemerals and watches.
  int left = 50'000;
};

// One session, byte by byte.
class Line {
 public:
  explicit Line(std::uint16_t port) : client_(port) {
    wire::Writer hello;
    encode(hello, wire::ConnectRequest{.timeout = 40'000, .password = std::string(16, '\0'), .has_read_only = true});
    send_frame(hello.bytes());
    (void)receive_frame();
  }

  void send(Op op, std::string_view payload) {
    wire::Writer frame;
    frame.i32(++xid_);
    frame.i32(static_cast<std::int32_t>(op));
    frame.raw(payload);
    send_frame(frame.bytes());
  }
  // The next answer; events are passed over.
  void receive() {
    for (;;) {
      const auto frame = receive_frame();
      wire::Reader reader(frame);
      if (reader.i32() != kWatchXid) return;
    }
  }
  // False: the connection has ended.
  bool try_receive() {
    try {
      receive();
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  void call(Op op, std::string_view payload) {
    send(op, payload);
    receive();
  }

 private:
  void send_frame(std::string_view bytes) {
    if (!client_.send_frame(bytes)) throw std::runtime_error("cannot send");
  }
  std::string receive_frame() {
    for (int patience = 0; patience < 12; ++patience) {
      if (auto frame = client_.receive_frame(); !frame.empty()) return frame;
    }
    throw std::runtime_error("no answer, or the connection has ended");
  }

  testing::SocketClient client_;
  std::int32_t xid_ = 0;
};

std::string by_path(const std::string& path) {
  wire::Writer out;
  out.text(path);
  return out.take();
}

std::string watchable(const std::string& path) {
  wire::Writer out;
  out.text(path);
  out.boolean(false);
  return out.take();
}

std::string creation(const std::string& path, std::int32_t flags) {
  wire::Writer out;
  out.text(path);
  out.text(std::string(16, 'x'));
  encode(out, kOpen);
  out.i32(flags);
  return out.take();
}

std::string many(int count, const std::function<std::pair<Op, std::string>(int)>& step) {
  wire::Writer out;
  for (int i = 0; i < count; ++i) {
    const auto [op, payload] = step(i);
    out.i32(static_cast<std::int32_t>(op));
    out.boolean(false);
    out.i32(-1);
    out.raw(payload);
  }
  out.i32(-1);
  out.boolean(true);
  out.i32(-1);
  return out.take();
}

void create_all(Line& line, const std::string& prefix, int count, std::int32_t flags) {
  constexpr int kAtOnce = 1'000;
  for (int from = 0; from < count; from += kAtOnce) {
    line.call(Op::multi, many(std::min(kAtOnce, count - from), [&](int i) {
                return std::pair(Op::create, creation(fmt::format("{}{:07}", prefix, from + i), flags));
              }));
  }
}

std::string paths_to_watch(int count) {
  wire::Writer out;
  out.i64(0);
  out.i32(0);
  out.i32(count);
  for (int i = 0; i < count; ++i) out.text(fmt::format("/none/{:07}", i));
  out.i32(0);
  return out.take();
}

// What the other client does until it is told to stop.
struct Greed {
  std::string name;
  std::function<void(std::uint16_t port, const std::atomic<bool>& stop)> run;
};

// The same request again and again, `window` of them without an answer.
Greed pipeline(std::string name, Op op, const std::string& payload, int window,
               const std::function<void(Line&)>& before = {}) {
  return {std::move(name), [=](std::uint16_t port, const std::atomic<bool>& stop) {
            Line line(port);
            if (before) before(line);
            int open = 0;
            while (!stop) {
              for (; open < window; ++open) line.send(op, payload);
              line.receive();
              --open;
            }
            // Disconnects; what is under way is thrown away.
          }};
}

// So many connections that each ask for it at the same moment, and again once all have their answer. A connection that the server has
// ended because of the memory that its answers take is opened again.
Greed crowd(std::string name, int connections, Op op, const std::string& payload) {
  return {std::move(name), [=](std::uint16_t port, const std::atomic<bool>& stop) {
            std::vector<std::unique_ptr<Line>> lines(static_cast<std::size_t>(connections));
            while (!stop) {
              for (auto& line : lines) {
                if (!line) line = std::make_unique<Line>(port);
                line->send(op, payload);
              }
              for (auto& line : lines) {
                if (stop) return;
                if (!line->try_receive()) line.reset();
              }
            }
          }};
}

std::vector<Greed> all_kinds(const Settings& settings) {
  const auto ephemerals = [left = settings.left](Line& line) { create_all(line, "/e/n", left, kEphemeral); };
  const auto watches = [left = settings.left](Line& line) { line.call(Op::set_watches, paths_to_watch(left)); };
  wire::Writer large;
  large.text("/large");
  large.text(std::string(900'000, 'x'));
  large.i32(-1);
  wire::Writer recursive;
  recursive.text("/flat");
  recursive.i32(1);
  const auto reads =
      many(10'000, [](int i) { return std::pair(Op::get_data, watchable(fmt::format("/flat/{:07}", i))); });
  const auto writes = many(5'000, [](int i) {
    return i % 2 == 0 ? std::pair(Op::create, creation("/m/n", 0))
                      : std::pair(Op::remove, by_path("/m/n") + "\xff\xff\xff\xff");
  });
  const auto lists = [](int count) {
    return many(count, [](int) { return std::pair(Op::get_children, watchable("/long")); });
  };
  return {
      {"nothing", [](std::uint16_t, const std::atomic<bool>&) {}},
      pipeline("exists", Op::exists, watchable("/flat"), 1'000),
      pipeline("getAllChildrenNumber", Op::get_all_children_number, by_path("/flat"), 100),
      pipeline("getChildren", Op::get_children, watchable("/flat"), 100),
      pipeline("multiRead, 10,000 getData", Op::multi_read, reads, 20),
      crowd("getChildren of 100,000 names, 500 connections", 500, Op::get_children, watchable("/long")),
      crowd("multiRead of 100 such getChildren, 24 connections", 24, Op::multi_read, lists(100)),
      crowd("multiRead of 7 such getChildren, 24 connections", 24, Op::multi_read, lists(7)),
      crowd("getChildren, 24 connections", 24, Op::get_children, watchable("/flat")),
      crowd("setData, 900 kB, 100 connections", 100, Op::set_data, large.bytes()),
      crowd("multi, 5,000 creates and deletes, 100 connections", 100, Op::multi, writes),
      crowd("setWatches, 100 connections", 100, Op::set_watches, paths_to_watch(settings.left)),
      crowd("exists, 500 connections", 500, Op::exists, watchable("/flat")),
      pipeline("getEphemerals", Op::get_ephemerals, by_path("/"), 100, ephemerals),
      pipeline("setData, 900 kB", Op::set_data, large.bytes(), 10),
      pipeline("multi, 5,000 creates and deletes", Op::multi, writes, 20),
      pipeline("addWatch, recursive", Op::add_watch, recursive.bytes(), 1'000),
      pipeline("setWatches", Op::set_watches, paths_to_watch(settings.left), 5),
      {"closeSession with ephemerals",
       [ephemerals](std::uint16_t port, const std::atomic<bool>& stop) {
         while (!stop) {
           Line line(port);
           ephemerals(line);
           line.call(Op::close_session, "");
         }
       }},
      {"disconnect with watches",
       [watches](std::uint16_t port, const std::atomic<bool>& stop) {
         while (!stop) {
           Line line(port);
           watches(line);
         }
       }},
  };
}

// A server may still be busy with what the last one left behind.
void wait_until_it_answers(const testing::ZooKeeperServer& server) {
  constexpr auto kSoon = milliseconds(20);
  for (int attempt = 0; attempt < 1'000; ++attempt) {
    Line line(server.port());
    const auto began = Clock::now();
    line.call(Op::exists, watchable("/"));
    if (Clock::now() - began < kSoon) return;
  }
}

// Milliseconds that `exists` takes, again and again.
std::vector<double> beats(const testing::ZooKeeperServer& server, const Greed& greed, const Settings& settings) {
  std::atomic<bool> stop = false;
  std::exception_ptr trouble;
  wait_until_it_answers(server);
  Line line(server.port());
  std::thread other([&] {
    try {
      greed.run(server.port(), stop);
    } catch (...) {
      trouble = std::current_exception();
    }
  });
  std::vector<double> taken;
  std::exception_ptr lost;
  try {
    const auto end = Clock::now() + settings.duration;
    while (Clock::now() < end) {
      const auto began = Clock::now();
      line.call(Op::exists, watchable("/"));
      taken.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
      std::this_thread::sleep_for(settings.pause);
    }
  } catch (...) {
    lost = std::current_exception();
  }
  stop = true;
  other.join();
  if (lost) std::rethrow_exception(lost);
  if (trouble) std::rethrow_exception(trouble);
  return taken;
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app{"What a heartbeat takes beside a client that pipelines; the engine beside Apache ZooKeeper."};
  int duration = static_cast<int>(settings.duration.count());
  std::string only;
  app.add_option("--nodes", settings.nodes, "of the tree, in one directory")->check(CLI::PositiveNumber);
  app.add_option("--duration", duration, "of each, in milliseconds")->check(CLI::PositiveNumber);
  app.add_option("--left", settings.left, "ephemerals or watches that a client leaves behind")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", only, "only the requests whose name contains this");
  CLI11_PARSE(app, argc, argv);
  settings.duration = milliseconds(duration);

  Rivals rivals({"snapCount=100000000"}, "4g");
  print_machine();
  print_versions(rivals);
  for (const auto* server : {&rivals.engine, &rivals.apache}) {
    Line line(server->port());
    for (const auto* path : {"/flat", "/e", "/m", "/large", "/long"}) line.call(Op::create, creation(path, 0));
    create_all(line, "/flat/", settings.nodes, 0);
    create_all(line, "/long/", std::min(settings.nodes, 100'000), 0);
  }
  Table table({"beside", "engine: median, ms", "99 %", "worst", "ZooKeeper: median, ms", "99 %", "worst", "goal"});
  for (const auto& greed : all_kinds(settings)) {
    if (greed.name.find(only) == std::string::npos) continue;
    std::vector<std::string> cells{greed.name};
    for (const auto* server : {&rivals.engine, &rivals.apache}) {
      std::vector<double> taken;
      try {
        taken = beats(*server, greed, settings);
      } catch (const std::exception& error) {
        const auto* name = server == &rivals.engine ? "engine" : "ZooKeeper";
        fmt::print(stderr, "{}, beside {}: {}\n", name, greed.name, error.what());
        cells.insert(cells.end(), {"failed", "failed", "failed"});
        continue;
      }
      for (const double fraction : {0.5, 0.99, 1.0})
        cells.push_back(fmt::format("{:.2f}", percentile(taken, fraction)));
    }
    cells.push_back("worst ≤ 200 ms");
    table.row(cells);
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
