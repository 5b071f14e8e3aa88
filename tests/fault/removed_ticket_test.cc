// docs/semantics.md, "Loss": a ticket that an operator removed is noticed by a watch, which must not be lost itself (ADR 16).
#include <fmt/format.h>

#include <future>
#include <memory>

#include "network.h"

namespace holdfast::testing {
namespace {

class RemovedTicket : public Network {
 protected:
  void remove(const std::string& path) { ASSERT_EQ(zoo_delete(observer_.handle(), path.c_str(), -1), ZOK); }
  bool is_watched(const std::string& path) { return parse_watches(server_.four_letter_word("wchp")).contains(path); }
  static bool notices(const Lease& lease) {
    return eventually(kSoon, [&] { return !lease.is_held() && lease.lost().stop_requested(); });
  }

  const ClientOptions options_{.session_timeout = 4s};
};

TEST_F(RemovedTicket, is_noticed_without_a_request) {
  auto client = connect(options_);
  auto lease = client.mutex("a").acquire();
  ASSERT_TRUE(eventually(kSoon, [&] { return is_watched(lease.ticket()); }));
  remove(lease.ticket());
  EXPECT_TRUE(notices(lease));
  EXPECT_EQ(proxy_.count([&](const Seen& seen) {
    return seen.is_request() && seen.path == lease.ticket() && seen.op != Op::delete_node;
  }),
            1U)
      << "the watch";
}

TEST_F(RemovedTicket, of_a_waiter_is_made_anew) {
  auto rival = connect_directly();
  auto theirs = rival.mutex("a").acquire();
  auto client = connect(options_);
  auto waiting = std::async(std::launch::async, [&] { return client.mutex("a").try_acquire_for(30s); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  const auto first = "/a/" + tickets("a").back();
  ASSERT_TRUE(eventually(kSoon, [&] { return is_watched(first); }));
  remove(first);
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  theirs.release();
  auto result = waiting.get();
  ASSERT_TRUE(result) << result.message();
  EXPECT_NE(result.lease().ticket(), first);
}

// The request that sets the watch, or its reply, is lost with the connection, once or several times in a row.
TEST_F(RemovedTicket, is_noticed_whatever_becomes_of_the_request_for_the_watch) {
  int name = 0;
  for (const bool reply : {false, true}) {
    for (const int times : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("{} lost, {} times", reply ? "reply" : "request", times));
      auto client = connect({.session_timeout = 10s});
      auto lease = client.mutex(fmt::format("a{}", ++name)).acquire();
      std::vector<Rule> rules;
      for (int i = 0; i < times; ++i) {
        const RequestMatch match{.op = Op::get_data, .path = lease.ticket()};
        rules.push_back(reply ? proxy_.cut_after(match) : proxy_.cut_before(match));
      }
      ASSERT_TRUE(eventually(kSoon, [&] { return rules.back().fired(); }));
      ASSERT_TRUE(lease.is_held());
      remove(lease.ticket());
      EXPECT_TRUE(notices(lease));
    }
  }
}

TEST_F(RemovedTicket, is_noticed_by_a_client_that_was_cut_off_when_it_was_removed) {
  auto client = connect({.session_timeout = 20s});
  auto lease = client.mutex("a").acquire();
  ASSERT_TRUE(eventually(kSoon, [&] { return is_watched(lease.ticket()); }));
  proxy_.refuse(true);
  proxy_.cut_all();
  remove(lease.ticket());
  EXPECT_TRUE(lease.is_held()) << "it cannot know";
  proxy_.refuse(false);
  EXPECT_TRUE(notices(lease));
}

TEST_F(RemovedTicket, is_noticed_after_the_watch_was_taken_along_to_another_connection) {
  auto client = connect({.session_timeout = 20s});
  auto lease = client.mutex("a").acquire();
  for (int i = 0; i < 5; ++i) {
    const auto accepted = proxy_.accepted();
    proxy_.cut_all();
    ASSERT_TRUE(eventually(kSoon, [&] { return proxy_.accepted() > accepted && is_watched(lease.ticket()); }));
  }
  remove(lease.ticket());
  EXPECT_TRUE(notices(lease));
}

// ZooKeeper tells nothing about nodes that the watcher may not read, so that there is a look with every beat instead.
TEST_F(RemovedTicket, is_noticed_if_we_may_not_read_what_we_made) {
  observer_.create("/a");
  constexpr std::uint32_t kAllButRead = 30;
  auto client = connect({.session_timeout = 4s, .zookeeper = {.acl = {{"world", "anyone", kAllButRead}}}});
  auto lease = client.mutex("a").acquire();
  const auto looks = [&] {
    return proxy_.count([&](const Seen& seen) { return seen.is_reply() && seen.path == lease.ticket(); });
  };
  ASSERT_TRUE(eventually(kSoon, [&] { return looks() >= 3; }));
  ASSERT_TRUE(lease.is_held());
  remove(lease.ticket());
  EXPECT_TRUE(notices(lease));
}

// A request to give it back that came before anybody listened for one is not missed.
TEST_F(RemovedTicket, or_one_that_was_asked_for_before_the_holder_listened_is_not_missed) {
  auto client = connect(options_);
  auto lease = client.mutex("a").acquire();
  ASSERT_TRUE(eventually(kSoon, [&] { return is_watched(lease.ticket()); }));
  constexpr std::string_view kMessage = "__REVOKE__";
  ASSERT_EQ(zoo_set(observer_.handle(), lease.ticket().c_str(), kMessage.data(), kMessage.size(), -1), ZOK);
  // Read anew, and watched again; its card, which the message wrote over, is put back.
  ASSERT_TRUE(eventually(kSoon, [&] {
    return proxy_.count([&](const Seen& seen) { return seen.is_reply() && seen.path == lease.ticket(); }) >= 2;
  }));
  const auto revoked = lease.revoked();
  EXPECT_TRUE(eventually(kSoon, [&] { return revoked.stop_requested(); }));
  EXPECT_TRUE(lease.is_held());
}

}  // namespace
}  // namespace holdfast::testing
