// What spi/queue_backend.h asks of a store, below the locks: queues, texts, marks, counts, and what is said about all of it. Every request
// here is also held against the rules that count for all of them (store_session.h).
#include <algorithm>
#include <future>
#include <map>
#include <set>

#include "store_session.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using spi::Mode;
using spi::Status;
using What = spi::Change::What;
using StoreQueue = Conformance;
using StoreText = Conformance;
using StoreMark = Conformance;
using StoreCount = Conformance;
using StoreExamination = Conformance;
using StoreCommit = Conformance;
using StoreEnd = Conformance;

namespace {

// In this form they are found in tickets of every store, Curator's among them.
std::string uid(int number) {
  auto digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  return "00000000-0000-4000-8000-" + digits;
}

spi::Request ticket(const std::string& queue, int number, Mode mode = Mode::exclusive,
                    const std::string& in_place_of = {}) {
  return {.queue = queue, .uid = uid(number), .mode = mode, .card = {}, .in_place_of = in_place_of};
}

std::vector<std::string> ids(const spi::Listing& listing) {
  std::vector<std::string> all;
  for (const auto& ticket : listing) all.push_back(ticket.id);
  return all;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------- queues

TEST_F(StoreQueue, a_later_ticket_stands_at_the_end_with_a_larger_token) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession one(*world_);
  StoreSession other(*world_);
  const auto first = one.enqueue("q", uid(1));
  const auto second = other.enqueue("q", uid(2));
  const auto third = one.enqueue("q", uid(3));
  EXPECT_LT(first.place.ticket.sequence, second.place.ticket.sequence);
  EXPECT_LT(second.place.ticket.sequence, third.place.ticket.sequence);
  EXPECT_LT(first.place.token, second.place.token);
  EXPECT_LT(second.place.token, third.place.token);
  EXPECT_GT(first.place.token, 0U);
  EXPECT_EQ(one.list("q"), (spi::Listing{first.place.ticket, second.place.ticket, third.place.ticket}));
  EXPECT_EQ(other.list("q"), one.list("q"));
}

TEST_F(StoreQueue, an_enqueue_answers_with_the_place_its_session_and_the_queue_with_it_inside) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession one(*world_);
  StoreSession other(*world_);
  EXPECT_NE(one.session().id, other.session().id);
  EXPECT_NE(one.session().id, 0);
  const auto first = one.enqueue("q", uid(1));
  const auto second = other.enqueue("q", uid(2));
  EXPECT_EQ(first.place.session, one.session().id);
  EXPECT_EQ(second.place.session, other.session().id);
  EXPECT_EQ(first.queue, spi::Listing{first.place.ticket});
  EXPECT_EQ(second.queue, (spi::Listing{first.place.ticket, second.place.ticket}));
}

TEST_F(StoreQueue, what_a_ticket_asks_for_is_in_every_listing) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  for (const auto mode : {Mode::exclusive, Mode::write, Mode::shared}) {
    const auto queue = "q" + std::to_string(static_cast<int>(mode));
    EXPECT_EQ(store.enqueue(queue, uid(1), mode).place.ticket.mode, mode);
    ASSERT_EQ(store.list(queue).size(), 1U);
    EXPECT_EQ(store.list(queue).front().mode, mode);
  }
  const auto permits = world_->semaphore("s").permits;
  EXPECT_EQ(store.enqueue(permits, uid(1), Mode::permit).place.ticket.mode, Mode::permit);
  ASSERT_EQ(store.list(permits).size(), 1U);
  EXPECT_EQ(store.list(permits).front().mode, Mode::permit);
}

