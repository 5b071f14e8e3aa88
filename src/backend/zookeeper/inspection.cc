// inspection.cc -- ZooKeeperBackend: everything about a queue, for people.
#include <algorithm>
#include <chrono>

#include "backend/zookeeper/dialect.h"
#include "backend/zookeeper/status.h"
#include "backend/zookeeper/ticket_text.h"
#include "backend/zookeeper/zookeeper_backend.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;

namespace {

// The service's own, in the root; no name of a lock begins with it (base/name.h).
constexpr auto kOwnNode = "zookeeper";

}  // namespace

void ZooKeeperBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  if (!reachable(done)) return;
  const auto directory = queue.empty() && connection_.address().chroot.empty() ? "/"
                         : queue.empty()                                       ? connection_.address().chroot
                                                                               : path(queue);
  connection_.client().get_children_and_stat(
      directory, acknowledged([this, queue, directory, done = std::move(done)](const zk::Answer& listed) {
        if (listed.code == Code::no_node) return done({});
        if (listed.code != Code::ok) return done(failure<spi::Examination>(listed.code, "list " + directory));
        if (!connection_.connected()) return done({Status::unreachable, unreachable(), {}});
        // The counter counts what was ever created; the Stat's, creations and removals.
        const auto next = (std::int64_t{listed.stat.cversion} + listed.stat.num_children) / 2;
        const auto found = std::make_shared<spi::Examination>();
        found->next_sequence = next;
        found->near_overflow = near_overflow(next);
        const auto trouble = std::make_shared<Reply<spi::Examination>>();
        const auto finish = [found, trouble, done] {
          if (*trouble) trouble->value = std::move(*found);
          done(std::move(*trouble));
        };
        std::vector<spi::Ticket> tickets;
        for (auto& ticket : sort_children(listed.children).tickets) {
          if (ticket.mode == spi::Mode::none) {
            const bool of_the_service = queue.empty() && ticket.id == kOwnNode;
            if (!of_the_service) found->below.push_back(ticket.id);
          } else {
            found->near_overflow = found->near_overflow || near_overflow(ticket.sequence);
            tickets.push_back(std::move(ticket));
          }
        }
        if (tickets.empty()) {
          found->semaphore = std::find(found->below.begin(), found->below.end(), kPermits) != found->below.end();
          return finish();
        }
        for (const auto& ticket : tickets) {
          connection_.client().get(
              path(queue, ticket.id), acknowledged([found, trouble, finish, ticket,
                                                    is_last = ticket.id == tickets.back().id](zk::Answer answer) {
                // What has gone meanwhile is left out; what may not be read is shown without its text.
                if (answer.code == Code::ok || answer.code == Code::no_auth) {
                  using std::chrono::milliseconds;
                  found->tickets.push_back(
                      {.ticket = ticket,
                       .recipe = recipe_of(ticket.id, answer.text),
                       .text = text_of(answer.text),
                       .token = static_cast<Token>(answer.stat.czxid),
                       .session = answer.stat.ephemeral_owner,
                       .made = std::chrono::system_clock::time_point(milliseconds(answer.stat.ctime)),
                       .readable = answer.code == Code::ok,
                       .apart = waits_apart(ticket.id)});
                }
                if (!zk::came_from_the_server(answer.code))
                  *trouble = failure<spi::Examination>(answer.code, "read " + ticket.id);
                if (is_last) finish();
              }));
        }
      }));
}

}  // namespace holdfast::zookeeper
