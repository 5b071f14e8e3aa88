#include "lock/admission.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::lock {
namespace {

using Answer = Admission::Answer;
using spi::Mode;
using Queue = std::vector<spi::Ticket>;

constexpr std::size_t kLongestQueue = 6;
constexpr Rule kExclusive{Mode::exclusive};
constexpr Rule kShared{Mode::shared};

spi::Ticket ticket(std::size_t number, bool shared) {
  return {.id = "t" + std::to_string(number),
          .sequence = static_cast<std::int64_t>(number),
          .mode = shared ? Mode::shared : Mode::exclusive};
}

// Bit i of `kinds`: whether the ticket at i asks for a shared hold.
Queue make_queue(std::size_t length, unsigned kinds) {
  Queue queue;
  for (std::size_t i = 0; i < length; ++i) queue.push_back(ticket(i, (kinds >> i & 1U) != 0));
  return queue;
}

template <class F>
void for_every_queue(F&& f) {
  for (std::size_t length = 1; length <= kLongestQueue; ++length) {
    for (unsigned kinds = 0; kinds < 1U << length; ++kinds) f(make_queue(length, kinds));
  }
}

Queue without(Queue queue, std::size_t index) {
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(index));
  return queue;
}

std::string show(const Queue& queue) {
  std::string text;
  for (const auto& each : queue) text += each.mode == Mode::shared ? 'S' : 'X';
  return text;
}

// The rule in other words, without looking for any ticket in particular: all who are before me may be inside; may I be
// inside together with them?
bool may_join(const Queue& queue, std::size_t mine, Rule rule) {
  std::size_t inside = 0;
  std::size_t exclusive_inside = 0;
  for (std::size_t i = 0; i < mine; ++i) {
    ++inside;
    if (queue[i].mode != Mode::shared) ++exclusive_inside;
  }
  if (rule.mode == Mode::shared) return exclusive_inside == 0;
  return inside == 0;
}

void check_against_the_definition(const Queue& queue, std::size_t mine, Rule rule) {
  SCOPED_TRACE(::testing::Message() << show(queue) << ", mine at " << mine << ", shared "
                                    << (rule.mode == Mode::shared));
  const auto admission = admit(queue, queue[mine].id, rule);
  ASSERT_EQ(admission.answer, may_join(queue, mine, rule) ? Answer::admitted : Answer::wait);
  ASSERT_EQ(admission.ahead, mine);
  if (admission.answer != Answer::wait) return;

  ASSERT_LT(admission.listen_to, mine) << "listens to itself or to a ticket behind";
  // Those who are before me and in my way on their own account.
  ASSERT_TRUE(rule.mode != Mode::shared || queue[admission.listen_to].mode != Mode::shared)
      << "a reader listens to a reader";
  ASSERT_EQ(admission.last_obstacle, may_join(without(queue, admission.listen_to), mine - 1, rule));
}

TEST(Admission, lets_the_first_ticket_in) {
  const Queue queue = make_queue(3, 0);
  EXPECT_EQ(admit(queue, "t0", kExclusive).answer, Answer::admitted);
}

TEST(Admission, lets_an_exclusive_ticket_listen_to_the_one_before_it) {
  const Queue queue = make_queue(4, 0);
  const auto admission = admit(queue, "t3", kExclusive);
  EXPECT_EQ(admission.answer, Answer::wait);
  EXPECT_EQ(admission.listen_to, 2u);
  EXPECT_EQ(admission.ahead, 3u);
  EXPECT_FALSE(admission.last_obstacle);
}

TEST(Admission, lets_all_readers_behind_a_writer_listen_to_that_writer) {
  const Queue queue = make_queue(5, 0b11101);  // S X S S S
  for (std::size_t reader = 2; reader < 5; ++reader) {
    const auto admission = admit(queue, queue[reader].id, kShared);
    EXPECT_EQ(admission.answer, Answer::wait);
    EXPECT_EQ(admission.listen_to, 1u);
    EXPECT_TRUE(admission.last_obstacle);
  }
}

TEST(Admission, says_absent_when_the_ticket_is_not_in_the_queue) {
  EXPECT_EQ(admit({}, "t0", kExclusive).answer, Answer::absent);
  for_every_queue([](const Queue& queue) {
    for (const Rule rule : {kExclusive, kShared}) {
      ASSERT_EQ(admit(queue, "another", rule).answer, Answer::absent);
      ASSERT_EQ(admit(queue, "", rule).answer, Answer::absent);
    }
  });
}

TEST(Admission, agrees_with_the_definition_of_an_exclusive_hold_in_every_queue) {
  for_every_queue([](const Queue& queue) {
    for (std::size_t mine = 0; mine < queue.size(); ++mine) {
      check_against_the_definition(queue, mine, kExclusive);
    }
  });
}

TEST(Admission, agrees_with_the_definition_of_a_shared_hold_in_every_queue) {
  for_every_queue([](const Queue& queue) {
    for (std::size_t mine = 0; mine < queue.size(); ++mine) {
      check_against_the_definition(queue, mine, kShared);
    }
  });
}