TEST_F(StoreQueue, tickets_that_are_asked_for_together_are_made_at_one_moment_with_one_token) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto before = store.enqueue("b", uid(1));
  const auto made = store.enqueue({ticket("a", 2), ticket("b", 3), ticket("b", 4)});
  ASSERT_TRUE(made) << made.detail;
  ASSERT_EQ(made.value.size(), 3U);
  for (const auto& each : made.value) EXPECT_EQ(each.place.token, made.value[0].place.token);
  EXPECT_GT(made.value[0].place.token, before.place.token);
  EXPECT_EQ(made.value[0].queue, spi::Listing{made.value[0].place.ticket});
  EXPECT_EQ(made.value[1].queue,
            (spi::Listing{before.place.ticket, made.value[1].place.ticket, made.value[2].place.ticket}));
  EXPECT_EQ(made.value[2].queue, made.value[1].queue) << "made at one moment, seen at another";
}

TEST_F(StoreQueue, requests_for_several_queues_come_in_the_same_order_in_each) {
  HOLDFAST_NEEDS_FEATURE(order);
  constexpr int kRounds = 30;
  const auto crowd = [&](StoreSession& store, int first, const char* a, const char* b) {
    std::vector<StoreSession::Pending<std::vector<spi::Enqueued>>> pending;
    store.inside([&] {
      for (int i = 0; i < kRounds; ++i) {
        pending.push_back(store.begin<std::vector<spi::Enqueued>>([&](auto& backend, auto done) {
          backend.enqueue({ticket(a, first + i), ticket(b, first + i)}, std::move(done));
        }));
      }
    });
    std::map<std::string, Token> tokens;
    for (const auto& each : pending) {
      const auto reply = each.get();
      EXPECT_TRUE(reply) << reply.detail;
      for (const auto& made : reply.value) tokens[made.place.ticket.id] = made.place.token;
    }
    return tokens;
  };
  StoreSession one(*world_);
  StoreSession other(*world_);
  // Tokens by ticket: in neither queue may they go down.
  auto theirs = std::async(std::launch::async, [&] { return crowd(other, 1'000, "b", "a"); });
  auto tokens = crowd(one, 0, "a", "b");
  tokens.merge(theirs.get());
  for (const auto* queue : {"a", "b"}) {
    const auto listing = one.list(queue);
    ASSERT_EQ(listing.size(), 2U * kRounds);
    EXPECT_TRUE(std::is_sorted(listing.begin(), listing.end(), [&](const auto& x, const auto& y) {
      return tokens.at(x.id) < tokens.at(y.id);
    })) << queue;
  }
}

TEST_F(StoreQueue, requests_of_a_session_take_effect_in_the_order_they_were_made) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto first = store.enqueue("q", uid(1)).place.ticket.id;
  StoreSession::Pending<std::vector<spi::Enqueued>> second;
  StoreSession::Pending<spi::Listing> with_both;
  StoreSession::Pending<spi::Nothing> removed;
  StoreSession::Pending<spi::Nothing> again;
  StoreSession::Pending<spi::Listing> with_one;
  const auto list = [](auto& backend, auto done) { backend.list("q", std::move(done)); };
  const auto remove = [&](auto& backend, auto done) { backend.dequeue("q", first, std::move(done)); };
  store.inside([&] {
    second = store.begin<std::vector<spi::Enqueued>>(
        [](auto& backend, auto done) { backend.enqueue({ticket("q", 2)}, std::move(done)); });
    with_both = store.begin<spi::Listing>(list);
    removed = store.begin<spi::Nothing>(remove);
    again = store.begin<spi::Nothing>(remove);
    with_one = store.begin<spi::Listing>(list);
  });
  EXPECT_EQ(with_both.get().value.size(), 2U);
  EXPECT_EQ(removed.get().status, Status::ok);
  EXPECT_EQ(again.get().status, Status::absent);
  ASSERT_EQ(second.get().value.size(), 1U);
  EXPECT_EQ(with_one.get().value, spi::Listing{second.get().value[0].place.ticket});
}

// What the reply would have said, if it was lost.
TEST_F(StoreQueue, a_ticket_is_found_again_by_its_uid_until_it_is_gone) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto rival = other.enqueue("q", uid(1));
  const auto made = store.enqueue("q", uid(2));
  const auto found = store.find("q", uid(2));
  ASSERT_TRUE(found) << found.detail;
  EXPECT_EQ(found.value.place.ticket, made.place.ticket);
  EXPECT_EQ(found.value.place.token, made.place.token);
  EXPECT_EQ(found.value.place.session, made.place.session);
  EXPECT_EQ(found.value.queue, (spi::Listing{rival.place.ticket, made.place.ticket}));
  EXPECT_EQ(store.find("q", uid(3)).status, Status::absent);
  EXPECT_EQ(store.find("no such queue", uid(2)).status, Status::absent);
  EXPECT_TRUE(store.dequeue("q", made.place.ticket.id));
  EXPECT_EQ(store.find("q", uid(2)).status, Status::absent);
}

TEST_F(StoreQueue, a_ticket_is_removed_once_by_any_client_and_its_id_never_comes_again) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  std::set<std::string> seen;
  for (int round = 0; round < 3; ++round) {
    const auto ticket = store.enqueue("q", uid(1)).place.ticket.id;
    EXPECT_TRUE(seen.insert(ticket).second) << ticket << " again";
    EXPECT_TRUE(other.dequeue("q", ticket));
    EXPECT_EQ(store.dequeue("q", ticket).status, Status::absent);
    EXPECT_TRUE(store.list("q").empty());
  }
  EXPECT_EQ(store.dequeue("no such queue", *seen.begin()).status, Status::absent);
}

