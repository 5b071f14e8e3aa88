// world.cc -- the toy store as a world for the conformance cases.
#include "conformance/world.h"

#include "toy_backend.h"

namespace holdfast::testing {
namespace {

class ToyWorld final : public World {
 public:
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    return std::make_unique<toy::Backend>(executor, store_, options.session_timeout);
  }

  // A map in this process knows no strangers, and a child of fork() would find a copy of it.
  bool can(Ability ability) const override { return ability != Ability::strangers && ability != Ability::fork; }

  std::size_t listeners() override {
    const std::lock_guard lock(store_->mutex);
    return store_->listeners.size();
  }
  std::size_t marks(const std::string& queue) override {
    const std::lock_guard lock(store_->mutex);
    return store_->marks[queue].size();
  }
  std::optional<std::string> read_value(const std::string& path) override {
    const std::lock_guard lock(store_->mutex);
    const auto value = store_->values.find("/" + path);
    return value == store_->values.end() ? std::nullopt : std::optional(value->second.text);
  }
  void write_value(const std::string& path, const std::string& text) override {
    const std::lock_guard lock(store_->mutex);
    store_->values["/" + path].text = text;
    store_->changed();
  }
  void end_session(const spi::Session& session) override {
    const std::lock_guard lock(store_->mutex);
    store_->end(session.id);
  }

 private:
  std::shared_ptr<toy::Store> store_ = std::make_shared<toy::Store>();
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<ToyWorld>(); }

}  // namespace holdfast::testing
