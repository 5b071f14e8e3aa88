#include "backend/memory/memory_service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace holdfast::memory {
namespace {

spi::Request request(std::string uid, bool shared = false, std::string card = "") {
  return {.queue = {},
          .uid = std::move(uid),
          .mode = shared ? spi::Mode::shared : spi::Mode::exclusive,
          .card = std::move(card)};
}

// Of a session that lives.
spi::Enqueued enqueue(Service& service, spi::SessionId session, const std::string& queue, spi::Request what) {
  what.queue = queue;
  return service.enqueue(session, {what}).value.at(0);
}

spi::TicketText text(const std::string& card) { return {.card = card}; }

TEST(MemoryService, numbers_the_tickets_of_a_queue_from_zero) {
  Service service;
  const auto session = service.open_session();
  EXPECT_EQ(enqueue(service, session, "q", request("a")).place.ticket.sequence, 0);
  EXPECT_EQ(enqueue(service, session, "q", request("b")).place.ticket.sequence, 1);
  EXPECT_EQ(enqueue(service, session, "another", request("c")).place.ticket.sequence, 0);
}

TEST(MemoryService, never_gives_a_sequence_twice_even_if_the_ticket_is_gone) {
  Service service;
  const auto session = service.open_session();
  enqueue(service, session, "q", request("stays"));
  const auto first = enqueue(service, session, "q", request("a"));
  ASSERT_TRUE(service.dequeue("q", first.place.ticket.id));
  const auto second = enqueue(service, session, "q", request("a"));
  EXPECT_GT(second.place.ticket.sequence, first.place.ticket.sequence);
  EXPECT_NE(second.place.ticket.id, first.place.ticket.id);
}

// As a container of ZooKeeper does; it kept about 300 bytes for every name that was ever used.
TEST(MemoryService, forgets_a_queue_without_tickets_but_never_repeats_a_token_or_an_id) {
  Service service;
  const auto session = service.open_session();
  const auto other = service.open_session();
  std::set<std::string> ids;
  Token last = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto queue = "q" + std::to_string(i % 10);
    const auto place = enqueue(service, i % 3 == 0 ? other : session, queue, request("a")).place;
    EXPECT_GT(place.token, last);
    last = place.token;
    EXPECT_TRUE(ids.insert(queue + place.ticket.id).second);
    EXPECT_EQ(service.queues(), 1U);
    ASSERT_TRUE(service.dequeue(queue, place.ticket.id));
    EXPECT_EQ(service.queues(), 0U);
  }
  enqueue(service, session, "of a session", request("a"));
  enqueue(service, other, "of another", request("a"));
  service.end_session(session);
  EXPECT_EQ(service.queues(), 1U);
  service.end_session(other);
  EXPECT_EQ(service.queues(), 0U);
}

TEST(MemoryService, gives_out_tokens_that_grow_across_queues_and_sessions) {
  Service service;
  Token last = 0;
  for (int round = 0; round < 3; ++round) {
    const auto session = service.open_session();
    for (const auto* queue : {"a", "b", "a"}) {
      const auto token = enqueue(service, session, queue, request("u")).place.token;
      EXPECT_GT(token, last);
      last = token;
    }
    service.end_session(session);
  }
}

TEST(MemoryService, answers_an_enqueue_with_the_place_and_the_queue_with_it_inside) {
  Service service;
  const auto session = service.open_session();
  const auto first = enqueue(service, session, "q", request("a", true));
  const auto second = enqueue(service, session, "q", request("b"));
  EXPECT_EQ(second.place.session, session);
  EXPECT_EQ(second.queue, (spi::Listing{first.place.ticket, second.place.ticket}));
  EXPECT_TRUE(second.queue[0].mode == spi::Mode::shared);
  EXPECT_FALSE(second.queue[1].mode == spi::Mode::shared);
  EXPECT_EQ(service.list("q"), second.queue);
}

TEST(MemoryService, finds_a_ticket_by_its_uid_until_it_is_gone) {
  Service service;
  const auto session = service.open_session();
  const auto made = enqueue(service, session, "q", request("mine"));
  enqueue(service, session, "q", request("other"));
  const auto found = service.find("q", "mine");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place.ticket, made.place.ticket);
  EXPECT_EQ(found->place.token, made.place.token);
  EXPECT_EQ(found->queue.size(), 2u);
  ASSERT_TRUE(service.dequeue("q", made.place.ticket.id));
  EXPECT_FALSE(service.find("q", "mine"));
  EXPECT_FALSE(service.find("no such queue", "mine"));
}

TEST(MemoryService, keeps_the_card_of_a_ticket) {
  Service service;
  const auto session = service.open_session();
  const auto made = enqueue(service, session, "q", request("a", false, "it is me"));
  EXPECT_EQ(service.text("q", made.place.ticket.id), text("it is me"));
  EXPECT_FALSE(service.text("q", "no such ticket"));
  EXPECT_FALSE(service.text("no such queue", made.place.ticket.id));
}

