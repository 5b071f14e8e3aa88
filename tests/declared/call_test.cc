// What a call of a locked function does, from its arguments to its result.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "declared.h"
#include "holdfast/testing/faulty_service.h"
#include "support/forked_child.h"

namespace holdfast::testing {
namespace {

using Names = std::vector<std::string>;
using DeclaredCall = Declared;

struct Member {
  int id = 0;
  std::string name;
  int renewed = 0;
  int renew(int years) { return renewed += years; }
};

TEST_F(DeclaredCall, holds_the_lock_until_it_returns) {
  Names during;
  auto ship = locked(client, "orders/{0}", [&](int) { during = held(); });
  ship(7);
  EXPECT_EQ(during, Names{"orders/7"});
  EXPECT_EQ(held(), Names{});
}

TEST_F(DeclaredCall, releases_when_it_throws) {
  auto ship =
      locked(client, "orders/{0}", [](int order) { throw std::runtime_error("no order " + std::to_string(order)); });
  EXPECT_EQ(sentence_of([&] {
              try {
                ship(7);
              } catch (const std::runtime_error& error) {
                throw Error(Errc::refused, error.what());
              }
            }),
            "no order 7");
  EXPECT_EQ(held(), Names{});
  EXPECT_TRUE(rival.mutex("orders/7").try_acquire());
}

TEST_F(DeclaredCall, passes_arguments_and_results_as_they_are) {
  auto keep = locked(client, "a", [](std::unique_ptr<int> one) { return one; });
  EXPECT_EQ(*keep(std::make_unique<int>(3)), 3);

  int value = 1;
  auto pass = locked(client, "a", [](int& one) -> int& { return one; });
  static_assert(std::is_same_v<decltype(pass(value)), int&>);
  pass(value) = 2;
  EXPECT_EQ(value, 2);

  // What cannot be copied or moved comes out where it is put.
  struct Fixed {
    explicit Fixed(int number) : id(number) {}
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    int id;
  };
  auto make = locked(client, "a", [](int id) { return Fixed(id); });
  EXPECT_EQ(make(5).id, 5);

  auto own = locked(client, "a", [mine = std::make_unique<int>(4)]() mutable { return (*mine)++; });
  EXPECT_EQ(own(), 4);
  auto moved = std::move(own);
  EXPECT_EQ(moved(), 5);
}

TEST_F(DeclaredCall, is_const_and_noexcept_if_the_function_is) {
  const auto same = [](int one) { return one; };
  const auto constant = locked(client, "a", same);
  EXPECT_EQ(constant(1), 1);
  auto counter = [count = 0]() mutable { return ++count; };
  auto changing = locked(client, "a", counter);
  EXPECT_EQ(changing(), 1);
  static_assert(!std::is_invocable_v<const decltype(changing)&>);
  static_assert(!std::is_invocable_v<decltype(constant)&, std::string>);

  auto calm = locked(
      client, "a", [](int one) noexcept { return one; }, skip);
  static_assert(std::is_nothrow_invocable_r_v<std::optional<int>, decltype(calm), int>);
  auto content = locked(
      client, "a", [](int one) noexcept { return one; }, [](int) noexcept { return -1; });
  static_assert(noexcept(content(1)));
  static_assert(!noexcept(constant(1)));
  EXPECT_EQ(content(1), 1);
}

TEST_F(DeclaredCall, gives_the_lease_to_a_function_that_wants_it) {
  Token token = 0;
  auto write = locked(client, "orders/{0}", [&](Lease& lease, int order) {
    token = lease.token();
    return lease.is_held() ? order : 0;
  });
  EXPECT_EQ(write(7), 7);
  EXPECT_GT(token, 0U);
  EXPECT_EQ(locked(client, "a", [](auto&&... all) { return sizeof...(all); })(1, 2), 2U) << "it has not asked for one";
}

TEST_F(DeclaredCall, takes_whatever_can_be_invoked) {
  Member jane{.id = 123, .name = "Jane", .renewed = 0};
  auto renew = locked(client, LockSpec{.name = "member-{0.id}"}.arg("id", &Member::id), &Member::renew);
  EXPECT_EQ(renew(jane, 2), 2);
  EXPECT_EQ(renew(&jane, 1), 3);
  const std::function<int(int)> twice = locked(client, "a", [](int one) { return 2 * one; });
  EXPECT_EQ(twice(2), 4);
}

TEST_F(DeclaredCall, is_named_by_projections_of_its_arguments) {
  Names during;
  auto rename = locked(client,
                       LockSpec{.name = "shards/{1.shard}/member-{0.id}"}
                           .arg("id", &Member::id)
                           .arg("shard", [](int number) { return number % 16; }),
                       [&](const Member&, int) { during = held(); });
  rename(Member{.id = 123, .name = "", .renewed = 0}, 35);
  EXPECT_EQ(during, Names{"shards/3/member-123"});
}

TEST_F(DeclaredCall, keeps_hostile_arguments_in_their_place) {
  Names during;
  auto visit = locked(client, "customers/{0}", [&](const std::string&) { during = held(); });
  for (const auto& argument :
       {std::string("../admin"), std::string("/"), std::string(1, '\0'), std::string("🔒"), std::string(10'000, 'x'),
        std::string(), std::string(".."), std::string("lock-0000000001")}) {
    visit(argument);
    ASSERT_EQ(during.size(), 1U);
    EXPECT_TRUE(during.front().starts_with("customers/"));
    EXPECT_EQ(during.front().find('/', 10), std::string::npos) << during.front();
  }
}

TEST_F(DeclaredCall, can_call_itself) {
  std::function<int(int)> factorial =
      locked(client, "factorial", [&](int n) { return n < 2 ? 1 : n * factorial(n - 1); });
  EXPECT_EQ(factorial(10), 3'628'800);
  EXPECT_EQ(held(), Names{});
}

TEST_F(DeclaredCall, can_call_another_one_that_holds_the_same_lock) {
  auto inner =
      locked(client, {.name = "orders/{0}", .max_hold = 1h, .purpose = "inner"}, [](int order) { return order; });
  auto outer = locked(client, "orders/{0}", [&](int order) {
    return inner(order) + with_lock(client, lock_name("orders/{}", order), [] { return 1; });
  });
  EXPECT_EQ(outer(7), 8);
  EXPECT_EQ(held(), Names{});
}

TEST_F(DeclaredCall, goes_on_with_a_lost_lease_and_can_know_it) {
  FaultyService service;
  auto worker = service.connect("worker");
  auto import = locked(worker, "import", [&](Lease& lease) {
    service.expire("worker");
    return lease.is_held() ? "held" : "lost";
  });
  ::testing::internal::CaptureStderr();
  EXPECT_STREQ(import(), "lost");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("was lost before the function that held it had returned"),
            std::string::npos);
  EXPECT_STREQ(locked(worker, "import", [](Lease& lease) { return lease.is_held() ? "held" : "lost"; })(), "held")
      << "the next call";
}

TEST_F(DeclaredCall, can_keep_the_lease_for_later) {
  auto begin = locked(client, "a", [](Lease& lease) { return std::move(lease); });
  auto lease = begin();
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(held(), Names{"a"});
}

TEST_F(DeclaredCall, of_64_threads_never_runs_twice_at_a_time) {
  std::atomic<int> inside = 0;
  int calls = 0;
  auto count = locked(client, {.name = "counter", .wait = kSoon}, [&] {
    EXPECT_EQ(inside.fetch_add(1), 0);
    ++calls;
    inside.fetch_sub(1);
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) count();
    });
  }
  threads.clear();
  EXPECT_EQ(calls, 640);
}

