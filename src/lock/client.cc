#include "holdfast/client.h"

#include "base/name.h"
#include "holdfast/error.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/core.h"
#include "lock/options.h"
#include "lock/owner.h"

namespace holdfast {
namespace {

std::string checked_name(std::string_view name) {
  auto parsed = base::parse_name(name);
  if (!parsed) throw Error(Errc::invalid_argument, parsed.error());
  return std::move(*parsed);
}

}  // namespace

std::string_view to_string(ConnectionState state) noexcept {
  switch (state) {
    case ConnectionState::connected: return "connected";
    case ConnectionState::jeopardy: return "jeopardy";
    case ConnectionState::reconnected: return "reconnected";
    case ConnectionState::lost: return "lost";
  }
  return "unknown";
}

Client Client::connect(const BackendFactory& make, ClientOptions options) {
  Client client(std::make_shared<lock::Core>(make, lock::checked(std::move(options))));
  client.core_->open();
  return client;
}

Client::Client(std::shared_ptr<lock::Core> core) noexcept : core_(std::move(core)) {}
Client::Client(Client&&) noexcept = default;

Client& Client::operator=(Client&& other) noexcept {
  if (this != &other) {
    close();
    core_ = std::move(other.core_);
  }
  return *this;
}

Client::~Client() { close(); }

Mutex Client::mutex(std::string_view name) {
  return Mutex(std::make_shared<lock::Owner>(core_, checked_name(name), /*reentrant=*/true));
}

NonReentrantMutex Client::non_reentrant_mutex(std::string_view name) {
  return NonReentrantMutex(std::make_shared<lock::Owner>(core_, checked_name(name), /*reentrant=*/false));
}

ConnectionState Client::state() const noexcept { return core_->state(); }

void Client::close() noexcept {
  if (const auto core = core_) core->close();  // a copy: a callback may destroy us meanwhile
}

}  // namespace holdfast
