#include "backend/memory/memory_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/process.h"

namespace holdfast::memory {
namespace {

// The two queues of a semaphore lie below its name.
constexpr auto kTurns = "turns";
constexpr auto kPermits = "permits";

std::string path(const std::string& queue, const std::string& leaf) {
  return queue.empty() ? "/" + leaf : "/" + queue + "/" + leaf;
}

}  // namespace

spi::SemaphoreQueues Service::semaphore(const std::string& name) {
  return {.turns = name + "/" + kTurns, .permits = name + "/" + kPermits};
}

std::shared_ptr<Service> Service::named(const std::string& name) {
  struct Services {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Service>> by_name;
  };
  // A child gets new ones: in its copies of the parent's, what the parent held would be held for ever.
  static constinit base::PerProcess<Services> all;
  auto& services = all.get();
  const std::lock_guard lock(services.mutex);
  std::erase_if(services.by_name, [](const auto& entry) { return entry.second.expired(); });
  auto& known = services.by_name[name];
  auto service = known.lock();
  if (!service) known = service = base::make_shared_here<Service>();
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
    std::vector<std::string> gone;
    std::erase_if(queue.items, [&](const Item& each) {
      if (each.place.session != session) return false;
      gone.push_back(each.place.ticket.id);
      return true;
    });
    for (const auto& ticket : gone) tell(name, ticket, std::nullopt);
  }
  std::erase_if(queues_, [](const auto& entry) { return entry.second.items.empty(); });
}

bool Service::is_open(spi::SessionId session) const {
  const std::lock_guard lock(mutex_);
  return sessions_.contains(session);
}

spi::Reply<std::vector<spi::Enqueued>> Service::enqueue(spi::SessionId session,
                                                        const std::vector<spi::Request>& requests) {
  const std::lock_guard lock(mutex_);
  if (!sessions_.contains(session)) return {spi::Status::expired, "the session has ended", {}};
  for (const auto& request : requests) {
    if (!request.in_place_of.empty() && item(request.queue, request.in_place_of) == nullptr) {
      return {spi::Status::absent, "no ticket " + request.in_place_of, {}};
    }
  }
  ++last_token_;
  spi::Reply<std::vector<spi::Enqueued>> reply;
  for (const auto& request : requests) {
    auto& queue = queues_[request.queue];
    auto behind = queue.items.end();
    auto sequence = queue.next++;
    if (!request.in_place_of.empty()) {
      behind = std::find_if(queue.items.begin(), queue.items.end(),
                            [&](const Item& each) { return each.place.ticket.id == request.in_place_of; });
      sequence = behind->place.ticket.sequence;
      ++behind;
    }
    const Item item{
        // By the token, which no other of this uid ever has; sequences begin anew with the queue.
        .place = {.ticket = {.id = fmt::format("{}-{:010}", request.uid, last_token_),
                             .sequence = sequence,
                             .mode = request.mode},
                  .token = last_token_,
                  .session = session},
        .uid = request.uid,
        .text = {.card = request.card},
        .made = std::chrono::system_clock::now(),
    };
    queue.items.insert(behind, item);
    reply.value.push_back({item.place, {}});
    tell_of_coming(request.queue);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) reply.value[i].queue = listing(requests[i].queue);
  return reply;
}

std::optional<spi::Enqueued> Service::find(const std::string& name, const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(name);
  if (queue == queues_.end()) return std::nullopt;
  const auto& items = queue->second.items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& each) { return each.uid == uid; });
  if (found == items.end()) return std::nullopt;
  return spi::Enqueued{found->place, listing(name)};
}

spi::Listing Service::list(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return listing(name);
}

bool Service::dequeue(const std::string& name, const std::string& ticket) {
  const std::lock_guard lock(mutex_);
  if (item(name, ticket) != nullptr) {
    const auto queue = queues_.find(name);
    std::erase_if(queue->second.items, [&](const Item& each) { return each.place.ticket.id == ticket; });
    // As a container does, its counter begins anew; tokens are the service's, and do not.
    if (queue->second.items.empty()) queues_.erase(queue);
  } else if (!remove_mark(name, ticket) && values_.erase(path(name, ticket)) == 0) {
    return false;
  }
  tell(name, ticket, std::nullopt);
  return true;
}

