#include "holdfast/testing/faulty_service.h"

#include <future>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "backend/memory/memory_backend.h"
#include "testing/faulty_backend.h"

namespace holdfast::testing {

struct FaultyService::State {
  struct Connected {
    spi::Executor* executor;
    FaultyBackend* backend;
  };

  const std::shared_ptr<memory::Service> service = std::make_shared<memory::Service>();
  std::mutex mutex;  // guards the members below, and keeps their executors alive
  std::multimap<std::string, Connected> clients;
  std::set<std::string> cut;
  bool paused = false;

  // Runs `f` inside each of those clients, and returns when `f` and everything it posted have run.
  void tell(const std::string* name, const std::function<void(FaultyBackend&)>& f) {
    std::vector<std::future<void>> done;
    {
      const std::lock_guard lock(mutex);
      for (const auto& [called, client] : clients) {
        if (name != nullptr && called != *name) continue;
        auto promise = std::make_shared<std::promise<void>>();
        done.push_back(promise->get_future());
        // Posted from inside, the end comes after what `f` posted; from here it could overtake that.
        client.executor->post([f, promise, backend = client.backend, executor = client.executor] {
          f(*backend);
          executor->post([promise] { promise->set_value(); });
        });
      }
    }
    // For a client that is closed the function is dropped, which ends the wait, too.
    for (const auto& each : done) each.wait();
  }
  void expect(const std::string& name) {
    const std::lock_guard lock(mutex);
    if (!clients.contains(name)) throw std::invalid_argument("no client is called \"" + name + "\"");
  }
};

FaultyService::FaultyService() : state_(std::make_shared<State>()) {}
FaultyService::~FaultyService() = default;

Client::BackendFactory FaultyService::backend(const std::string& name, std::chrono::milliseconds session_timeout) {
  return [state = state_, name, session_timeout](spi::Executor& executor) {
    const std::lock_guard lock(state->mutex);
    const auto listed = state->clients.insert({name, {&executor, nullptr}});
    // Destroyed with the backend, while its executor is still there.
    const std::shared_ptr<void> entry(nullptr, [state, listed](void*) {
      const std::lock_guard unlist(state->mutex);
      state->clients.erase(listed);
    });
    auto backend = std::make_unique<FaultyBackend>(
        executor, std::make_unique<memory::MemoryBackend>(executor, state->service, session_timeout),
        [service = state->service](spi::SessionId session) { return service->is_open(session); }, entry);
    if (state->cut.contains(name)) backend->cut();
    if (state->paused) backend->pause();
    listed->second.backend = backend.get();
    return backend;
  };
}

Client FaultyService::connect(const std::string& name, ClientOptions options) {
  const auto make = backend(name, options.session_timeout);
  return Client::connect(make, std::move(options));
}

void FaultyService::pause() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->paused = true;
  }
  state_->tell(nullptr, [](FaultyBackend& backend) { backend.pause(); });
}

void FaultyService::resume() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->paused = false;
  }
  state_->tell(nullptr, [](FaultyBackend& backend) { backend.resume(); });
}

void FaultyService::cut(const std::string& name) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->cut.insert(name);
  }
  state_->tell(&name, [](FaultyBackend& backend) { backend.cut(); });
}

void FaultyService::mend(const std::string& name) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->cut.erase(name);
  }
  state_->tell(&name, [](FaultyBackend& backend) { backend.mend(); });
}

void FaultyService::expire(const std::string& name) {
  state_->expect(name);
  state_->tell(&name, [service = state_->service](FaultyBackend& backend) {
    if (backend.session() != 0) service->end_session(backend.session());
    backend.look_for_expiry();
  });
}

void FaultyService::lose_next_reply(const std::string& name, Operation operation) {
  state_->expect(name);
  state_->tell(&name, [=](FaultyBackend& backend) { backend.lose_next(operation, /*reply_only=*/true); });
}

void FaultyService::lose_next_request(const std::string& name, Operation operation) {
  state_->expect(name);
  state_->tell(&name, [=](FaultyBackend& backend) { backend.lose_next(operation, /*reply_only=*/false); });
}

}  // namespace holdfast::testing
