// What inspect says about locks that others made: real ones of Curator and kazoo, and nodes with the names of the rest.
#include <fmt/format.h>

#include "interop.h"

namespace holdfast::testing {
namespace {

class InspectStrangers : public Interop {
 protected:
  InspectStrangers() { client_.emplace(connect()); }

  LockInfo lock() { return client_->inspect(std::string(kPath).substr(1)); }

  // A node as such a client would make it; ephemeral of this process's session, or of none.
  void make(const std::string& name, const std::string& text, int flags = ZOO_EPHEMERAL) {
    const auto path = fmt::format("{}/{}", kPath, name);
    ASSERT_EQ(zoo_create(observer().handle(), path.c_str(), text.data(), static_cast<int>(text.size()),
                         &ZOO_OPEN_ACL_UNSAFE, flags, nullptr, 0),
              ZOK)
        << path;
  }
  void make_queue() { client_->mutex(std::string(kPath).substr(1)).acquire().release_for(kSoon); }

  std::optional<Client> client_;
};

TEST_F(InspectStrangers, names_the_recipe_of_every_real_peer) {
  auto& curator = start(Make::curator);
  auto& kazoo = start(Make::kazoo);
  const auto token = curator.acquire();
  kazoo.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  const auto found = lock();
  ASSERT_EQ(found.tickets.size(), 2U);
  EXPECT_TRUE(found.tickets[0].holds);
  EXPECT_EQ(found.tickets[0].recipe, "Curator");
  EXPECT_EQ(std::to_string(found.tickets[0].token), token);
  EXPECT_EQ(found.tickets[0].card.address.empty(), !host_name_resolves()) << found.tickets[0].card.address;
  EXPECT_EQ(found.tickets[0].card.host, "");
  EXPECT_FALSE(found.tickets[1].holds);
  EXPECT_FALSE(found.mixed_recipes) << "both make nodes with Curator's names";
  curator.release();
  kazoo.expect("acquired");
}

TEST_F(InspectStrangers, decodes_go_zookeeper_kazoo_and_zookeepers_recipe_and_flags_the_mix) {
  make_queue();
  make("_c_0f0e8a3c2b1d4c5e8f90123456789abc-lock-0000000001", "");
  make("0f0e8a3c2b1d4c5e8f90123456789abc__lock__0000000002", "worker-7");
  make("0f0e8a3c2b1d4c5e8f90123456789abc__rlock__0000000003", "");
  make("x-72057594037927936-0000000004", std::string("\x12\x34", 2));
  const auto found = lock();
  ASSERT_EQ(found.tickets.size(), 4U);
  EXPECT_EQ(found.tickets[0].recipe, "go-zookeeper");
  EXPECT_TRUE(found.tickets[0].holds);
  EXPECT_EQ(found.tickets[1].recipe, "kazoo");
  EXPECT_EQ(found.tickets[1].card.address, "worker-7");
  EXPECT_EQ(found.tickets[2].mode, LockMode::read);
  EXPECT_EQ(found.tickets[3].recipe, "ZooKeeper recipe");
  EXPECT_TRUE(found.mixed_recipes);
  EXPECT_EQ(found.orphans, 0U);
  EXPECT_FALSE(found.near_overflow);
}

TEST_F(InspectStrangers, flags_what_no_session_keeps) {
  make_queue();
  make("0f0e8a3c2b1d4c5e8f90123456789abc__lock__0000000001", "", 0);
  const auto found = lock();
  ASSERT_EQ(found.tickets.size(), 1U);
  EXPECT_EQ(found.tickets[0].session, 0);
  EXPECT_EQ(found.orphans, 1U);
}

TEST_F(InspectStrangers, flags_a_counter_near_its_end) {
  make_queue();
  make("_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-2147000001", "10.0.0.1");
  EXPECT_TRUE(lock().near_overflow);
}

TEST_F(InspectStrangers, flags_a_mutex_beside_a_read_write_lock) {
  make_queue();
  make("_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-__WRIT__0000000001", "10.0.0.1");
  EXPECT_FALSE(lock().mixed_recipes);
  make("_c_1f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-0000000002", "10.0.0.1");
  EXPECT_TRUE(lock().mixed_recipes);
}

TEST_F(InspectStrangers, writes_nothing) {
  make_queue();
  make("x-72057594037927936-0000000004", "");
  Stat before{};
  ASSERT_EQ(zoo_exists(observer().handle(), kPath, 0, &before), ZOK);
  lock();
  client_->inspect_all();
  Stat after{};
  ASSERT_EQ(zoo_exists(observer().handle(), kPath, 0, &after), ZOK);
  EXPECT_EQ(after.cversion, before.cversion);
  EXPECT_EQ(after.version, before.version);
}

}  // namespace
}  // namespace holdfast::testing