TEST_F(DeclaredCall, outlives_its_client_and_then_is_cancelled) {
  auto made = std::make_unique<Client>(Client::connect("memory:"));
  const auto twice = locked(*made, "a", [](int one) { return 2 * one; });
  const auto moved = std::make_unique<Client>(std::move(*made));
  made.reset();
  EXPECT_EQ(twice(2), 4);
  moved->close();
  EXPECT_EQ(code_of([&] { twice(2); }), Errc::cancelled);
}

TEST_F(DeclaredCall, goes_through_the_handlers_of_its_client) {
  const auto counters = std::make_shared<LockCounters>();
  auto counted = Client::connect("memory:", {.handlers = {counters}});
  const auto twice = locked(counted, "counted", [](int one) { return 2 * one; });
  EXPECT_EQ(twice(2), 4);
  with_lock(counted, "counted", [&] { EXPECT_EQ(counters->counts().held, 1U); });
  EXPECT_EQ(counters->counts().acquired, 2U);
  EXPECT_EQ(counters->counts().released, 2U);
  EXPECT_EQ(counters->counts().held, 0U);
}

TEST_F(DeclaredCall, of_a_child_of_fork_is_refused_and_the_parent_goes_on) {
  const auto twice = locked(client, "a", [](int one) { return 2 * one; });
  EXPECT_EQ(twice(2), 4);
  EXPECT_EQ(in_child([&] {
              const bool refused = code_of([&] { twice(2); }) == Errc::forked;
              return refused && code_of([&] { with_lock(client, "a", [] {}); }) == Errc::forked ? 0 : 1;
            }),
            0);
  EXPECT_EQ(twice(2), 4);
}

