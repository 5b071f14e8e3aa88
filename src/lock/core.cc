#include "lock/core.h"

#include <fmt/format.h>

#include <vector>

#include "lock/self.h"

namespace holdfast::lock {

Core::Core(const Client::BackendFactory& make, ClientOptions options)
    : options_(std::move(options)),
      backend_(make(loop_)),
      session_(loop_, *this),
      sweeper_(loop_, *backend_, session_),
      means_{loop_, *backend_, session_, sweeper_, options_.retry, options_.connection_timeout} {}

Core::~Core() { close(); }

void Core::open() {
  std::future<void> opened;
  loop_.enter([&] {
    opened = opening_.emplace().get_future();
    backend_->open(session_);
  });
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(options_.connection_timeout);
  if (opened.wait_for(patience) != std::future_status::ready) {
    throw Error(Errc::not_connected, fmt::format("no session with {} within the connection timeout of {} ms",
                                                 backend_->where(), patience.count()));
  }
  opened.get();
}

void Core::close() noexcept {
  std::function<void()> outside;
  const bool first = loop_.enter([&] {
    if (over_ && over_->code == Errc::cancelled) return false;
    over_ = Refusal{Errc::cancelled, "the client was closed"};
    for_each_gate([&](Gate& gate) { gate.close(*over_); });
    session_.close();
    sweeper_.close();
    outside = backend_->close();
    return true;
  });
  const auto closed = closed_;  // ours may be gone as soon as the others know
  if (!first) {
    // A callback must not wait for the one who waits for it.
    if (!losses_.is_this_thread() && !notices_.is_this_thread()) closed->wait();
    return;
  }
  if (outside) outside();
  loop_.stop();
  losses_.stop();
  notices_.stop();
  closed->set();
}

std::shared_ptr<Gate> Core::gate(const std::string& name) {
  return loop_.enter([&] {
    auto& slot = gates_[full_name(name)];
    auto gate = slot.lock();
    if (!gate) {
      gate =
          std::make_shared<Gate>(means_, losses_, full_name(name), options_.hand_over, [this] { return make_card(); });
      slot = gate;
      // Names come and go. What no Mutex refers to any more is forgotten whenever the map has doubled.
      if (gates_.size() > 2 * gates_kept_ + 64) {
        std::erase_if(gates_, [](const auto& entry) { return entry.second.expired(); });
        gates_kept_ = gates_.size();
      }
    }
    return gate;
  });
}

Outcome Core::acquire(const std::shared_ptr<Gate>& gate, Clock::time_point deadline, const std::stop_token& stop) {
  const bool patient = deadline > Clock::time_point();
  if (!patient) deadline = loop_.now() + options_.connection_timeout;
  const auto waiter = std::make_shared<Waiter>(patient);
  loop_.enter([&] {
    if (over_) {
      waiter->fail(*over_);
    } else {
      gate->enter(waiter);
    }
  });
  Outcome outcome = waiter->wait(deadline, stop);
  if (!outcome) loop_.enter([&] { gate->leave(waiter, outcome.error()); });
  return outcome;
}

std::error_code Core::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  return loop_.enter([&] { return hold->gate().release(hold, std::move(done)); });
}

void Core::state_changed(ConnectionState state) {
  state_.store(state);
  if (options_.listener) {
    // A copy: the listener may destroy the client, and us with it.
    notices_.deliver([listener = options_.listener, state] { listener(state); });
  }
  if (opening_ && state == ConnectionState::connected) {
    opening_->set_value();
    opening_.reset();
  }
  if (state == ConnectionState::reconnected) for_each_gate([](Gate& gate) { gate.session_is_good(); });
}

void Core::session_connected(bool) {
  sweeper_.session_connected();
  for_each_gate([](Gate& gate) { gate.session_is_good(); });
}

void Core::session_disconnected() {
  for_each_gate([](Gate& gate) { gate.session_disconnected(); });
}

void Core::validity_ended() {
  for_each_gate([](Gate& gate) { gate.validity_ended(); });
}

void Core::beat() {
  backend_->beat([](const auto&) {});
  for_each_gate([](Gate& gate) { gate.beat(); });
}

void Core::session_refused(const std::string& why) {
  if (over_) return;
  over_ = Refusal{Errc::refused, why};
  for_each_gate([&](Gate& gate) { gate.close(*over_); });
  if (opening_) {
    opening_->set_exception(std::make_exception_ptr(Error(Errc::refused, why)));
    opening_.reset();
  }
}

template <class F>
void Core::for_each_gate(F&& f) {
  // A copy: what is called may make gates come and go.
  std::vector<std::shared_ptr<Gate>> gates;
  for (const auto& [name, weak] : gates_) {
    if (auto gate = weak.lock()) gates.push_back(std::move(gate));
  }
  for (const auto& gate : gates) f(*gate);
}

std::string Core::full_name(const std::string& name) const {
  return options_.name_space.empty() ? name : options_.name_space + "/" + name;
}

Card Core::make_card() const {
  Card card = this_process();
  card.purpose = options_.purpose;
  card.since = std::chrono::system_clock::now();
  return card;
}

}  // namespace holdfast::lock