TEST(MemoryService, dequeues_a_ticket_once_and_only_that_one) {
  Service service;
  const auto session = service.open_session();
  const auto first = enqueue(service, session, "q", request("a"));
  const auto second = enqueue(service, session, "q", request("b"));
  EXPECT_TRUE(service.dequeue("q", first.place.ticket.id));
  EXPECT_FALSE(service.dequeue("q", first.place.ticket.id));
  EXPECT_FALSE(service.dequeue("another", second.place.ticket.id));
  EXPECT_EQ(service.list("q"), spi::Listing{second.place.ticket});
}

TEST(MemoryService, lists_nothing_for_a_queue_that_never_was) { EXPECT_TRUE(Service().list("q").empty()); }

TEST(MemoryService, tells_a_listener_once_when_the_ticket_goes) {
  Service service;
  const auto session = service.open_session();
  const auto made = enqueue(service, session, "q", request("a"));
  int told = 0;
  ASSERT_TRUE(service.listen("q", made.place.ticket.id, [&](const auto&) { ++told; }));
  EXPECT_EQ(service.listeners(), 1u);
  service.dequeue("q", made.place.ticket.id);
  service.dequeue("q", made.place.ticket.id);
  service.end_session(session);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(service.listeners(), 0u);
}

TEST(MemoryService, does_not_tell_a_listener_about_another_ticket_or_the_same_id_elsewhere) {
  Service service;
  const auto session = service.open_session();
  // Made together they have one token, and so one id.
  auto first = request("a");
  auto second = request("a");
  first.queue = "q";
  second.queue = "another";
  const auto both = service.enqueue(session, {first, second}).value;
  const auto& here = both.at(0);
  const auto& there = both.at(1);
  const auto behind = enqueue(service, session, "q", request("b"));
  ASSERT_EQ(here.place.ticket.id, there.place.ticket.id);
  int told = 0;
  ASSERT_TRUE(service.listen("q", here.place.ticket.id, [&](const auto&) { ++told; }));
  service.dequeue("another", there.place.ticket.id);
  service.dequeue("q", behind.place.ticket.id);
  EXPECT_EQ(told, 0);
}

TEST(MemoryService, does_not_tell_who_ignores) {
  Service service;
  const auto session = service.open_session();
  const auto made = enqueue(service, session, "q", request("a"));
  int told = 0;
  const auto listener = service.listen("q", made.place.ticket.id, [&](const auto&) { ++told; });
  ASSERT_TRUE(listener);
  service.ignore(*listener);
  service.ignore(*listener);
  EXPECT_EQ(service.listeners(), 0u);
  service.dequeue("q", made.place.ticket.id);
  EXPECT_EQ(told, 0);
}

TEST(MemoryService, does_not_listen_to_a_ticket_that_is_not_there) {
  Service service;
  EXPECT_FALSE(service.listen("q", "no such ticket", [](const auto&) {}));
  EXPECT_EQ(service.listeners(), 0u);
}

TEST(MemoryService, ends_a_session_with_all_its_tickets_in_all_queues_and_no_others) {
  Service service;
  const auto dying = service.open_session();
  const auto living = service.open_session();
  ASSERT_NE(dying, living);
  enqueue(service, dying, "q", request("a"));
  const auto kept = enqueue(service, living, "q", request("b"));
  enqueue(service, dying, "q", request("c"));
  enqueue(service, dying, "another", request("d"));
  service.end_session(dying);
  EXPECT_FALSE(service.is_open(dying));
  EXPECT_TRUE(service.is_open(living));
  EXPECT_EQ(service.sessions(), std::vector<spi::SessionId>{living});
  EXPECT_EQ(service.list("q"), spi::Listing{kept.place.ticket});
  EXPECT_TRUE(service.list("another").empty());
}

TEST(MemoryService, tells_every_listener_once_when_a_session_ends) {
  Service service;
  const auto session = service.open_session();
  const auto first = enqueue(service, session, "q", request("a"));
  const auto second = enqueue(service, session, "q", request("b"));
  int told_first = 0;
  int told_first_too = 0;
  int told_second = 0;
  ASSERT_TRUE(service.listen("q", first.place.ticket.id, [&](const auto&) { ++told_first; }));
  ASSERT_TRUE(service.listen("q", first.place.ticket.id, [&](const auto&) { ++told_first_too; }));
  ASSERT_TRUE(service.listen("q", second.place.ticket.id, [&](const auto&) { ++told_second; }));
  service.end_session(session);
  service.end_session(session);
  EXPECT_EQ(told_first, 1);
  EXPECT_EQ(told_first_too, 1);
  EXPECT_EQ(told_second, 1);
  EXPECT_EQ(service.listeners(), 0u);
}

