// toy_store.h -- a storage service for locks, as small as it can be: maps behind one mutex. No network, no timeouts, and every change wakes
// every listener. docs/backends/writing-one.md walks through it.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace toy {

namespace spi = holdfast::spi;
using spi::Callback;
using spi::Change, spi::Enqueued, spi::Examined, spi::Listing, spi::Nothing, spi::Reply, spi::Status, spi::TicketText;
using Name = const std::string&;

// Its clients share it, each from its own Executor: so it has a mutex, and calls none of them. It posts.
struct Store {
  struct Value {
    std::string text;
    std::int32_t version = 0;
  };
  struct Listener {
    spi::Executor* executor;
    std::function<void()> look;
  };

  std::mutex mutex;  // guards all below, and is held while a member function runs
  std::map<std::string, std::vector<Examined>> queues;
  std::map<std::string, std::set<std::string>> marks;  // by queue: the tickets that have one, or had
  std::map<std::string, Value> values;                 // by path. Counts are values, too
  std::map<std::uint64_t, Listener> listeners;
  std::set<spi::SessionId> sessions;
  std::int64_t last = 0;  // session, token, sequence or listener: one counter for all

  Examined* find(Name queue, const std::function<bool(const Examined&)>& which) {
    auto& all = queues[queue];
    const auto found = std::find_if(all.begin(), all.end(), which);
    return found == all.end() ? nullptr : &*found;
  }
  Examined* ticket(Name queue, Name id) {
    return find(queue, [&](const Examined& each) { return each.ticket.id == id; });
  }
  Reply<TicketText> text(Name queue, Name id) {
    const auto* const found = ticket(queue, id);
    return found != nullptr ? Reply<TicketText>{.value = found->text} : Reply<TicketText>{Status::absent};
  }
  Listing list(Name queue) {
    Listing tickets;
    for (const auto& each : queues[queue]) tickets.push_back(each.ticket);
    return tickets;
  }

  Reply<std::vector<Enqueued>> enqueue(spi::SessionId session, const std::vector<spi::Request>& requests) {
    Name in_place_of = requests.front().in_place_of;
    if (!in_place_of.empty() && !ticket(requests.front().queue, in_place_of)) return {Status::absent};
    Reply<std::vector<Enqueued>> made;
    const auto token = static_cast<holdfast::Token>(++last);  // one for all of them: they are made at one moment
    for (const auto& each : requests) {
      auto& queue = queues[each.queue];
      auto at = queue.end();
      spi::Ticket made_now{each.uid + "-" + std::to_string(token), ++last, each.mode};
      if (const auto* const other = ticket(each.queue, in_place_of)) {
        made_now.sequence = other->ticket.sequence;
        at = queue.begin() + (other - queue.data()) + 1;
      }
      const auto now = std::chrono::system_clock::now();
      queue.insert(at, {made_now, "Holdfast", {.card = each.card}, token, session, now});
      made.value.push_back({{made_now, token, session}, {}});
    }
    for (std::size_t i = 0; i < requests.size(); ++i) made.value[i].queue = list(requests[i].queue);
    changed();
    return made;
  }

  Reply<std::int32_t> count(Name path) {
    const auto value = values.find(path);
    if (value == values.end()) return {Status::absent};
    Reply<std::int32_t> number;
    const auto& text = value->second.text;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (parsed.ptr != text.data() + text.size()) return {Status::denied, path + " is not a count"};
    return number;
  }

  // Queues and values have paths such as "/orders/1".
  spi::Examination examine(Name queue) {
    std::set<std::string> below;  // the next part of every name that is in use
    const auto prefix = queue.empty() ? "/" : "/" + queue + "/";
    const auto add = [&](Name path) {
      if (!path.starts_with(prefix)) return;
      below.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    };
    for (const auto& [name, all] : queues) {
      if (!all.empty()) add("/" + name);
    }
    for (const auto& [path, value] : values) add(path);
    const auto& tickets = queues[queue];
    return {.tickets = tickets,
            .below = {below.begin(), below.end()},
            .next_sequence = last + 1,
            .semaphore = tickets.empty() && below.contains("permits")};
  }

  Reply<Nothing> commit(const std::vector<spi::TicketName>& guards, const std::vector<Change>& changes) {
    for (const auto& guard : guards) {
      if (!ticket(guard.queue, guard.ticket)) return {Status::absent};
    }
    auto after = values;  // all or none: a copy, that takes the place of the original when all could be made
    for (const auto& [what, path, text, version] : changes) {
      const auto value = after.find(path);
      if (what == Change::What::create) {
        if (value != after.end()) return {Status::denied, path + " is there already"};
        after[path] = {text};
        continue;
      }
      if (value == after.end()) return {Status::denied, "there is no " + path};
      if (version && *version != value->second.version) return {Status::denied, path + " has another version"};
      if (what == Change::What::set) value->second = {text, value->second.version + 1};
      if (what == Change::What::remove) after.erase(value);
    }
    values = std::move(after);
    changed();
    return {};
  }

  spi::SessionId begin() { return *sessions.insert(++last).first; }
  void end(spi::SessionId session) {
    sessions.erase(session);
    for (auto& [name, all] : queues) std::erase_if(all, [&](const Examined& each) { return each.session == session; });
    changed();
  }
  void changed() {
    for (const auto& [id, listener] : listeners) listener.executor->post(listener.look);
  }
};

}  // namespace toy