TEST(Admission, depends_only_on_the_tickets_ahead) {
  for_every_queue([](const Queue& queue) {
    for (std::size_t mine = 0; mine < queue.size(); ++mine) {
      const Queue up_to_mine(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(mine) + 1);
      for (const Rule rule : {kExclusive, kShared}) {
        const auto all = admit(queue, queue[mine].id, rule);
        const auto part = admit(up_to_mine, queue[mine].id, rule);
        ASSERT_EQ(all.answer, part.answer);
        ASSERT_EQ(all.listen_to, part.listen_to);
        ASSERT_EQ(all.last_obstacle, part.last_obstacle);
      }
    }
  });
}

// Clients as they are: each looks once when it comes and afterwards only when the one ticket it listens to is gone.
// Every ticket may go at any time, whether it is inside (released, or died) or still waiting (gave up, or died).
class Simulation {
 public:
  using RuleOf = Rule (*)(const spi::Ticket&);

  Simulation(const Queue& queue, RuleOf rule_of) : queue_(queue), rule_of_(rule_of) {
    for (const auto& each : queue_) members_.push_back({each, false, {}});
    for (auto& member : members_) look(member);
  }

  // How many waiters were woken by it.
  std::size_t depart(std::size_t index) {
    const std::string gone = queue_[index].id;
    queue_ = without(std::move(queue_), index);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(index));
    std::size_t woken = 0;
    for (auto& member : members_) {
      if (member.inside || member.listens_to != gone) continue;
      ++woken;
      look(member);
    }
    return woken;
  }

  std::size_t size() const { return queue_.size(); }
  bool inside(std::size_t index) const { return members_[index].inside; }
  const Queue& queue() const { return queue_; }

  // Each ticket, whether it is inside, and the ticket that it listens to.
  std::string state() const {
    std::string text;
    for (const auto& member : members_) {
      text += member.ticket.id + (member.inside ? "!" : "<") + member.listens_to + " ";
    }
    return text;
  }

  std::size_t inside() const {
    std::size_t count = 0;
    for (const auto& member : members_) count += member.inside ? 1 : 0;
    return count;
  }
  std::size_t exclusive_inside() const {
    std::size_t count = 0;
    for (const auto& member : members_) count += member.inside && rule_of_(member.ticket).mode != Mode::shared ? 1 : 0;
    return count;
  }
  // A waiter that the rule would let in, and that was not told.
  std::optional<std::size_t> forgotten() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (!members_[i].inside && may_join(queue_, i, rule_of_(queue_[i]))) return i;
    }
    return std::nullopt;
  }
  // A waiter whose ticket to listen to is not there any more: nothing will ever wake it.
  std::optional<std::size_t> deaf() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (members_[i].inside) continue;
      bool there = false;
      for (const auto& each : queue_) there |= each.id == members_[i].listens_to;
      if (!there) return i;
    }
    return std::nullopt;
  }

 private:
  struct Member {
    spi::Ticket ticket;
    bool inside;
    std::string listens_to;
  };

  void look(Member& member) {
    const auto admission = admit(queue_, member.ticket.id, rule_of_(member.ticket));
    member.inside = admission.answer == Answer::admitted;
    member.listens_to = admission.answer == Answer::wait ? queue_[admission.listen_to].id : "";
  }

  Queue queue_;
  RuleOf rule_of_;
  std::vector<Member> members_;
};

// Calls `check(simulation, woken)` after every departure in every order of departures. Orders that lead to the same state
// have the same future, which is walked once.
template <class Check>
void every_order_of_departures(const Simulation& now, const Check& check, std::set<std::string>& seen) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    Simulation next = now;
    const std::size_t woken = next.depart(i);
    check(next, woken);
    if (::testing::Test::HasFatalFailure()) return;
    if (seen.insert(next.state()).second) every_order_of_departures(next, check, seen);
  }
}
template <class Check>
void every_order_of_departures(const Simulation& now, const Check& check) {
  std::set<std::string> seen;
  check(now, 0);
  every_order_of_departures(now, check, seen);
}

Rule by_kind(const spi::Ticket& ticket) { return {ticket.mode}; }

TEST(Admission, admits_exclusive_tickets_one_at_a_time_and_forgets_none_in_any_order_of_departures) {
  for (std::size_t length = 1; length <= kLongestQueue; ++length) {
    every_order_of_departures(Simulation(make_queue(length, 0), by_kind), [](const Simulation& now, std::size_t) {
      ASSERT_LE(now.inside(), 1u);
      ASSERT_FALSE(now.forgotten()) << "of " << now.size() << " the one at " << *now.forgotten();
      ASSERT_FALSE(now.deaf()) << "of " << now.size() << " the one at " << *now.deaf();
    });
  }
}

