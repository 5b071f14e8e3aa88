// The engine's answers to four-letter words beside those of a real ZooKeeper: same lines, same keys, same kinds of values.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "holdfast/engine.h"
#include "support/four_letter_word.h"
#include "support/plain_client.h"
#include "support/zookeeper_server.h"

namespace holdfast::server {
namespace {

using testing::PlainClient;
using testing::ZooKeeperServer;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void replace_after(std::string& line, const std::string& mark, const std::string& end, const std::string& with) {
  const auto at = line.find(mark);
  if (at == std::string::npos) return;
  const auto from = at + mark.size();
  line.replace(from, line.find_first_of(end, from) - from, with);
}

// A line without its values: numbers are #, and so are dates, names of operations and what follows 3.8.0.
std::string shape(std::string line) {
  replace_after(line, "version: 3.8.0", "\n", "#");
  replace_after(line, "version=3.8.0", "\n", "#");
  replace_after(line, "lop=", ",", "#");
  if (const auto at = line.find(" expire at "); at != std::string::npos) line = "# expire at #:";
  std::string without;
  for (std::size_t i = 0; i < line.size();) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) {
      without += line[i++];
      continue;
    }
    without += '#';
    while (i < line.size() &&
           (std::isxdigit(static_cast<unsigned char>(line[i])) != 0 || line[i] == 'x' || line[i] == '.')) {
      ++i;
    }
  }
  return without;
}

std::set<std::string> shapes(const std::string& text) {
  std::set<std::string> all;
  for (const auto& line : lines_of(text)) all.insert(shape(line));
  return all;
}

// What stands before the first of `separators` in every line that has one, in order.
std::vector<std::string> keys(const std::string& text, const std::string& separators) {
  std::vector<std::string> all;
  for (const auto& line : lines_of(text)) {
    if (const auto at = line.find_first_of(separators); at != std::string::npos) all.push_back(line.substr(0, at));
  }
  return all;
}

std::string kind(const std::string& value) {
  const bool number = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
  });
  if (!number) return "text";
  return value.find('.') == std::string::npos ? "integer" : "decimal";
}

// On both servers one client that has an ephemeral node and two watches on data, and another that asks a word.
class Beside : public ::testing::Test {
 protected:
  Beside() {
    for (auto* client : {&their_client_, &our_client_}) {
      zoo_create(client->handle(), "/mine", "x", 1, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
      Stat stat{};
      zoo_wexists(client->handle(), "/mine", ignore, nullptr, &stat);
      zoo_wexists(client->handle(), "/other", ignore, nullptr, &stat);
    }
  }

  std::string theirs(const std::string& word) { return zookeeper_.four_letter_word(word); }
  std::string ours(const std::string& word) const {
    const auto& address = engine_.addresses().front();
    return testing::ask(static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1))), word);
  }

  static void ignore(zhandle_t*, int, int, const char*, void*) {}

  ZooKeeperServer zookeeper_;
  const Engine engine_{EngineOptions{.listen = {Listen{}}, .four_letter_words = {"*"}}};
  PlainClient their_client_{zookeeper_.address()};
  PlainClient our_client_{engine_.addresses().front()};
};

TEST_F(Beside, lines_have_the_same_shape) {
  for (const std::string word :
       {"ruok", "isro", "srvr", "stat", "cons", "dump", "wchs", "wchc", "wchp", "dirs", "srst", "crst"}) {
    EXPECT_EQ(shapes(ours(word)), shapes(theirs(word))) << word;
  }
}

TEST_F(Beside, answers_end_alike) {
  for (const std::string word : {"ruok", "isro", "srvr", "stat", "mntr", "cons", "dump", "wchs", "wchc", "wchp", "conf",
                                 "envi", "dirs", "srst", "crst"}) {
    const auto newlines = [](const std::string& text) { return text.size() - (text.find_last_not_of('\n') + 1); };
    EXPECT_EQ(newlines(ours(word)), newlines(theirs(word))) << word;
  }
}

TEST_F(Beside, srvr_and_conf_have_the_same_keys_in_the_same_order) {
  EXPECT_EQ(keys(ours("srvr"), ":"), keys(theirs("srvr"), ":"));
  EXPECT_EQ(keys(ours("conf"), "="), keys(theirs("conf"), "="));
}

