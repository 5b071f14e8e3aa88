#include "server/engines.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

namespace holdfast::server {
namespace {

struct Engines {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Runtime>> by_name;
};

// Never destroyed: the last client may be a global object, which goes after main().
Engines& engines() {
  static auto* const all = new Engines;
  return *all;
}

bool is_directory(const std::string& name) { return name.find('/') != std::string::npos; }

// One directory has many names.
std::string key_of(const std::string& name) {
  if (!is_directory(name)) return name;
  std::error_code ignored;
  return std::filesystem::weakly_canonical(name, ignored).string();
}

RuntimeResult start(EngineOptions options) {
  auto started = Runtime::start(std::move(options));
  if (!started) return tl::unexpected(std::move(started.error()));
  // In good order: what the next one finds is a snapshot, not a long log.
  return std::shared_ptr<Runtime>(started->release(), [](Runtime* runtime) {
    runtime->stop();
    delete runtime;
  });
}

}  // namespace

RuntimeResult engine_called(const std::string& name) {
  Engines& all = engines();
  const std::lock_guard lock(all.mutex);
  auto& known = all.by_name[key_of(name)];
  if (auto running = known.lock()) return running;
  auto started = start({.data_dir = is_directory(name) ? name : std::string(),
                        // What a client asks for is what it gets: there is no network between them to be patient with.
                        .min_session_timeout = std::chrono::milliseconds(100),
                        .max_session_timeout = std::chrono::hours(1)});
  if (started) known = *started;
  return started;
}

RuntimeResult start_engine(EngineOptions options) {
  const auto name = options.name.empty() ? options.data_dir : options.name;
  if (name.empty()) return start(std::move(options));
  Engines& all = engines();
  const std::lock_guard lock(all.mutex);
  auto& known = all.by_name[key_of(name)];
  if (known.lock()) return tl::unexpected(fmt::format("an engine called \"{}\" runs in this process already", name));
  auto started = start(std::move(options));
  if (started) known = *started;
  return started;
}

}  // namespace holdfast::server