TEST_F(DeclaredCall, can_be_copied_and_then_is_the_same_lock) {
  const auto twice = locked(client, "a", [&](int one) { return held().size() == 1 ? 2 * one : 0; });
  const auto copy = twice;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy(2), 4);
  EXPECT_EQ(twice(2), 4);
}

TEST_F(DeclaredCall, says_in_the_queue_what_it_is_for) {
  auto report = locked(client, {.name = "report", .purpose = "monthly report"},
                       [&] { return rival.inspect("report").tickets.at(0).card.purpose; });
  EXPECT_EQ(report(), "monthly report");
}

TEST_F(DeclaredCall, holds_many_names_and_the_same_twice_as_one) {
  Names during;
  auto transfer = locked(client, {.names = {"accounts/{0}", "accounts/{1}"}}, [&](int, int) { during = held(); });
  transfer(1, 2);
  EXPECT_EQ(during, (Names{"accounts/1", "accounts/2"}));
  transfer(1, 1);
  EXPECT_EQ(during, Names{"accounts/1"});
}

TEST_F(DeclaredCall, that_makes_no_sense_is_refused_when_it_is_declared) {
  const auto sentence = [&](LockSpec spec) {
    return sentence_of([&] { locked(client, std::move(spec), [](int) {}); });
  };
  EXPECT_EQ(sentence({}), "\"\" is not a name: it is empty; a name is a path such as orders/123");
  EXPECT_EQ(sentence({.name = "orders/{1}"}), "\"orders/{1}\": there is no argument for {1}");
  EXPECT_EQ(sentence({.name = "a", .wait = -1ms}), "a lock is declared with a wait of -1 ms; it cannot be negative");
  EXPECT_EQ(sentence({.name = "a", .names = {"b"}}),
            "a lock is declared with the name \"a\" and with names; it has either");
  EXPECT_EQ(sentence({.names = {"a", "b"}, .type = LockType::read}),
            "a lock is declared with 2 names; only the type multi can have several");
  EXPECT_EQ(sentence({.name = "a", .type = LockType::semaphore}), "the semaphore a is declared without permits");
  EXPECT_EQ(sentence({.name = "{0}", .min_hold = 2s, .max_hold = 1s}),
            "the minimum hold (2000 ms) is longer than the maximum hold (1000 ms)");
  EXPECT_EQ(sentence_of([&] { locked(client, LockSpec{.name = "a"}.arg("id", &Member::id), [](const Member&) {}); }),
            "no placeholder asks for the projection \"id\"");
  EXPECT_EQ(
      sentence_of([&] { locked(client, "a/{0}", [](Lease&, double) {}); }),
      "\"a/{0}\": {0} is not of a type that a name can be made of; a projection can make it a string or an integer");
}

TEST_F(DeclaredCall, of_a_generic_function_is_refused_when_it_has_not_the_arguments) {
  auto generic = locked(client, "a/{1}", [](auto... all) { return sizeof...(all); });
  EXPECT_EQ(generic(1, 2), 2U);
  EXPECT_EQ(sentence_of([&] { generic(1); }), "\"a/{1}\": there is no argument for {1}");
}

}  // namespace
}  // namespace holdfast::testing
