#include "server/engines.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/process.h"

namespace holdfast::server {
namespace {

struct Engines {
  struct Known {
    std::weak_ptr<Runtime> runtime;
    std::uint64_t number = 0;
  };
  std::mutex mutex;
  std::condition_variable ended;
  std::map<std::string, Known> by_name;  // until it has let go of its directory
  std::uint64_t last_number = 0;
};

// Never destroyed: the last client may be a global object, which goes after main(). Those of the parent do not run in a child.
Engines& engines() {
  static constinit base::PerProcess<Engines> all;
  return all.get();
}

bool is_directory(const std::string& name) { return name.find('/') != std::string::npos; }

// One directory has many names.
std::string key_of(const std::string& name) {
  if (!is_directory(name)) return name;
  std::error_code error;
  // Absolute first: of a relative path that is not there yet weakly_canonical() makes a relative one.
  const auto absolute = std::filesystem::absolute(name, error);
  const auto path = error ? absolute : std::filesystem::weakly_canonical(absolute, error);
  // Never the empty name, which is another engine's.
  if (error) return name;
  return (path.has_filename() ? path : path.parent_path()).string();
}

RuntimeResult start(EngineOptions options, std::function<void()> ended) {
  auto started = Runtime::start(std::move(options));
  if (!started) return tl::unexpected(std::move(started.error()));
  // In good order: what the next one finds is a snapshot, not a long log.
  return std::shared_ptr<Runtime>(
      started->release(), [ended = std::move(ended), made = base::Birthplace()](auto* runtime) {
        if (!made.is_here()) return base::keep_for_ever(runtime);  // its files, sockets and threads are the parent's
        runtime->stop();
        delete runtime;
        ended();
      });
}

using Lock = std::unique_lock<std::mutex>;

// The one that runs; none if a new one may be started. One that is on its way out is waited for.
std::shared_ptr<Runtime> running(const std::string& key, Lock& lock) {
  Engines& all = engines();
  for (;;) {  // in each round an engine has ended
    const auto known = all.by_name.find(key);
    if (known == all.by_name.end()) return nullptr;
    if (auto runtime = known->second.runtime.lock()) {
      if (!runtime->stopped()) return runtime;
      // Its clients have it still, but it is of no use to others. It must not end in here, where it could not be forgotten.
      all.by_name.erase(known);
      lock.unlock();
      runtime.reset();
      lock.lock();
      continue;
    }
    all.ended.wait(lock);
  }
}

RuntimeResult start_called(const std::string& key, EngineOptions options) {
  Engines& all = engines();
  const auto number = ++all.last_number;
  auto started = start(std::move(options), [key, number] {
    Engines& those = engines();
    const std::lock_guard lock(those.mutex);
    const auto known = those.by_name.find(key);
    if (known != those.by_name.end() && known->second.number == number) those.by_name.erase(known);
    those.ended.notify_all();
  });
  if (started) all.by_name[key] = {*started, number};
  return started;
}

}  // namespace

RuntimeResult engine_called(const std::string& name) {
  const auto key = key_of(name);
  Lock lock(engines().mutex);
  if (auto there = running(key, lock)) return there;
  return start_called(key,
                      {.data_dir = is_directory(name) ? name : std::string(),
                       // What a client asks for is what it gets: there is no network between them to be patient with.
                       .min_session_timeout = std::chrono::milliseconds(100),
                       .max_session_timeout = std::chrono::hours(1)});
}

RuntimeResult start_engine(EngineOptions options) {
  const auto name = options.name.empty() ? options.data_dir : options.name;
  if (name.empty()) return start(std::move(options), [] {});
  const auto key = key_of(name);
  std::shared_ptr<Runtime> there;  // may end when this goes, which takes the mutex
  Lock lock(engines().mutex);
  there = running(key, lock);
  if (there) return tl::unexpected(fmt::format("an engine called \"{}\" runs in this process already", name));
  return start_called(key, std::move(options));
}

}  // namespace holdfast::server