TEST_F(StoreQueue, tokens_grow_over_queues_and_sessions) {
  Token last = 0;
  for (int round = 0; round < 3; ++round) {
    StoreSession store(*world_);
    for (const auto* queue : {"a", "b", "a"}) {
      const auto made = store.enqueue(queue, uid(round));
      EXPECT_GT(made.place.token, last);
      last = made.place.token;
      store.dequeue(queue, made.place.ticket.id);
    }
  }
}

TEST_F(StoreQueue, a_ticket_in_place_of_another_has_its_place_in_the_order) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto writer = store.enqueue("q", uid(1), Mode::write);
  const auto behind = store.enqueue("q", uid(2), Mode::write);
  const auto made = store.enqueue({ticket("q", 3, Mode::shared, writer.place.ticket.id)});
  ASSERT_TRUE(made) << made.detail;
  const auto& reader = made.value.at(0).place;
  EXPECT_EQ(reader.ticket.sequence, writer.place.ticket.sequence);
  EXPECT_EQ(reader.ticket.mode, Mode::shared);
  EXPECT_GT(reader.token, behind.place.token);
  EXPECT_EQ(store.list("q"), (spi::Listing{writer.place.ticket, reader.ticket, behind.place.ticket}));
  EXPECT_TRUE(store.dequeue("q", writer.place.ticket.id));
  EXPECT_EQ(store.list("q"), (spi::Listing{reader.ticket, behind.place.ticket}));
}

TEST_F(StoreQueue, a_ticket_in_place_of_one_that_is_gone_is_not_made) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto writer = store.enqueue("q", uid(1), Mode::write).place.ticket.id;
  EXPECT_TRUE(store.dequeue("q", writer));
  const auto late = store.enqueue({ticket("q", 2, Mode::shared, writer)});
  EXPECT_EQ(late.status, Status::absent);
  EXPECT_TRUE(late.value.empty());
  EXPECT_TRUE(store.list("q").empty());
}

TEST_F(StoreQueue, one_that_is_not_there_is_empty) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  EXPECT_TRUE(store.list("no/such/queue").empty());
  EXPECT_TRUE(store.abandoned_marks("no/such/queue").empty());
  const auto found = store.examine("no/such/queue");
  EXPECT_TRUE(found.tickets.empty());
  EXPECT_TRUE(found.below.empty());
  EXPECT_FALSE(found.semaphore);
}

TEST_F(StoreQueue, what_is_not_a_ticket_comes_last_and_is_none) {
  HOLDFAST_NEEDS(strangers);
  StoreSession store(*world_);
  const auto first = store.enqueue("q", uid(1)).place.ticket;
  world_->add_stranger("q", "0-stranger");
  const auto second = store.enqueue("q", uid(2)).place.ticket;
  const auto listing = store.list("q");
  ASSERT_EQ(listing.size(), 3U);
  EXPECT_EQ(listing[0], first);
  EXPECT_EQ(listing[1], second);
  EXPECT_EQ(listing[2].mode, Mode::none);
}

