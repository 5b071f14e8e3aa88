#include "backend/memory/memory_service.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::memory {

std::shared_ptr<Service> Service::named(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Service>> services;
  const std::lock_guard lock(mutex);
  std::erase_if(services, [](const auto& entry) { return entry.second.expired(); });
  auto service = services[name].lock();
  if (!service) services[name] = service = std::make_shared<Service>();
  return service;
}

spi::SessionId Service::open_session() {
  const std::lock_guard lock(mutex_);
  sessions_.insert(++last_session_);
  return last_session_;
}

void Service::end_session(spi::SessionId session) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(session);
  for (auto& [name, queue] : queues_) {
    std::erase_if(queue.items, [&, &queue_name = name](const Item& each) {
      if (each.place.session != session) return false;
      tell_listeners(queue_name, each.place.ticket.id);
      return true;
    });
  }
}

bool Service::is_open(spi::SessionId session) const {
  const std::lock_guard lock(mutex_);
  return sessions_.contains(session);
}

std::optional<spi::Enqueued> Service::enqueue(spi::SessionId session, const std::string& name,
                                              const spi::Request& request) {
  const std::lock_guard lock(mutex_);
  if (!sessions_.contains(session)) return std::nullopt;
  auto& queue = queues_[name];
  const auto sequence = queue.next++;
  Item item{.place = {.ticket = {.id = fmt::format("{}-{:010}", request.uid, sequence),
                                 .sequence = sequence,
                                 .shared = request.shared},
                      .token = ++last_token_,
                      .session = session},
            .uid = request.uid,
            .card = request.card};
  queue.items.push_back(item);
  return spi::Enqueued{item.place, listing(queue)};
}

std::optional<spi::Enqueued> Service::find(const std::string& name, const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(name);
  if (queue == queues_.end()) return std::nullopt;
  const auto& items = queue->second.items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& each) { return each.uid == uid; });
  if (found == items.end()) return std::nullopt;
  return spi::Enqueued{found->place, listing(queue->second)};
}

spi::Listing Service::list(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(name);
  return queue == queues_.end() ? spi::Listing() : listing(queue->second);
}

bool Service::dequeue(const std::string& name, const std::string& ticket) {
  const std::lock_guard lock(mutex_);
  if (item(name, ticket) == nullptr) return false;
  std::erase_if(queues_[name].items, [&](const Item& each) { return each.place.ticket.id == ticket; });
  tell_listeners(name, ticket);
  return true;
}

std::optional<std::string> Service::card(const std::string& name, const std::string& ticket) const {
  const std::lock_guard lock(mutex_);
  const auto* found = item(name, ticket);
  return found == nullptr ? std::nullopt : std::optional(found->card);
}

std::optional<std::uint64_t> Service::listen(const std::string& name, const std::string& ticket,
                                             std::function<void()> gone) {
  const std::lock_guard lock(mutex_);
  if (item(name, ticket) == nullptr) return std::nullopt;
  listeners_[++last_listener_] = {name, ticket, std::move(gone)};
  return last_listener_;
}

void Service::ignore(std::uint64_t listener) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(listener);
}

void Service::set_next_sequence(const std::string& name, std::int64_t next) {
  const std::lock_guard lock(mutex_);
  queues_[name].next = next;
}

std::size_t Service::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

std::vector<spi::SessionId> Service::sessions() const {
  const std::lock_guard lock(mutex_);
  return {sessions_.begin(), sessions_.end()};
}

const Service::Item* Service::item(const std::string& name, const std::string& ticket) const {
  const auto queue = queues_.find(name);
  if (queue == queues_.end()) return nullptr;
  const auto& items = queue->second.items;
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.place.ticket.id == ticket; });
  return found == items.end() ? nullptr : &*found;
}

spi::Listing Service::listing(const Queue& queue) {
  spi::Listing tickets;
  for (const auto& each : queue.items) tickets.push_back(each.place.ticket);
  return tickets;
}

void Service::tell_listeners(const std::string& queue, const std::string& ticket) {
  std::erase_if(listeners_, [&](auto& entry) {
    if (entry.second.queue != queue || entry.second.ticket != ticket) return false;
    entry.second.gone();
    return true;
  });
}

}  // namespace holdfast::memory