bool Service::remove_mark(const std::string& name, const std::string& mark) {
  const auto marks = marks_.find(name);
  if (marks == marks_.end()) return false;
  const auto removed = std::erase_if(marks->second, [&](const std::string& each) { return mark_of(each) == mark; });
  if (marks->second.empty()) marks_.erase(marks);
  return removed > 0;
}

bool Service::leave_mark(const std::string& name, const std::string& ticket) {
  const std::lock_guard lock(mutex_);
  if (item(name, ticket) == nullptr) return false;
  marks_[name].insert(ticket);
  return true;
}

std::vector<std::string> Service::abandoned_marks(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> abandoned;
  if (const auto marks = marks_.find(name); marks != marks_.end()) {
    for (const auto& ticket : marks->second) {
      if (item(name, ticket) == nullptr) abandoned.push_back(mark_of(ticket));
    }
  }
  return abandoned;
}

std::size_t Service::marks(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = marks_.find(name);
  return found == marks_.end() ? 0 : found->second.size();
}

std::optional<std::string> Service::value(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find("/" + path);
  return found == values_.end() ? std::nullopt : std::optional(found->second.text);
}

void Service::make_count(const std::string& name, std::int32_t initial) {
  const std::lock_guard lock(mutex_);
  values_.try_emplace("/" + name, Value{std::to_string(initial), 0});
}

spi::Reply<std::int32_t> Service::count(const std::string& name) const {
  const auto text = value(name);
  if (!text) return {spi::Status::absent, "no count " + name, {}};
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error == std::errc() && end == text->data() + text->size()) return {spi::Status::ok, {}, count};
  return {spi::Status::denied, fmt::format("/{} holds {} bytes that are not a count", name, text->size()), {}};
}

bool Service::set_count(const std::string& name, std::int32_t count) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find("/" + name);
  if (found == values_.end()) return false;
  found->second.text = std::to_string(count);
  ++found->second.version;
  for (const auto& [id, listener] : count_listeners_) {
    if (listener.name == name) listener.told(count);
  }
  return true;
}

std::optional<spi::TicketText> Service::text(const std::string& name, const std::string& ticket) const {
  const std::lock_guard lock(mutex_);
  return text_of(name, ticket);
}

bool Service::write(const std::string& name, const std::string& ticket, const spi::TicketText& text) {
  const std::lock_guard lock(mutex_);
  if (item(name, ticket) != nullptr) {
    for (auto& each : queues_[name].items) {
      if (each.place.ticket.id == ticket) each.text = text;
    }
  } else {
    return false;
  }
  tell(name, ticket, text);
  return true;
}

spi::Examination Service::examine(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  spi::Examination found;
  if (const auto queue = queues_.find(name); queue != queues_.end()) {
    found.next_sequence = queue->second.next;
    for (const auto& each : queue->second.items) {
      found.tickets.push_back({.ticket = each.place.ticket,
                               .recipe = "Holdfast",
                               .text = each.text,
                               .token = each.place.token,
                               .session = each.place.session,
                               .made = each.made});
    }
  }
  // Names of what is directly below: of values, and of queues that are not empty, as a service that removes empty ones has them.
  std::set<std::string> below;
  const auto prefix = name.empty() ? std::string() : name + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(prefix) && path.size() > prefix.size()) {
      below.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    }
  };
  for (const auto& [queue, content] : queues_) {
    if (!content.items.empty()) add(queue);
  }
  for (const auto& [path, value] : values_) add(path.substr(1));
  found.below.assign(below.begin(), below.end());
  found.semaphore = found.tickets.empty() && below.contains(kPermits);
  return found;
}

std::string Service::refusal(const std::map<std::string, Value>& values, const spi::Change& change) const {
  const auto value = values.find(change.path);
  const bool exists = value != values.end();
  if (change.what == spi::Change::What::create) return exists ? change.path + " exists already" : std::string();
  if (!exists) return "there is no " + change.path;
  if (change.version && *change.version != value->second.version) {
    return fmt::format("{} has version {}, not {}", change.path, value->second.version, *change.version);
  }
  return {};
}