TEST_F(StoreQueue, every_queue_has_its_own_path) {
  StoreSession store(*world_);
  const auto& backend = std::as_const(store).backend();
  EXPECT_FALSE(backend.where().empty());
  EXPECT_NE(backend.path("a"), backend.path("b"));
  EXPECT_NE(backend.path("a"), backend.path("a/b"));
  const auto queues = backend.semaphore("s");
  EXPECT_NE(queues.turns, queues.permits);
}

// ----------------------------------------------------------------------------------------------------------------- texts

TEST_F(StoreText, is_what_was_written_last_and_the_card_of_its_maker_before) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto ticket = store.enqueue("q", uid(1), Mode::exclusive, "it is me").place.ticket.id;
  EXPECT_EQ(other.read("q", ticket).value, (spi::TicketText{.card = "it is me"}));
  EXPECT_TRUE(other.write("q", ticket, {.card = "another"}));
  EXPECT_EQ(store.read("q", ticket).value, (spi::TicketText{.card = "another"}));
}

TEST_F(StoreText, says_that_it_is_asked_back) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  const auto ticket = store.enqueue("q", uid(1), Mode::exclusive, "it is me").place.ticket.id;
  world_->ask_back("q", ticket);
  EXPECT_TRUE(store.read("q", ticket).value.revoked);
}

TEST_F(StoreText, of_a_ticket_that_is_gone_is_absent) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  const auto ticket = store.enqueue("q", uid(1)).place.ticket.id;
  const auto check = [&] {
    return store.ask<spi::Nothing>([&](auto& backend, auto done) { backend.check("q", ticket, std::move(done)); });
  };
  EXPECT_EQ(check().status, Status::ok);
  EXPECT_TRUE(store.dequeue("q", ticket));
  EXPECT_EQ(check().status, Status::absent);
  EXPECT_EQ(store.read("q", ticket).status, Status::absent);
  EXPECT_EQ(store.write("q", ticket, {.card = "late"}).status, Status::absent);
}

// ----------------------------------------------------------------------------------------------------------------- marks

TEST_F(StoreMark, stays_when_its_ticket_goes_with_the_session_until_it_is_removed) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  std::string ticket;
  {
    StoreSession dying(*world_);
    ticket = dying.enqueue("q", uid(1)).place.ticket.id;
    EXPECT_TRUE(dying.leave_mark("q", ticket));
    EXPECT_TRUE(dying.leave_mark("q", ticket)) << "twice is once";
    EXPECT_TRUE(store.abandoned_marks("q").empty()) << "its ticket is there";
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return store.list("q").empty(); }));
  const auto mark = std::as_const(store).backend().mark_of(ticket);
  EXPECT_NE(mark, ticket);
  EXPECT_EQ(store.abandoned_marks("q"), std::vector{mark});
  EXPECT_TRUE(store.abandoned_marks("another").empty());
  EXPECT_TRUE(store.dequeue("q", mark));
  EXPECT_EQ(store.dequeue("q", mark).status, Status::absent);
  EXPECT_TRUE(store.abandoned_marks("q").empty());
}

TEST_F(StoreMark, is_not_left_beside_a_ticket_that_is_gone) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  const auto kept = store.enqueue("q", uid(1)).place.ticket.id;
  const auto gone = store.enqueue("q", uid(2)).place.ticket.id;
  EXPECT_TRUE(store.dequeue("q", gone));
  EXPECT_EQ(store.leave_mark("q", gone).status, Status::absent);
  EXPECT_TRUE(store.abandoned_marks("q").empty());
  EXPECT_EQ(ids(store.list("q")), std::vector{kept});
}

