#include "server/four_letter_words.h"

#include <gtest/gtest.h>

#include "support/four_letter_word.h"

namespace holdfast::server {
namespace {

Report busy() {
  Report r;
  for (const std::int64_t milliseconds : {1, 2, 6}) r.statistics.traffic.latency.add(milliseconds);
  r.statistics.traffic.received = 11;
  r.statistics.traffic.sent = 10;
  r.statistics.connections = 2;
  r.statistics.pipeline.zxid = 0x100000003;
  r.statistics.state.nodes = 7;
  r.statistics.state.watches = 3;
  ConnectionReport client;
  client.address = "127.0.0.1:60872";
  client.received = 6;
  client.sent = 5;
  client.session = 0x100016afc930000;
  client.last_operation = "EXIS";
  client.established = 1794798809313;
  client.timeout = 10'000;
  client.last_cxid = 5;
  client.last_zxid = 3;
  client.last_response_time = 23788919;
  client.last_latency = 1;
  for (const std::int64_t milliseconds : {0, 1, 6}) client.latency.add(milliseconds);
  client.expires_at = 1794798820000;
  ConnectionReport asker;
  asker.address = "127.0.0.1:60922";
  asker.received = 1;
  asker.reading = false;
  asker.expires_at = 1794798820000;
  r.connections = {asker, client};
  r.session_list = {{.id = 0x100016afc930000, .expires_at = 1794798819999, .ephemerals = {"/a", "/b"}},
                    {.id = -1, .expires_at = 1794798819999, .ephemerals = {}}};
  r.watch_list = {{.path = "/a", .sessions = {0x100016afc930000, 2}}, {.path = "/zz", .sessions = {2}}};
  r.watch_summary = {.connections = 2, .paths = 2, .watches = 3};
  return r;
}

// Each text below was taken from an Apache ZooKeeper 3.8 and given our values.

TEST(FourLetterWords, srvr) {
  EXPECT_EQ(answer_word("srvr", busy()), "Zookeeper version: " + full_version() +
                                             "\n"
                                             "Latency min/avg/max: 1/3.0/6\n"
                                             "Received: 11\n"
                                             "Sent: 10\n"
                                             "Connections: 2\n"
                                             "Outstanding: 0\n"
                                             "Zxid: 0x100000003\n"
                                             "Mode: standalone\n"
                                             "Node count: 7\n");
  EXPECT_EQ(testing::parse_mode(answer_word("srvr", {})), "standalone");
}

TEST(FourLetterWords, stat_is_srvr_with_the_clients) {
  const std::string srvr = answer_word("srvr", busy());
  const auto second_line = srvr.find('\n') + 1;
  EXPECT_EQ(answer_word("stat", busy()), srvr.substr(0, second_line) +
                                             "Clients:\n"
                                             " /127.0.0.1:60922[0](queued=0,recved=1,sent=0)\n"
                                             " /127.0.0.1:60872[1](queued=0,recved=6,sent=5)\n"
                                             "\n" +
                                             srvr.substr(second_line));
}

TEST(FourLetterWords, cons) {
  EXPECT_EQ(answer_word("cons", busy()),
            " /127.0.0.1:60922[0](queued=0,recved=1,sent=0)\n"
            " /127.0.0.1:60872[1](queued=0,recved=6,sent=5,sid=0x100016afc930000,lop=EXIS,est=1794798809313,to=10000,"
            "lcxid=0x5,lzxid=0x3,lresp=23788919,llat=1,minlat=0,avglat=2,maxlat=6)\n"
            "\n");
}

TEST(FourLetterWords, cons_of_a_session_that_has_done_nothing_yet) {
  Report r;
  ConnectionReport client;
  client.address = "[::1]:1";
  client.session = 1;
  client.writing = true;
  r.connections = {client};
  EXPECT_EQ(answer_word("cons", r),
            " /[::1]:1[5](queued=0,recved=0,sent=0,sid=0x1,lop=NA,est=0,to=0,lzxid=0xffffffffffffffff,lresp=0,llat=0,"
            "minlat=0,avglat=0,maxlat=0)\n\n");
}

TEST(FourLetterWords, dump) {
  const std::string dump = answer_word("dump", busy());
  EXPECT_EQ(dump,
            "SessionTracker dump:\n"
            "Session Sets (1)/(2):\n"
            "2 expire at Mon Nov 16 03:13:39 UTC 2026:\n"
            "\t0x100016afc930000\n"
            "\t0xffffffffffffffff\n"
            "ephemeral nodes dump:\n"
            "Sessions with Ephemerals (1):\n"
            "0x100016afc930000:\n"
            "\t/a\n"
            "\t/b\n"
            "Connections dump:\n"
            "Connections Sets (1)/(2):\n"
            "2 expire at Mon Nov 16 03:13:40 UTC 2026:\n"
            "\tip: /127.0.0.1:60922 sessionId: 0x0\n"
            "\tip: /127.0.0.1:60872 sessionId: 0x100016afc930000\n");
  EXPECT_EQ(testing::parse_ephemerals(dump).at(0x100016afc930000), (std::set<std::string>{"/a", "/b"}));
}

TEST(FourLetterWords, watches_in_all_by_path_and_by_session) {
  EXPECT_EQ(answer_word("wchs", busy()), "2 connections watching 2 paths\nTotal watches:3\n");
  EXPECT_EQ(answer_word("wchp", busy()), "/a\n\t0x100016afc930000\n\t0x2\n/zz\n\t0x2\n\n");
  EXPECT_EQ(answer_word("wchc", busy()), "0x2\n\t/a\n\t/zz\n0x100016afc930000\n\t/a\n\n");
  EXPECT_EQ(answer_word("wchp", {}), "\n");
  EXPECT_EQ(testing::parse_watches(answer_word("wchp", busy())), testing::parse_watches(answer_word("wchc", busy())));
}

TEST(FourLetterWords, conf_and_dirs) {
  Report r;
  r.configuration = {2181, 2281, "/data", "/log", 10, 20, 2'000, 60, 4'000, 40'000};
  EXPECT_EQ(answer_word("conf", r),
            "clientPort=2181\nsecureClientPort=2281\ndataDir=/data\ndataDirSize=10\ndataLogDir=/log\ndataLogSize=20\n"
            "tickTime=2000\nmaxClientCnxns=60\nminSessionTimeout=4000\nmaxSessionTimeout=40000\n"
            "clientPortListenBacklog=-1\nserverId=0\n");
  EXPECT_EQ(answer_word("dirs", r), "datadir_size: 10\nlogdir_size: 20\n");
}

TEST(FourLetterWords, envi_begins_with_the_version) {
  Report r;
  r.environment = {{"os.name", "Linux"}};
  EXPECT_EQ(answer_word("envi", r), "Environment:\nzookeeper.version=" + full_version() + "\nos.name=Linux\n");
  EXPECT_TRUE(full_version().starts_with("3.8.0-holdfast-"));
}

TEST(FourLetterWords, mntr_is_keys_and_values) {
  Report r = busy();
  r.statistics.traffic.read_latency.add(1);
  r.statistics.traffic.read_latency.add(2);
  r.statistics.quotas.of(Refusal::connections) = 3;
  r.statistics.quotas.of(Refusal::history) = 4;
  const auto values = testing::parse_mntr(answer_word("mntr", r));
  EXPECT_EQ(values.at("zk_version"), full_version());
  EXPECT_EQ(values.at("zk_server_state"), "standalone");
  EXPECT_EQ(values.at("zk_watch_count"), "3");
  EXPECT_EQ(values.at("zk_avg_latency"), "3.0");
  EXPECT_EQ(values.at("zk_avg_readlatency"), "1.5");
  EXPECT_EQ(values.at("zk_cnt_readlatency"), "2");
  EXPECT_EQ(values.at("zk_connection_rejected"), "3");
  EXPECT_EQ(values.at("zk_refused_connections"), "3");
  EXPECT_EQ(values.at("zk_refused_history"), "4");
}

TEST(FourLetterWords, averages_have_one_to_four_decimals) {
  Report r;
  r.statistics.traffic.latency = {.min = 0, .max = 1, .total = 1, .count = 3};
  EXPECT_NE(answer_word("srvr", r).find("Latency min/avg/max: 0/0.3333/1\n"), std::string::npos);
  EXPECT_NE(answer_word("srvr", {}).find("Latency min/avg/max: 0/0.0/0\n"), std::string::npos);
  r.statistics.traffic.latency = {.min = 0, .max = 100, .total = 100, .count = 1};
  EXPECT_NE(answer_word("srvr", r).find("/100.0/"), std::string::npos);
}

TEST(FourLetterWords, the_short_ones) {
  EXPECT_EQ(answer_word("ruok", {}), "imok");
  EXPECT_EQ(answer_word("isro", {}), "rw");
  EXPECT_EQ(answer_word("srst", {}), "Server stats reset.\n");
  EXPECT_EQ(answer_word("crst", {}), "Connection stats reset.\n");
}

TEST(FourLetterWords, only_those_in_the_whitelist_are_enabled_and_srvr_always_is) {
  const FourLetterWords few({"ruok", "hash", "quux"});
  EXPECT_TRUE(few.enabled("ruok"));
  EXPECT_TRUE(few.enabled("srvr"));
  EXPECT_FALSE(few.enabled("mntr"));
  EXPECT_FALSE(few.enabled("hash"));  // nothing to answer
  EXPECT_FALSE(few.enabled("quux"));
  const FourLetterWords all({"*"});
  EXPECT_TRUE(all.enabled("mntr"));
  EXPECT_FALSE(all.enabled("stmk"));
  EXPECT_FALSE(all.enabled("quux"));
  EXPECT_FALSE(FourLetterWords({}).enabled("srvr")) << "none is none";
}

TEST(FourLetterWords, every_one_that_can_be_enabled_has_an_answer) {
  const FourLetterWords all({"*"});
  for (const std::string word : {"conf", "cons", "crst", "dirs", "dump", "envi", "isro", "mntr", "ruok", "srst", "srvr",
                                 "stat", "wchc", "wchp", "wchs"}) {
    EXPECT_TRUE(is_word(word)) << word;
    EXPECT_TRUE(all.enabled(word)) << word;
    EXPECT_NE(answer_word(word, {}), "") << word;
  }
  for (const std::string word : {"gtmk", "stmk", "hash"}) EXPECT_TRUE(is_word(word)) << word;
  EXPECT_FALSE(is_word("quux"));
  EXPECT_FALSE(is_word(std::string("\0\0\0\x2c", 4)));
}

}  // namespace
}  // namespace holdfast::server
