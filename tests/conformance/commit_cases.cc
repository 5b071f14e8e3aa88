// docs/semantics.md, "Guarded writes": Client::commit().
#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Commit = Conformance;

namespace {

std::error_code code_of(Client& client, const Lease& lease, const Transaction& transaction,
                        std::string* what = nullptr) {
  try {
    client.commit(lease, transaction);
    return {};
  } catch (const Error& error) {
    if (what != nullptr) *what = error.what();
    return error.code();
  }
}

}  // namespace

TEST_F(Commit, changes_what_is_stored_while_the_lock_is_held) {
  HOLDFAST_NEEDS(values);
  auto client = connect();
  auto mutex = client.mutex("orders/1");
  const auto lease = mutex.acquire();
  client.commit(lease, Transaction().create("/data", "one").create("/data2", "x"));
  EXPECT_EQ(world_->read_value("data"), "one");
  client.commit(lease, Transaction().set("/data", "two").remove("/data2"));
  EXPECT_EQ(world_->read_value("data"), "two");
  EXPECT_FALSE(world_->read_value("data2"));
}

TEST_F(Commit, makes_all_steps_or_none_and_says_which_could_not_be_made) {
  HOLDFAST_NEEDS(values);
  auto client = connect();
  auto mutex = client.mutex("orders/1");
  const auto lease = mutex.acquire();
  world_->write_value("data", "one");
  std::string what;
  EXPECT_EQ(code_of(client, lease, Transaction().set("/data", "two").remove("/nothing"), &what), Errc::refused);
  EXPECT_NE(what.find("/nothing"), std::string::npos) << what;
  EXPECT_EQ(world_->read_value("data"), "one");
  EXPECT_EQ(code_of(client, lease, Transaction().create("/data", "two")), Errc::refused);
  EXPECT_EQ(code_of(client, lease, Transaction().set("/data", "two", 99)), Errc::refused);
  EXPECT_EQ(code_of(client, lease, Transaction().check("/data", 0).set("/data", "two", 0)), std::error_code());
  EXPECT_EQ(world_->read_value("data"), "two");
}

// The holder does not know yet that it was broken; the service does.
TEST_F(Commit, is_refused_by_the_service_when_the_ticket_is_gone) {
  HOLDFAST_NEEDS(values);
  auto client = connect({.session_timeout = 1h});
  auto mutex = client.mutex("orders/1");
  const auto lease = mutex.acquire();
  world_->write_value("data", "one");
  world_->remove_ticket("orders/1", world_->tickets("orders/1").front());
  ASSERT_TRUE(lease.is_held());
  EXPECT_EQ(code_of(client, lease, Transaction().set("/data", "late")), Errc::session_lost);
  EXPECT_EQ(world_->read_value("data"), "one");
}

TEST_F(Commit, is_refused_after_the_release) {
  HOLDFAST_NEEDS(values);
  auto client = connect();
  auto mutex = client.mutex("orders/1");
  auto lease = mutex.acquire();
  lease.release();
  EXPECT_EQ(code_of(client, lease, Transaction().create("/data", "late")), Errc::session_lost);
  EXPECT_EQ(code_of(client, Lease(), Transaction().create("/data", "late")), Errc::session_lost);
  EXPECT_FALSE(world_->read_value("data"));
}

TEST_F(Commit, of_nothing_or_to_what_is_no_path_is_refused) {
  auto client = connect();
  auto mutex = client.mutex("orders/1");
  const auto lease = mutex.acquire();
  EXPECT_EQ(code_of(client, lease, Transaction()), Errc::invalid_argument);
  for (const auto* path : {"data", "", "/", "/a//b", "/a/", "/a/../b"}) {
    EXPECT_EQ(code_of(client, lease, Transaction().create(path, "x")), Errc::invalid_argument) << path;
  }
}

TEST_F(Commit, works_with_every_kind_of_lock) {
  HOLDFAST_NEEDS(values);
  auto client = connect();
  auto shared = client.shared_mutex("a");
  auto multi = client.multi_lock({{"b"}, {"c"}});
  auto semaphore = client.semaphore("d", 2);
  int n = 0;
  const auto works = [&](const Lease& lease) {
    client.commit(lease, Transaction().create("/data" + std::to_string(++n), "x"));
    return world_->read_value("data" + std::to_string(n)) == "x";
  };
  EXPECT_TRUE(works(shared.acquire()));
  EXPECT_TRUE(works(shared.acquire_shared()));
  EXPECT_TRUE(works(multi.acquire()));
  EXPECT_TRUE(works(semaphore.acquire(2)));
}

}  // namespace holdfast::testing