TEST(Admission, wakes_at_most_one_exclusive_waiter_per_departure) {
  for (std::size_t length = 1; length <= kLongestQueue; ++length) {
    every_order_of_departures(Simulation(make_queue(length, 0), by_kind),
                              [](const Simulation&, std::size_t woken) { ASSERT_LE(woken, 1u); });
  }
}

TEST(Admission, never_mixes_an_exclusive_hold_with_any_other_and_forgets_nobody_in_any_order_of_departures) {
  for_every_queue([](const Queue& queue) {
    every_order_of_departures(Simulation(queue, by_kind), [&](const Simulation& now, std::size_t) {
      ASSERT_TRUE(now.exclusive_inside() == 0 || now.inside() == 1) << show(queue) << " became " << show(now.queue());
      ASSERT_FALSE(now.forgotten()) << show(queue) << " became " << show(now.queue()) << ", at " << *now.forgotten();
      ASSERT_FALSE(now.deaf()) << show(queue) << " became " << show(now.queue()) << ", at " << *now.deaf();
    });
  });
}

// Its going may leave a reader in its place, which was not in the queue when we looked.
TEST(Admission, never_takes_the_going_of_a_writer_for_its_turn_to_be_alone) {
  for (const Mode mode : {Mode::exclusive, Mode::write}) {
    const Queue queue{{"w", 0, Mode::write}, {"mine", 1, mode}};
    EXPECT_EQ(admit(queue, "mine", {mode}).answer, Answer::wait);
    EXPECT_FALSE(admit(queue, "mine", {mode}).last_obstacle);
  }
  const Queue readers{{"w", 0, Mode::write}, {"mine", 1, Mode::shared}};
  EXPECT_TRUE(admit(readers, "mine", kShared).last_obstacle);
}

// A ticket that is not there yet would be admitted if, and only if, it is admitted once it is there.
TEST(Admission, of_a_ticket_to_come_is_that_of_the_ticket_when_it_has_come) {
  for_every_queue([](const Queue& queue) {
    for (const bool shared : {false, true}) {
      auto with_it = queue;
      with_it.push_back(ticket(queue.size(), shared));
      const auto rule = shared ? kShared : kExclusive;
      ASSERT_EQ(would_admit(queue, rule), admit(with_it, with_it.back().id, rule).answer == Answer::admitted)
          << show(with_it);
    }
  });
  EXPECT_TRUE(would_admit({}, kExclusive));
  EXPECT_TRUE(would_admit(Queue{{"stray", 0, Mode::none}}, kExclusive));
}

TEST(Admission, of_permits_to_come_counts_whatever_lies_in_the_queue) {
  const Queue queue{{"a", 0, Mode::permit}, {"stray", 1, Mode::none}};
  EXPECT_TRUE(would_admit(queue, {Mode::permit, 5}, 3));
  EXPECT_FALSE(would_admit(queue, {Mode::permit, 5}, 4));
}

TEST(Admission, names_as_holders_those_that_it_admits) {
  for_every_queue([](const Queue& queue) {
    const auto holds = holders(queue);
    ASSERT_EQ(holds.size(), queue.size());
    for (std::size_t i = 0; i < queue.size(); ++i) {
      ASSERT_EQ(holds[i], admit(queue, queue[i].id, {queue[i].mode}).answer == Answer::admitted) << show(queue) << i;
    }
  });
  EXPECT_TRUE(holders({}).empty());
  const Queue strays{{"stray", 0, Mode::none}, {"another", 0, Mode::none}};
  EXPECT_EQ(holders(strays), (std::vector{false, false}));
}

TEST(Admission, names_a_reader_in_the_place_of_its_own_writer_as_a_holder_with_it) {
  const Queue queue{{"w", 3, Mode::write}, {"r", 3, Mode::shared}, {"another", 4, Mode::shared}};
  EXPECT_EQ(holders(queue), (std::vector{true, true, false}));
}

TEST(Admission, names_every_permit_as_a_holder) {
  const Queue queue{{"a", 0, Mode::permit}, {"b", 1, Mode::permit}, {"stray", 2, Mode::none}};
  EXPECT_EQ(holders(queue), (std::vector{true, true, false}));
}

TEST(Admission, of_permits_counts_whatever_lies_in_the_queue) {
  for (std::size_t length = 1; length <= kLongestQueue; ++length) {
    for (std::size_t permits = 0; permits <= kLongestQueue + 1; ++permits) {
      for (std::size_t strays = 0; strays < length; ++strays) {
        Queue queue;
        for (std::size_t i = 0; i < length; ++i) {
          queue.push_back(
              {"t" + std::to_string(i), static_cast<std::int64_t>(i), i < length - strays ? Mode::permit : Mode::none});
        }
        const auto admission = admit(queue, "t0", {Mode::permit, permits});
        ASSERT_EQ(admission.answer, length <= permits ? Answer::admitted : Answer::wait);
        ASSERT_FALSE(admission.last_obstacle);
        ASSERT_EQ(admit(queue, "another", {Mode::permit, permits}).answer, Answer::absent);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::lock
