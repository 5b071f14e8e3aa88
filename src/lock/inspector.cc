#include "lock/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/uuid.h"
#include "lock/admission.h"

namespace holdfast::lock {
namespace {

using spi::Mode;

// Directories that are listed for one inspection: a user may ask for a tree that has no locks.
constexpr std::size_t kMostDirectories = 100'000;
// Requests under way at a time, so that the service is not flooded.
constexpr std::size_t kInFlight = 100;

LockMode mode_of(Mode mode) {
  switch (mode) {
    case Mode::write: return LockMode::write;
    case Mode::shared: return LockMode::read;
    case Mode::permit: return LockMode::permit;
    case Mode::exclusive:
    case Mode::none: break;
  }
  return LockMode::exclusive;
}

Mode mode_of(LockMode mode) {
  switch (mode) {
    case LockMode::write: return Mode::write;
    case LockMode::read: return Mode::shared;
    case LockMode::permit: return Mode::permit;
    case LockMode::exclusive: break;
  }
  return Mode::exclusive;
}

// Tickets of one family wait for each other, whichever library made them.
std::string family(const spi::Examined& ticket) {
  if (ticket.apart) return ticket.recipe;
  switch (ticket.ticket.mode) {
    case Mode::write:
    case Mode::shared: return "read/write";
    case Mode::permit: return "permit";
    default: return "mutex";
  }
}

TicketInfo info_of(const spi::Examined& examined) {
  TicketInfo info;
  info.id = examined.ticket.id;
  info.mode = mode_of(examined.ticket.mode);
  info.recipe = examined.recipe;
  info.readable = examined.readable;
  info.revoked = examined.text.revoked;
  info.card = Card::parse(examined.text.card);
  info.token = examined.token;
  info.since = examined.made;
  info.session = examined.session;
  return info;
}

void add_queue(LockInfo& lock, const spi::Examination& queue) {
  spi::Listing listing;
  std::set<std::string> families;
  bool strangers = false;
  for (const auto& each : queue.tickets) {
    listing.push_back(each.ticket);
    families.insert(family(each));
    // Tickets of Holdfast wait for all families. For permits nothing waits in order.
    strangers = strangers || each.recipe != "Holdfast" || each.ticket.mode == Mode::permit;
  }
  const auto holds = holders(listing);
  for (std::size_t i = 0; i < queue.tickets.size(); ++i) {
    const auto& each = queue.tickets[i];
    auto info = info_of(each);
    info.holds = holds[i];
    // With another ticket in the queue it would have been given back.
    info.kept = info.holds && queue.tickets.size() == 1 && base::has_keepers_uuid(info.id);
    lock.orphans += info.session == 0 && info.readable ? 1 : 0;
    lock.tickets.push_back(std::move(info));
  }
  lock.mixed_recipes = lock.mixed_recipes || (strangers && families.size() > 1);
  lock.near_overflow = lock.near_overflow || queue.near_overflow;
  lock.next_sequence = std::max(lock.next_sequence, queue.next_sequence);
}

// How often holds of this client were entered.
void add_entries(Core& core, LockInfo& lock) {
  const auto entries = core.entries_by_ticket();
  for (auto& ticket : lock.tickets) {
    if (const auto found = entries.find(ticket.id); found != entries.end()) {
      ticket.entries = found->second;
      ticket.kept = false;
    }
  }
}

// The examinations of those names, in the same order.
std::vector<spi::Examination> examine(Core& core, const std::vector<std::string>& names) {
  std::vector<spi::Examination> found;
  for (std::size_t begin = 0; begin < names.size(); begin += kInFlight) {
    const auto count = std::min(kInFlight, names.size() - begin);
    using All = std::vector<spi::Reply<spi::Examination>>;
    const auto reply = core.ask<All>([&](spi::QueueBackend& backend, spi::Callback<All> done) {
      struct Gathering {
        All replies;
        std::size_t missing;
      };
      const auto gathering = std::make_shared<Gathering>(Gathering{All(count), count});
      for (std::size_t i = 0; i < count; ++i) {
        backend.examine(names[begin + i], [gathering, i, done](spi::Reply<spi::Examination> each) {
          gathering->replies[i] = std::move(each);
          if (--gathering->missing == 0) done({spi::Status::ok, {}, std::move(gathering->replies)});
        });
      }
    });
    if (!reply) throw Error(errc_of(reply.status), reply.detail);
    for (const auto& each : reply.value) {
      if (!each) throw Error(errc_of(each.status), each.detail);
      found.push_back(each.value);
    }
  }
  return found;
}

std::string below(const std::string& name, const std::string& child) {
  return name.empty() ? child : name + "/" + child;
}

}  // namespace

}  // namespace holdfast::lock

