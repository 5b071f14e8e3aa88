// What spi/queue_backend.h asks of a store's listeners: to a ticket, to a queue, to a count.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "store_session.h"
#include "support/eventually.h"

namespace holdfast::testing {

using spi::Status;
using StoreListener = Conformance;

namespace {

constexpr auto kUid = "00000000-0000-4000-8000-000000000001";
constexpr auto kOtherUid = "00000000-0000-4000-8000-000000000002";

// What a listener has been told, by the Executor of the session.
class Told {
 public:
  void add(const spi::Reply<spi::TicketText>& reply) {
    const std::lock_guard lock(mutex_);
    replies_.push_back(reply);
  }
  std::vector<spi::Reply<spi::TicketText>> all() const {
    const std::lock_guard lock(mutex_);
    return replies_;
  }
  // The last word: the ticket is gone, or the listener should look.
  bool is_over() const {
    const auto replies = all();
    return std::any_of(replies.begin(), replies.end(), [](const auto& each) { return !each; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<spi::Reply<spi::TicketText>> replies_;
};

struct Listening {
  spi::QueueBackend::ListenerId id = 0;
  spi::Reply<spi::TicketText> armed;
  std::shared_ptr<Told> told = std::make_shared<Told>();
};

Listening listen(StoreSession& store, const std::string& queue, const std::string& ticket) {
  Listening listening;
  listening.armed = store.ask<spi::TicketText>([&](auto& backend, auto armed) {
    listening.id = backend.listen(queue, ticket, std::move(armed),
                                  [told = listening.told](const auto& reply) { told->add(reply); });
  });
  return listening;
}

std::shared_ptr<Told> listen_to_queue(StoreSession& store, const std::string& queue) {
  auto told = std::make_shared<Told>();
  const auto armed = store.ask<spi::Listing>([&](auto& backend, auto done) {
    backend.listen_to_queue(queue, std::move(done), [told](const auto& reply) { told->add(reply); });
  });
  EXPECT_TRUE(armed) << armed.detail;
  EXPECT_EQ(armed.value, store.list(queue));
  return told;
}

}  // namespace

TEST_F(StoreListener, gets_the_text_when_it_is_armed_then_the_changes_then_the_end) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto ticket = other.enqueue("q", kUid, spi::Mode::exclusive, "one").place.ticket.id;
  const auto listening = listen(store, "q", ticket);
  ASSERT_TRUE(listening.armed) << listening.armed.detail;
  EXPECT_EQ(listening.armed.value.card, "one");
  EXPECT_TRUE(other.write("q", ticket, {.card = "two"}));
  ASSERT_TRUE(eventually(kSoon, [&] { return !listening.told->all().empty(); }));
  EXPECT_TRUE(listening.told->all().front());
  EXPECT_EQ(listening.told->all().front().value.card, "two");
  EXPECT_TRUE(other.dequeue("q", ticket));
  ASSERT_TRUE(eventually(kSoon, [&] { return listening.told->is_over(); }));
  EXPECT_EQ(listening.told->all().size(), 2U);
  EXPECT_EQ(listening.told->all().back().status, Status::absent);
}

TEST_F(StoreListener, hears_the_end_of_the_session_that_made_the_ticket) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession dying(*world_);
  const auto listening = listen(store, "q", dying.enqueue("q", kUid).place.ticket.id);
  dying.close();
  ASSERT_TRUE(eventually(kSoon, [&] { return listening.told->is_over(); }));
  EXPECT_EQ(listening.told->all().size(), 1U);
  EXPECT_EQ(listening.told->all().back().status, Status::absent);
}

TEST_F(StoreListener, to_a_ticket_that_is_gone_is_told_so_and_nothing_else) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  const auto ticket = store.enqueue("q", kUid).place.ticket.id;
  EXPECT_TRUE(store.dequeue("q", ticket));
  const auto listening = listen(store, "q", ticket);
  EXPECT_EQ(listening.armed.status, Status::absent);
  // What comes after in the same queue shows that nothing else did.
  const auto next = listen(store, "q", store.enqueue("q", kUid).place.ticket.id);
  EXPECT_TRUE(store.dequeue("q", store.list("q").front().id));
  ASSERT_TRUE(eventually(kSoon, [&] { return next.told->is_over(); }));
  EXPECT_TRUE(listening.told->all().empty());
}

TEST_F(StoreListener, hears_nothing_of_other_tickets_and_nothing_once_it_is_ignored) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto one = other.enqueue("q", kUid).place.ticket.id;
  const auto two = other.enqueue("q", kOtherUid).place.ticket.id;
  const auto ignored = listen(store, "q", one);
  const auto to_one = listen(store, "q", one);
  const auto to_two = listen(store, "q", two);
  store.inside([&] {
    store.backend().ignore(ignored.id);
    store.backend().ignore(ignored.id);
  });
  EXPECT_TRUE(other.dequeue("q", one));
  ASSERT_TRUE(eventually(kSoon, [&] { return to_one.told->is_over(); }));
  EXPECT_TRUE(other.dequeue("q", two));
  ASSERT_TRUE(eventually(kSoon, [&] { return to_two.told->is_over(); }));
  EXPECT_TRUE(ignored.told->all().empty());
  EXPECT_EQ(to_one.told->all().size(), 1U);
  EXPECT_EQ(to_two.told->all().size(), 1U);
}