spi::Reply<spi::Nothing> Service::commit(const std::vector<spi::TicketName>& guards,
                                         const std::vector<spi::Change>& changes) {
  const std::lock_guard lock(mutex_);
  for (const auto& guard : guards) {
    if (item(guard.queue, guard.ticket) == nullptr) return {spi::Status::absent, "no ticket " + guard.ticket, {}};
  }
  auto values = values_;
  for (const auto& change : changes) {
    if (auto why = refusal(values, change); !why.empty()) return {spi::Status::denied, std::move(why), {}};
    switch (change.what) {
      case spi::Change::What::create: values[change.path] = {change.text, 0}; break;
      case spi::Change::What::set:
        values[change.path].text = change.text;
        ++values[change.path].version;
        break;
      case spi::Change::What::remove: values.erase(change.path); break;
      case spi::Change::What::check: break;
    }
  }
  values_ = std::move(values);
  for (const auto& change : changes) {
    const auto slash = change.path.rfind('/');
    const auto queue = slash == 0 ? std::string() : change.path.substr(1, slash - 1);
    const auto leaf = change.path.substr(slash + 1);
    if (change.what == spi::Change::What::create) tell_of_coming(queue);
    if (change.what == spi::Change::What::set) tell(queue, leaf, spi::TicketText{.card = change.text});
    if (change.what == spi::Change::What::remove) tell(queue, leaf, std::nullopt);
  }
  return {};
}

std::optional<std::uint64_t> Service::listen(const std::string& name, const std::string& ticket, Told told) {
  const std::lock_guard lock(mutex_);
  if (!text_of(name, ticket)) return std::nullopt;
  listeners_[++last_listener_] = {name, ticket, std::move(told)};
  return last_listener_;
}

std::uint64_t Service::listen_to_queue(const std::string& name, Told told) {
  const std::lock_guard lock(mutex_);
  listeners_[++last_listener_] = {name, {}, std::move(told)};
  return last_listener_;
}

std::uint64_t Service::listen_to_count(const std::string& name, spi::CountListener told) {
  const std::lock_guard lock(mutex_);
  count_listeners_[++last_listener_] = {name, std::move(told)};
  return last_listener_;
}

void Service::ignore(std::uint64_t listener) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(listener);
  count_listeners_.erase(listener);
}

void Service::set_next_sequence(const std::string& name, std::int64_t next) {
  const std::lock_guard lock(mutex_);
  queues_[name].next = next;
}

std::size_t Service::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_.size();
}

std::size_t Service::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size() + count_listeners_.size();
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

std::optional<spi::TicketText> Service::text_of(const std::string& name, const std::string& ticket) const {
  if (const auto* found = item(name, ticket)) return found->text;
  const auto value = values_.find(path(name, ticket));
  return value == values_.end() ? std::nullopt : std::optional(spi::TicketText{.card = value->second.text});
}

spi::Listing Service::listing(const std::string& name) const {
  spi::Listing tickets;
  if (const auto queue = queues_.find(name); queue != queues_.end()) {
    for (const auto& each : queue->second.items) tickets.push_back(each.place.ticket);
  }
  const auto prefix = path(name, "");
  for (auto value = values_.lower_bound(prefix); value != values_.end() && value->first.starts_with(prefix); ++value) {
    const auto leaf = value->first.substr(prefix.size());
    if (leaf.find('/') == std::string::npos) tickets.push_back({.id = leaf, .mode = spi::Mode::none});
  }
  return tickets;
}

void Service::tell(const std::string& queue, const std::string& ticket, const std::optional<spi::TicketText>& text) {
  std::erase_if(listeners_, [&](auto& entry) {
    const auto& listener = entry.second;
    const bool of_the_queue = listener.ticket.empty() && !text;
    if (listener.queue != queue || (listener.ticket != ticket && !of_the_queue)) return false;
    listener.told(text);
    return !text;
  });
}

void Service::tell_of_coming(const std::string& queue) {
  std::erase_if(listeners_, [&](auto& entry) {
    if (entry.second.queue != queue || !entry.second.ticket.empty()) return false;
    entry.second.told(std::nullopt);
    return true;
  });
}

}  // namespace holdfast::memory