TEST_F(StoreMark, takes_part_in_nothing) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  const auto ticket = store.enqueue("q", uid(1)).place.ticket;
  EXPECT_TRUE(store.leave_mark("q", ticket.id));
  EXPECT_EQ(store.list("q"), spi::Listing{ticket});
  EXPECT_EQ(store.find("q", uid(1)).value.queue, spi::Listing{ticket});
  EXPECT_EQ(store.examine("q").tickets.size(), 1U);
  EXPECT_TRUE(store.examine("q").below.empty());
}

// ---------------------------------------------------------------------------------------------------------------- counts

TEST_F(StoreCount, is_made_once_and_stays_when_its_maker_has_gone) {
  HOLDFAST_NEEDS_FEATURE(family);
  const auto make = [](std::int32_t initial) {
    return [=](auto& backend, auto done) { backend.make_count("n", initial, std::move(done)); };
  };
  const auto read = [](auto& backend, auto done) { backend.read_count("n", std::move(done)); };
  const auto set = [](auto& backend, auto done) { backend.set_count("n", -7, std::move(done)); };
  StoreSession store(*world_);
  EXPECT_EQ(store.ask<std::int32_t>(read).status, Status::absent);
  EXPECT_EQ(store.ask<spi::Nothing>(set).status, Status::absent);
  {
    StoreSession maker(*world_);
    EXPECT_TRUE(maker.ask<spi::Nothing>(make(5)));
    EXPECT_TRUE(maker.ask<spi::Nothing>(make(6))) << "it is there, which is what was asked for";
  }
  EXPECT_EQ(store.ask<std::int32_t>(read).value, 5);
  EXPECT_TRUE(store.ask<spi::Nothing>(set));
  EXPECT_EQ(store.ask<std::int32_t>(read).value, -7);
}

// ----------------------------------------------------------------------------------------------------------- examination

TEST_F(StoreExamination, shows_every_ticket_as_it_lies_there) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto first = store.enqueue("q", uid(1), Mode::write, "one");
  const auto second = other.enqueue("q", uid(2), Mode::shared, "two");
  const auto found = store.examine("q");
  ASSERT_EQ(found.tickets.size(), 2U);
  EXPECT_EQ(found.tickets[0].ticket, first.place.ticket);
  EXPECT_EQ(found.tickets[0].text, (spi::TicketText{.card = "one"}));
  EXPECT_EQ(found.tickets[0].token, first.place.token);
  EXPECT_EQ(found.tickets[0].session, store.session().id);
  EXPECT_TRUE(found.tickets[0].readable);
  EXPECT_EQ(found.tickets[1].ticket, second.place.ticket);
  EXPECT_EQ(found.tickets[1].session, other.session().id);
  EXPECT_GT(found.next_sequence, second.place.ticket.sequence);
  EXPECT_FALSE(found.near_overflow);
  EXPECT_FALSE(found.semaphore);
  EXPECT_EQ(store.list("q").size(), 2U) << "it has changed something";
}

TEST_F(StoreExamination, of_the_root_has_the_first_parts_of_all_names_and_no_ticket) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  store.enqueue("a", uid(1));
  store.enqueue("b/c/d", uid(1));
  const auto root = store.examine("");
  EXPECT_TRUE(root.tickets.empty());
  const auto has = [](const spi::Examination& found, const std::string& name) {
    return std::count(found.below.begin(), found.below.end(), name);
  };
  EXPECT_EQ(has(root, "a"), 1);
  EXPECT_EQ(has(root, "b"), 1);
  EXPECT_EQ(has(root, "c"), 0);
  EXPECT_EQ(store.examine("b").below, std::vector<std::string>{"c"});
  EXPECT_EQ(store.examine("b/c").below, std::vector<std::string>{"d"});
  EXPECT_EQ(store.examine("b/c/d").tickets.size(), 1U);
}

TEST_F(StoreExamination, knows_a_semaphore_by_its_queues) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  store.enqueue(world_->semaphore("s").permits, uid(1), Mode::permit);
  EXPECT_TRUE(store.examine("s").semaphore);
  store.enqueue("m", uid(1));
  EXPECT_FALSE(store.examine("m").semaphore);
}

// ---------------------------------------------------------------------------------------------------------------- commit