TEST(MemoryService, never_uses_zero_as_a_session_nor_one_twice) {
  Service service;
  std::set<spi::SessionId> seen;
  for (int i = 0; i < 10; ++i) {
    const auto session = service.open_session();
    EXPECT_NE(session, 0);
    EXPECT_TRUE(seen.insert(session).second);
    service.end_session(session);
  }
}

// The request was on its way when the session ended. A ticket that it left would never vanish.
TEST(MemoryService, makes_no_ticket_for_a_session_that_has_ended) {
  Service service;
  const auto session = service.open_session();
  service.end_session(session);
  auto ghost = request("ghost");
  ghost.queue = "q";
  EXPECT_EQ(service.enqueue(session, {ghost}).status, spi::Status::expired);
  EXPECT_TRUE(service.list("q").empty()) << "a ghost ticket";
}

TEST(MemoryService, makes_several_tickets_at_one_moment_with_one_token) {
  Service service;
  const auto session = service.open_session();
  const auto made =
      service.enqueue(session, {{.queue = "a", .uid = "1", .card = ""}, {.queue = "b", .uid = "2", .card = ""}});
  ASSERT_TRUE(made);
  ASSERT_EQ(made.value.size(), 2u);
  EXPECT_EQ(made.value[0].place.token, made.value[1].place.token);
  EXPECT_EQ(service.list("a"), spi::Listing{made.value[0].place.ticket});
  EXPECT_EQ(service.list("b"), spi::Listing{made.value[1].place.ticket});
}

TEST(MemoryService, puts_a_ticket_in_place_of_another_only_if_that_is_there) {
  Service service;
  const auto session = service.open_session();
  const auto writer = enqueue(service, session, "q", request("w"));
  const auto behind = enqueue(service, session, "q", request("x"));
  spi::Request reader{
      .queue = "q", .uid = "r", .mode = spi::Mode::shared, .card = "", .in_place_of = writer.place.ticket.id};
  const auto made = service.enqueue(session, {reader});
  ASSERT_TRUE(made);
  const auto& ticket = made.value[0].place.ticket;
  EXPECT_EQ(ticket.sequence, writer.place.ticket.sequence);
  EXPECT_EQ(service.list("q"), (spi::Listing{writer.place.ticket, ticket, behind.place.ticket}));
  service.dequeue("q", writer.place.ticket.id);
  reader.uid = "late";
  EXPECT_EQ(service.enqueue(session, {reader}).status, spi::Status::absent);
  EXPECT_EQ(service.list("q").size(), 2u);
}

TEST(MemoryService, tells_a_listener_of_every_new_text_and_then_of_the_end) {
  Service service;
  const auto session = service.open_session();
  const auto made = enqueue(service, session, "q", request("a"));
  std::vector<std::optional<spi::TicketText>> told;
  service.listen("q", made.place.ticket.id, [&](auto text) { told.push_back(std::move(text)); });
  EXPECT_TRUE(service.write("q", made.place.ticket.id, text("one")));
  EXPECT_TRUE(service.write("q", made.place.ticket.id, text("two")));
  service.dequeue("q", made.place.ticket.id);
  EXPECT_FALSE(service.write("q", made.place.ticket.id, text("three")));
  EXPECT_EQ(told, (std::vector<std::optional<spi::TicketText>>{text("one"), text("two"), std::nullopt}));
}

TEST(MemoryService, tells_a_listener_of_a_queue_once_that_something_came_or_went) {
  Service service;
  const auto session = service.open_session();
  int told = 0;
  service.listen_to_queue("q", [&](const auto&) { ++told; });
  enqueue(service, session, "another", request("a"));
  EXPECT_EQ(told, 0);
  const auto made = enqueue(service, session, "q", request("a"));
  EXPECT_EQ(told, 1);
  enqueue(service, session, "q", request("b"));
  EXPECT_EQ(told, 1);
  service.listen_to_queue("q", [&](const auto&) { ++told; });
  service.write("q", made.place.ticket.id, text("another text"));
  EXPECT_EQ(told, 1);
  service.dequeue("q", made.place.ticket.id);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(service.listeners(), 0u);
}

