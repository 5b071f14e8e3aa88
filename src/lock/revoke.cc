#include "lock/revoke.h"

#include <set>

#include "lock/admission.h"

namespace holdfast::lock {

namespace {

// The tickets that were asked and are still there. Changed inside the monitor.
struct Asked {
  std::set<std::string> there;
  std::vector<spi::QueueBackend::ListenerId> listeners;
  std::optional<Refusal> trouble;
  base::Signal all_gone;

  void gone(const std::string& ticket) {
    there.erase(ticket);
    if (there.empty()) all_gone.set();
  }
};

// The texts of the holders' tickets; empty for tickets that cannot be read.
std::vector<spi::TicketText> texts_of(Core& core, const std::string& queue, const spi::Listing& holders) {
  using Texts = std::vector<spi::TicketText>;
  const auto reply = core.ask<Texts>([&](spi::QueueBackend& backend, spi::Callback<Texts> done) {
    struct Gathering {
      Texts texts;
      std::size_t missing;
    };
    const auto gathering = std::make_shared<Gathering>(Gathering{Texts(holders.size()), holders.size()});
    for (std::size_t i = 0; i < holders.size(); ++i) {
      backend.read(queue, holders[i].id, [gathering, i, done](const spi::Reply<spi::TicketText>& each) {
        if (each) gathering->texts[i] = each.value;
        if (--gathering->missing == 0) done({spi::Status::ok, {}, std::move(gathering->texts)});
      });
    }
  });
  if (!reply) throw Error(errc_of(reply.status), reply.detail);
  return reply.value;
}

void ask_one(spi::QueueBackend& backend, const std::string& queue, const std::string& ticket, spi::TicketText text,
             const std::shared_ptr<Asked>& asked) {
  const auto take = [asked, ticket](const spi::Reply<spi::TicketText>& reply) {
    if (reply.status == spi::Status::absent) return asked->gone(ticket);
    if (!reply) asked->trouble = refusal_of(reply);
  };
  asked->listeners.push_back(backend.listen(queue, ticket, take, take));
  text.revoked = true;
  backend.write(queue, ticket, text, [asked, ticket](const spi::Reply<spi::Nothing>& reply) {
    if (reply.status == spi::Status::absent) return asked->gone(ticket);
    if (!reply) asked->trouble = refusal_of(reply);
  });
}

}  // namespace

Revocation revoke(Core& core, const std::string& queue, Clock::time_point deadline, bool force) {
  const auto listed =
      core.ask<spi::Listing>([&](spi::QueueBackend& backend, auto done) { backend.list(queue, std::move(done)); });
  if (!listed) throw Error(errc_of(listed.status), listed.detail);
  spi::Listing holders;
  const auto holds = lock::holders(listed.value);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i] && listed.value[i].mode != spi::Mode::permit) holders.push_back(listed.value[i]);
  }
  if (holders.empty()) return {};

  const auto texts = texts_of(core, queue, holders);
  const auto asked = std::make_shared<Asked>();
  for (const auto& ticket : holders) asked->there.insert(ticket.id);
  auto over = core.with_backend([&](spi::QueueBackend& backend) {
    for (std::size_t i = 0; i < holders.size(); ++i) ask_one(backend, queue, holders[i].id, texts[i], asked);
  });
  if (over) throw Error(over->code, over->message);
  asked->all_gone.wait_until(deadline);

  std::set<std::string> there;
  std::optional<Refusal> trouble;
  over = core.with_backend([&](spi::QueueBackend& backend) {
    for (const auto listener : asked->listeners) backend.ignore(listener);
    there = asked->there;
    trouble = asked->trouble;
  });
  if (over) throw Error(over->code, over->message);
  Revocation result{.asked = holders.size(), .gone = holders.size() - there.size(), .broken = 0};
  if (!force) {
    // A holder that could not be asked has not refused.
    if (!there.empty() && trouble) throw Error(trouble->code, "a holder could not be asked: " + trouble->message);
    return result;
  }
  for (const auto& ticket : there) {
    const auto removed = core.ask<spi::Nothing>(
        [&](spi::QueueBackend& backend, auto done) { backend.dequeue(queue, ticket, std::move(done)); });
    if (removed.status == spi::Status::absent) {
      ++result.gone;
    } else if (removed) {
      ++result.broken;
    } else {
      throw Error(errc_of(removed.status), removed.detail);
    }
  }
  return result;
}

}  // namespace holdfast::lock