// Its version is read by monitoring; the others say nothing of a server that is not Java.
TEST_F(Beside, envi_has_the_same_keys_but_those_of_java) {
  auto expected = keys(theirs("envi"), "=");
  std::erase_if(expected, [](const std::string& key) { return key.starts_with("java.") && key != "java.version"; });
  EXPECT_EQ(keys(ours("envi"), "="), expected);
}

// Keys of mntr that ZooKeeper has and the engine has not.
struct Absent {
  const char* part;  // of the key
  const char* why;
};
constexpr Absent kAbsent[] = {
    {"zk_p50_", "percentiles: the engine keeps least, most and average"},
    {"zk_p95_", "percentiles"},
    {"zk_p99", "percentiles"},
    {"_proc", "stages of ZooKeeper's pipeline of threads; the engine has one thread"},
    {"commitproc", "the same stages"},
    {"_queue", "queues between those stages"},
    {"_committed_time", "the same stages"},
    {"_prep_time", "the same stages"},
    {"outstanding_changes", "the same stages"},
    {"session_queues_drained", "the same stages"},
    {"jvm_", "there is no JVM"},
    {"learner", "an ensemble"},
    {"quorum", "an ensemble"},
    {"propagation_latency", "an ensemble"},
    {"proposal", "an ensemble"},
    {"commit_count", "an ensemble"},
    {"looking_count", "an ensemble"},
    {"election", "an ensemble"},
    {"_sync_time", "an ensemble"},
    {"unavailable_time", "an ensemble"},
    {"ensemble_auth", "an ensemble"},
    {"diff_count", "an ensemble"},
    {"snap_count", "an ensemble: snapshots that are sent to a learner"},
    {"disloyal", "an ensemble"},
    {"revalidate_count", "an ensemble"},
    {"unsuccessful_handshake", "an ensemble"},
    {"dead_watcher", "its lazy removal of watches; here they go with their connection"},
    {"watch_bytes", "an estimate of one of its two watch managers, 0 in the other"},
    {"cache", "its cache of serialized answers"},
    {"throttle", "its throttling of all requests; the engine holds back single connections"},
    {"digest_mismatches", "its digest of the tree"},
    {"stale_re", "requests of connections that are gone; not served here"},
    {"large_requests_rejected", "its limit on the sum of large requests"},
    {"connection_drop", "its dropping of connections by chance"},
    {"connection_token_deficit", "its dropping of connections by chance"},
    {"connection_request_count", "not counted"},
    {"sessionless_connections_expired", "not counted"},
    {"_node_", "not counted"},
    {"socket_closing_time", "not measured: closing does not wait"},
    {"per_namespace", "one key for every name below the root: as many as a client likes"},
    {"cnxn_closed_without_zk_server_running", "nothing listens here before it can serve"},
    {"insecure_admin_count", "its HTTP server"},
    {"non_mtls", "its ports for both TLS and none"},
    {"tls_handshake", "its limit of handshakes at a time"},
    {"unrecoverable_error", "the engine ends or refuses, and says why"},
    {"dbinittime", "a start, which the log tells of"},
    {"startup_", "a start, which the log tells of"},
};

bool explained(const std::string& key) {
  return std::any_of(std::begin(kAbsent), std::end(kAbsent),
                     [&](const Absent& absent) { return key.find(absent.part) != std::string::npos; });
}

TEST_F(Beside, mntr_has_keys_that_zookeeper_has_and_lacks_only_those_with_a_reason) {
  const auto real = testing::parse_mntr(theirs("mntr"));
  const auto mine = testing::parse_mntr(ours("mntr"));
  for (const auto& [key, value] : mine) {
    // Of our own: docs/server.md.
    if (key.starts_with("zk_client_memory_") || key.starts_with("zk_refused_")) continue;
    ASSERT_TRUE(real.contains(key)) << key << " is nothing that ZooKeeper knows";
    EXPECT_EQ(kind(value), kind(real.at(key))) << key;
    EXPECT_FALSE(explained(key)) << key << " is said to be absent";
  }
  for (const auto& [key, value] : real) EXPECT_TRUE(mine.contains(key) || explained(key)) << key << " is missing";
}

TEST_F(Beside, no_reason_is_left_over) {
  const auto real = testing::parse_mntr(theirs("mntr"));
  for (const Absent& absent : kAbsent) {
    EXPECT_TRUE(std::any_of(real.begin(), real.end(),
                            [&](const auto& entry) { return entry.first.find(absent.part) != std::string::npos; }))
        << absent.part << ": " << absent.why;
  }
}

}  // namespace
}  // namespace holdfast::server