TEST(MemoryService, commits_all_changes_or_none_and_only_while_the_ticket_is_there) {
  using What = spi::Change::What;
  Service service;
  const auto session = service.open_session();
  const auto ticket = enqueue(service, session, "q", request("a")).place.ticket.id;
  EXPECT_TRUE(service.commit({{"q", ticket}}, {{What::create, "/data", "1"}}));
  EXPECT_EQ(service.commit({{"q", ticket}}, {{What::set, "/data", "2"}, {What::check, "/nothing"}}).status,
            spi::Status::denied);
  EXPECT_EQ(service.text("", "data"), text("1"));
  EXPECT_EQ(service.commit({{"q", ticket}}, {{What::set, "/data", "2", 7}}).status, spi::Status::denied);
  EXPECT_TRUE(service.commit({{"q", ticket}}, {{What::set, "/data", "2", 0}, {What::check, "/data", "", 1}}));
  EXPECT_EQ(service.text("", "data"), text("2"));
  service.dequeue("q", ticket);
  EXPECT_EQ(service.commit({{"q", ticket}}, {{What::set, "/data", "3"}}).status, spi::Status::absent);
  EXPECT_EQ(service.text("", "data"), text("2"));
  EXPECT_TRUE(service.commit({}, {{What::remove, "/data"}}));
  EXPECT_FALSE(service.text("", "data"));
}

TEST(MemoryService, keeps_a_mark_when_its_ticket_has_gone_until_it_is_removed) {
  Service service;
  const auto session = service.open_session();
  const auto ticket = enqueue(service, session, "q", request("a")).place.ticket.id;
  EXPECT_TRUE(service.leave_mark("q", ticket));
  EXPECT_TRUE(service.leave_mark("q", ticket)) << "twice is once";
  EXPECT_TRUE(service.abandoned_marks("q").empty());
  service.end_session(session);
  EXPECT_EQ(service.abandoned_marks("q"), std::vector{Service::mark_of(ticket)});
  EXPECT_TRUE(service.abandoned_marks("another").empty());
  EXPECT_TRUE(service.dequeue("q", Service::mark_of(ticket)));
  EXPECT_FALSE(service.dequeue("q", Service::mark_of(ticket)));
  EXPECT_TRUE(service.abandoned_marks("q").empty());
  EXPECT_FALSE(service.leave_mark("q", ticket)) << "the ticket is gone";
}

TEST(MemoryService, tells_of_every_number_that_a_count_is_set_to) {
  Service service;
  EXPECT_EQ(service.count("n").status, spi::Status::absent);
  EXPECT_FALSE(service.set_count("n", 1));
  service.make_count("n", 5);
  service.make_count("n", 6);
  EXPECT_EQ(service.count("n").value, 5) << "it was there";
  std::vector<std::int32_t> told;
  const auto listener = service.listen_to_count("n", [&](std::int32_t count) { told.push_back(count); });
  EXPECT_TRUE(service.set_count("n", 7));
  service.ignore(listener);
  EXPECT_TRUE(service.set_count("n", 8));
  EXPECT_EQ(told, std::vector{7});
  EXPECT_TRUE(service.commit({}, {{spi::Change::What::set, "/n", "seven"}}));
  EXPECT_EQ(service.count("n").status, spi::Status::denied);
  EXPECT_EQ(service.listeners(), 0u);
}

TEST(MemoryService, counts_on_from_where_a_test_puts_it) {
  Service service;
  const auto session = service.open_session();
  service.set_next_sequence("q", 2'147'483'647);
  EXPECT_EQ(enqueue(service, session, "q", request("a")).place.ticket.sequence, 2'147'483'647);
}

TEST(MemoryService, gives_every_ticket_its_own_sequence_and_token_when_many_ask_at_once) {
  Service service;
  constexpr int kThreads = 4;
  constexpr int kTickets = 200;
  enqueue(service, service.open_session(), "q", request("stays"));
  std::vector<std::vector<spi::Place>> places(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto session = service.open_session();
      for (int i = 0; i < kTickets; ++i) {
        places[t].push_back(enqueue(service, session, "q", request(std::to_string(t))).place);
        service.dequeue("q", places[t].back().ticket.id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::int64_t> sequences;
  std::set<Token> tokens;
  for (const auto& each : places) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      sequences.insert(each[i].ticket.sequence);
      tokens.insert(each[i].token);
      if (i > 0) {
        EXPECT_GT(each[i].token, each[i - 1].token);
      }
    }
  }
  EXPECT_EQ(sequences.size(), static_cast<std::size_t>(kThreads * kTickets));
  EXPECT_EQ(tokens.size(), static_cast<std::size_t>(kThreads * kTickets));
  EXPECT_EQ(service.list("q").size(), 1U);
}

TEST(NamedMemoryService, is_shared_by_all_who_ask_for_its_name) {
  const auto one = Service::named("shared");
  EXPECT_EQ(Service::named("shared"), one);
  EXPECT_NE(Service::named("another"), one);
  EXPECT_NE(Service::named(""), one);
}

TEST(NamedMemoryService, is_forgotten_with_the_last_who_has_it) {
  auto service = Service::named("forgotten");
  const std::weak_ptr<Service> watch = service;
  enqueue(*service, service->open_session(), "q", request("a"));
  service.reset();
  EXPECT_TRUE(watch.expired());
  EXPECT_TRUE(Service::named("forgotten")->list("q").empty());
}

}  // namespace
}  // namespace holdfast::memory