TEST_F(StoreCommit, makes_all_changes_or_none_and_only_while_the_tickets_are_there) {
  HOLDFAST_NEEDS_FEATURE(family);
  StoreSession store(*world_);
  const auto a = std::as_const(store).backend().path("data-a");
  const auto b = std::as_const(store).backend().path("data-b");
  const auto exists = [&](const std::string& path) { return bool(store.commit({}, {{What::check, path}})); };
  const auto one = store.enqueue("q", uid(1)).place.ticket.id;
  const auto two = store.enqueue("r", uid(1)).place.ticket.id;
  EXPECT_TRUE(store.commit({{"q", one}, {"r", two}}, {{What::create, a, "1"}}));
  EXPECT_EQ(store.commit({{"q", one}}, {{What::create, b, "1"}, {What::create, a, "1"}}).status, Status::denied);
  EXPECT_FALSE(exists(b)) << "the half of it";
  EXPECT_EQ(store.commit({}, {{What::set, a, "2", 7}}).status, Status::denied) << "another version";
  EXPECT_TRUE(store.commit({}, {{What::set, a, "2", 0}, {What::check, a, "", 1}}));
  EXPECT_TRUE(store.dequeue("r", two));
  EXPECT_EQ(store.commit({{"q", one}, {"r", two}}, {{What::create, b, "1"}}).status, Status::absent);
  EXPECT_FALSE(exists(b)) << "of one that is no holder";
  EXPECT_TRUE(store.commit({{"q", one}}, {{What::remove, a}}));
  EXPECT_FALSE(exists(a));
}

// ------------------------------------------------------------------------------------------------------ the end of a session

TEST_F(StoreEnd, takes_every_ticket_of_the_session_and_no_other) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto kept = store.enqueue("q", uid(1)).place.ticket;
  StoreSession dying(*world_);
  dying.enqueue("q", uid(2));
  dying.enqueue("r", uid(2));
  dying.close();
  EXPECT_TRUE(eventually(kSoon, [&] { return store.list("q") == spi::Listing{kept} && store.list("r").empty(); }));
}

TEST_F(StoreEnd, answers_every_request_that_is_under_way_once_and_those_that_come_after) {
  StoreSession store(*world_);
  std::vector<StoreSession::Pending<spi::Listing>> pending;
  StoreSession::Pending<spi::TicketText> armed;
  const auto list = [](auto& backend, auto done) { backend.list("q", std::move(done)); };
  std::function<void()> outside;
  store.inside([&] {
    for (int i = 0; i < 20; ++i) pending.push_back(store.begin<spi::Listing>(list));
    armed = store.begin<spi::TicketText>([](auto& backend, auto done) {
      backend.listen("q", "no such ticket", std::move(done), [](const auto&) { ADD_FAILURE() << "told of nothing"; });
    });
    outside = store.backend().close();
    for (int i = 0; i < 3; ++i) pending.push_back(store.begin<spi::Listing>(list));
  });
  if (outside) outside();
  for (const auto& each : pending) EXPECT_EQ(each.get().status, Status::closed);
  EXPECT_EQ(armed.get().status, Status::closed);
  store.close();
}

TEST_F(StoreEnd, by_the_service_is_told_and_a_new_session_begins_without_tickets) {
  HOLDFAST_NEEDS(end_session);
  StoreSession other(*world_);
  StoreSession store(*world_);
  const auto ended = store.session();
  store.enqueue("q", uid(1));
  world_->end_session(ended);
  EXPECT_TRUE(eventually(kSoon, [&] { return other.list("q").empty(); }));
  // It may learn it by its own next request only.
  EXPECT_TRUE(eventually(kSoon, [&] {
    store.ask<spi::Nothing>([](auto& backend, auto done) { backend.beat(std::move(done)); });
    return store.session().id != 0 && store.session().id != ended.id;
  }));
  EXPECT_EQ(store.expired_sessions(), std::vector{ended.id});
  EXPECT_EQ(store.enqueue("q", uid(2)).place.session, store.session().id);
}

}  // namespace holdfast::testing