TEST_F(StoreListener, to_a_queue_is_told_once_that_a_ticket_came) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  other.enqueue("q", kUid);
  const auto told = listen_to_queue(store, "q");
  other.enqueue("another", kOtherUid);
  const auto second = other.enqueue("q", kOtherUid).place.ticket.id;
  ASSERT_TRUE(eventually(kSoon, [&] { return !told->all().empty(); }));
  const auto next = listen_to_queue(store, "q");
  EXPECT_TRUE(other.dequeue("q", second));
  ASSERT_TRUE(eventually(kSoon, [&] { return !next->all().empty(); }));
  EXPECT_EQ(told->all().size(), 1U) << "more than once, or of another queue";
  EXPECT_FALSE(told->all().front());
}

TEST_F(StoreListener, to_a_queue_is_told_that_a_session_took_its_ticket_along) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession dying(*world_);
  store.enqueue("q", kUid);
  dying.enqueue("q", kOtherUid);
  const auto told = listen_to_queue(store, "q");
  dying.close();
  EXPECT_TRUE(eventually(kSoon, [&] { return !told->all().empty(); }));
}

TEST_F(StoreListener, to_a_count_gets_the_number_and_the_last_that_is_set_after) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  std::atomic<std::int32_t> told = 0;
  spi::QueueBackend::ListenerId id = 0;
  const auto listen = [&](auto& backend, auto armed) {
    id = backend.listen_to_count("n", std::move(armed), [&](std::int32_t count) { told = count; });
  };
  const auto set = [&](std::int32_t count) {
    return other.ask<spi::Nothing>([&](auto& backend, auto done) { backend.set_count("n", count, std::move(done)); });
  };
  EXPECT_EQ(store.ask<std::int32_t>(listen).status, Status::absent);
  EXPECT_TRUE(other.ask<spi::Nothing>([](auto& backend, auto done) { backend.make_count("n", 5, std::move(done)); }));
  EXPECT_EQ(store.ask<std::int32_t>(listen).value, 5);
  for (const std::int32_t count : {6, 7, 8}) EXPECT_TRUE(set(count));
  EXPECT_TRUE(eventually(kSoon, [&] { return told == 8; })) << told;
  store.inside([&] { store.backend().ignore(id); });
}

// The session stands still while another one makes a change: so what is told of it and the reply that arms the listener are both under way.
TEST_F(StoreListener, is_armed_before_it_is_told_however_soon_something_changes) {
  HOLDFAST_NEEDS_FEATURE(order);
  StoreSession store(*world_);
  StoreSession other(*world_);
  struct Order {
    std::atomic<bool> armed = false;
    std::atomic<bool> told = false;
    std::atomic<bool> told_first = false;
    void tell() {
      if (!armed) told_first = true;
      told = true;
    }
  };
  // listen(order), then change(), while the session stands still. What is told, if anything is, comes after the reply.
  const auto check = [&](const char* what, const auto& listen, const auto& change) {
    const auto order = std::make_shared<Order>();
    store.inside([&] {
      listen(order);
      change();
    });
    EXPECT_TRUE(eventually(kSoon, [&] { return order->armed.load(); })) << what;
    change();
    EXPECT_TRUE(eventually(kSoon, [&] { return order->told.load(); })) << what;
    EXPECT_FALSE(order->told_first) << what << " was told before it was armed";
  };
  const auto arms = [](const auto& order) {
    return [order](const auto& reply) {
      EXPECT_TRUE(reply) << reply.detail;
      order->armed = true;
    };
  };

  const auto ticket = other.enqueue("q", kUid).place.ticket.id;
  int changes = 0;
  for (int i = 0; i < 20; ++i) {
    check(
        "a listener to a ticket",
        [&](const auto& order) {
          store.backend().listen("q", ticket, arms(order), [order](const auto&) { order->tell(); });
        },
        [&] { EXPECT_TRUE(other.write("q", ticket, {.card = std::to_string(++changes)})); });
    check(
        "a listener to a queue",
        [&](const auto& order) {
          store.backend().listen_to_queue("q", arms(order), [order](const auto&) { order->tell(); });
        },
        [&] { other.enqueue("q", "00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + ++changes)); });
  }
  EXPECT_TRUE(other.ask<spi::Nothing>([](auto& backend, auto done) { backend.make_count("n", 0, std::move(done)); }));
  check(
      "a listener to a count",
      [&](const auto& order) {
        store.backend().listen_to_count("n", arms(order), [order](std::int32_t) { order->tell(); });
      },
      [&] {
        EXPECT_TRUE(other.ask<spi::Nothing>(
            [&](auto& backend, auto done) { backend.set_count("n", ++changes, std::move(done)); }));
      });
}

TEST_F(StoreListener, is_forgotten_by_the_service_when_it_ends) {
  HOLDFAST_NEEDS(listeners);
  StoreSession store(*world_);
  StoreSession other(*world_);
  const auto ticket = other.enqueue("q", kUid).place.ticket.id;
  const auto ignored = listen(store, "q", ticket);
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 1; }));
  store.inside([&] { store.backend().ignore(ignored.id); });
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
  const auto told = listen(store, "q", ticket);
  EXPECT_TRUE(other.dequeue("q", ticket));
  EXPECT_TRUE(eventually(kSoon, [&] { return told.told->is_over() && world_->listeners() == 0; }));
  listen(store, "q", other.enqueue("q", kUid).place.ticket.id);
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 1; }));
  store.close();
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
}

}  // namespace holdfast::testing
