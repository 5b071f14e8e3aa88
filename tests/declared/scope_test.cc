// HOLDFAST_LOCKED: the lock of a scope, and the name that it has by default. Run by g++ and by clang, which must agree.
#include <stdexcept>

#include "declared.h"

namespace shop {

using holdfast::Client;

// The one name that is held while a function runs.
std::string held(Client& client) {
  const auto locks = client.inspect_all();
  return locks.size() == 1 ? locks.front().name : std::to_string(locks.size()) + " locks";
}

std::string close(Client& client) {
  HOLDFAST_LOCKED(client);
  return held(client);
}
std::string close(Client& client, int) {
  HOLDFAST_LOCKED(client);
  return held(client);
}

namespace {
std::string hidden(Client& client) {
  HOLDFAST_LOCKED(client);
  return held(client);
}
}  // namespace

struct Orders {
  std::string export_all() const {
    HOLDFAST_LOCKED(client);
    return held(client);
  }
  static std::string reset(Client& one) {
    HOLDFAST_LOCKED(one);
    return held(one);
  }
  std::string operator/(int) const {
    HOLDFAST_LOCKED(client);
    return held(client);
  }
  std::string in_a_lambda() const {
    return [this](auto) {
      HOLDFAST_LOCKED(client);
      return held(client);
    }(1);
  }
  template <class T>
  std::vector<T> in_a_template(const T&) const {
    HOLDFAST_LOCKED(client);
    return {held(client)};
  }
  int (*table(std::string& name) const)(int) {
    HOLDFAST_LOCKED(client);
    name = held(client);
    return nullptr;
  }

  Client& client;
};

template <class T>
struct Box {
  std::string put(const T&) {
    HOLDFAST_LOCKED(client);
    struct Inner {
      static std::string look(Client& one) { return held(one); }
    };
    return Inner::look(client);
  }
  Client& client;
};

}  // namespace shop

namespace holdfast::testing {
namespace {

using DeclaredScope = Declared;

TEST_F(DeclaredScope, is_named_after_its_function) {
  const shop::Orders orders{client};
  EXPECT_EQ(shop::close(client), "shop::close");
  EXPECT_EQ(shop::close(client, 1), "shop::close") << "overloads share one lock";
  EXPECT_EQ(shop::hidden(client), "shop::(anonymous)::hidden");
  EXPECT_EQ(orders.export_all(), "shop::Orders::export_all");
  EXPECT_EQ(shop::Orders::reset(client), "shop::Orders::reset");
  EXPECT_EQ(orders / 1, "shop::Orders::operator%2f");
  EXPECT_EQ(orders.in_a_lambda(), "shop::Orders::in_a_lambda::(lambda)");
  EXPECT_EQ(orders.in_a_template(std::string()).front(), "shop::Orders::in_a_template");
  EXPECT_EQ(shop::Box<std::vector<int>>{client}.put({}), "shop::Box::put");
  std::string name;
  orders.table(name);
  EXPECT_EQ(name, "shop::Orders::table");
}

TEST_F(DeclaredScope, can_have_a_name_and_a_specification) {
  {
    HOLDFAST_LOCKED(client, "orders");
    EXPECT_EQ(held(), std::vector<std::string>{"orders"});
    HOLDFAST_LOCKED(client, {.name = "orders", .wait = 1s, .purpose = "again"});
    HOLDFAST_LOCKED(client, lock_name("orders/{}", 7));
    EXPECT_EQ(held(), (std::vector<std::string>{"orders", "orders/7"}));
  }
  EXPECT_EQ(held(), std::vector<std::string>{});
}

TEST_F(DeclaredScope, ends_when_it_is_left_by_an_exception) {
  const auto leave = [&] {
    HOLDFAST_LOCKED(client, "orders");
    throw std::runtime_error("left");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  EXPECT_EQ(held(), std::vector<std::string>{});
}

TEST_F(DeclaredScope, has_no_arguments_for_its_name) {
  EXPECT_EQ(sentence_of([&] { HOLDFAST_LOCKED(client, "orders/{0}"); }),
            "\"orders/{0}\": there is no argument for {0}");
  EXPECT_EQ(sentence_of([&] { with_lock(client, "orders/{0}", [] {}); }),
            "\"orders/{0}\": there is no argument for {0}");
}

}  // namespace
}  // namespace holdfast::testing