namespace holdfast {

bool excludes(LockMode held, LockMode wanted) noexcept {
  if (held == LockMode::permit || wanted == LockMode::permit) return false;
  return lock::keeps_out(lock::mode_of(held), lock::mode_of(wanted));
}

}  // namespace holdfast

namespace holdfast::lock {

LockInfo describe(const spi::Examination& queue, const spi::Examination* locks) {
  LockInfo lock;
  add_queue(lock, queue);
  if (locks == nullptr) return lock;
  lock.semaphore = true;
  // The first client in line puts its tickets among the permits before enough are free. Until it leaves the line it holds none of
  // them, and is one waiter, however many permits it asks for.
  if (!locks->tickets.empty()) {
    const auto& first = locks->tickets.front();
    std::erase_if(lock.tickets, [&](const TicketInfo& ticket) {
      return ticket.session == first.session && ticket.token > first.token;
    });
  }
  const auto permits = lock.tickets.size();
  add_queue(lock, *locks);
  for (auto i = permits; i < lock.tickets.size(); ++i) lock.tickets[i].holds = false;
  // Permits and the clients that wait for them are never in one directory.
  lock.mixed_recipes = std::any_of(queue.tickets.begin(), queue.tickets.end(),
                                   [](const auto& each) { return each.ticket.mode != Mode::permit; });
  return lock;
}

LockInfo inspect(Core& core, const std::string& full_name) {
  const auto queue = examine(core, {full_name}).front();
  LockInfo lock;
  if (queue.semaphore) {
    const auto queues = core.semaphore(full_name);
    const auto parts = examine(core, {queues.permits, queues.turns});
    lock = describe(parts[0], &parts[1]);
  } else {
    lock = describe(queue, nullptr);
  }
  lock.name = full_name;
  lock.path = core.path_outside(full_name);
  add_entries(core, lock);
  return lock;
}

std::vector<LockInfo> inspect_below(Core& core, const std::string& full_name) {
  std::map<std::string, spi::Examination> examined;
  for (std::vector<std::string> level{full_name}; !level.empty();) {
    const auto queues = examine(core, level);
    std::vector<std::string> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      for (const auto& child : queues[i].below) next.push_back(below(level[i], child));
      examined.emplace(level[i], queues[i]);
    }
    if (examined.size() + next.size() > kMostDirectories) {
      throw Error(Errc::refused, fmt::format("there are more than {} directories below {}; name a smaller root",
                                             kMostDirectories, core.path_outside(full_name)));
    }
    level = std::move(next);
  }
  std::set<std::string> parts;  // of semaphores
  for (const auto& [name, queue] : examined) {
    if (!queue.semaphore) continue;
    const auto queues = core.semaphore(name);
    parts.insert({queues.permits, queues.turns});
  }
  std::vector<LockInfo> locks;
  for (const auto& [name, queue] : examined) {
    if (parts.contains(name) && name != full_name) continue;
    LockInfo lock;
    if (queue.semaphore) {
      const auto queues = core.semaphore(name);
      lock = describe(examined[queues.permits], &examined[queues.turns]);
    } else {
      lock = describe(queue, nullptr);
    }
    if (lock.tickets.empty()) continue;
    lock.name = name;
    lock.path = core.path_outside(name);
    add_entries(core, lock);
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace holdfast::lock
