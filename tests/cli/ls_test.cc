// `holdfast ls` and `holdfast show`.
#include <regex>

#include "cli/lock_command.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Ls = LockCommand;
using Show = LockCommand;

TEST_F(Ls, says_that_there_is_nothing_and_that_is_no_failure) {
  const auto ran = run({"ls"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "holdfast: no lock is held or waited for\n");
  EXPECT_EQ(run({"ls", "orders"}).err, "holdfast: no lock is held or waited for at or below orders\n");
  EXPECT_EQ(run({"ls", "--json"}).json()["locks"].size(), 0U);
}

TEST_F(Ls, has_a_line_for_every_name_that_anybody_wants) {
  auto client = connect({.purpose = "monthly run"});
  auto lease = client.mutex("orders/1").acquire();
  auto reading = client.shared_mutex("report").acquire_shared();
  auto permit = client.semaphore("pool", 2).acquire();
  Waiting waiting(connect(), "orders/1");
  wait_for_queue(client, "orders/1", 2);
  const auto ran = run({"ls"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("NAME      KIND ")) << ran.out;
  const auto line = [&](const std::string& start, const std::string& rest) {
    return std::regex_search(ran.out, std::regex("\n" + start + " +[0-9ms]+ +" + rest)) ? "" : ran.out;
  };
  const auto token = std::to_string(lease.token());
  const std::string who = "[^ ]+ \\(pid [0-9]+\\) on [^ ]+: monthly run";
  EXPECT_EQ(line("orders/1  mutex", "1  " + who + " +" + token + "\n"), "");
  EXPECT_EQ(line("pool      semaphore", "0  " + who + " +[0-9]+\n"), "");
  EXPECT_EQ(line("report    read", "0  " + who + " +[0-9]+\n"), "");
}

TEST_F(Ls, lists_what_is_at_or_below_a_root) {
  auto client = connect();
  auto both = client.multi_lock({{"orders/1"}, {"stock/1"}}).acquire();
  const auto ran = run({"ls", "/orders"});
  EXPECT_TRUE(has(ran.out, "orders/1")) << ran.out << ran.err;
  EXPECT_FALSE(has(ran.out, "stock")) << ran.out;
  EXPECT_TRUE(has(run({"ls", "/"}).out, "stock/1"));
  EXPECT_TRUE(has(run({"ls", "--namespace", "orders"}).out, "\n1 "));
}

TEST_F(Ls, is_never_cut_without_a_terminal) {
  const std::string purpose(200, 'p');
  auto client = connect({.purpose = purpose});
  const std::string name = "a/rather/long/name/" + std::string(200, 'n');
  auto lease = client.mutex(name).acquire();
  const auto ran = run({"ls"});
  EXPECT_TRUE(has(ran.out, name)) << ran.out;
  EXPECT_TRUE(has(ran.out, purpose)) << ran.out;
}

TEST_F(Ls, is_cut_to_the_width_of_a_terminal) {
  auto client = connect({.purpose = std::string(200, 'p')});
  auto lease = client.mutex("orders/" + std::string(100, 'n')).acquire();
  Pty tty({.argv = words({"ls"}), .columns = 90, .rows = 10});
  ASSERT_EQ(tty.wait(kLong), 0) << tty.text();
  const auto rows = tty.screen();
  ASSERT_EQ(rows.size(), 2U) << tty.text() << "a line that is too long would have taken more rows";
  EXPECT_TRUE(rows[0].starts_with("NAME ")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("orders/nnn")) << rows[1];
  EXPECT_TRUE(has(rows[1], "…")) << rows[1];
}

TEST_F(Ls, lists_a_thousand_locks) {
  auto client = connect();
  std::vector<Lease> leases;
  for (int i = 0; i < 1000;) {
    std::vector<LockItem> items;
    for (; i < 1000 && items.size() < MultiLock::kMaxNames; ++i) items.push_back({"jobs/" + std::to_string(i)});
    leases.push_back(client.multi_lock(items).acquire());
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto ran = run({"ls"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1001);
  EXPECT_TRUE(has(ran.out, "\njobs/999 "));
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_EQ(run({"ls", "--json"}).json()["locks"].size(), 1000U);
}

TEST_F(Ls, names_strangers_and_marks_what_is_wrong) {
  make_foreign("old", "0f0e8a3c2b1d4c5e8f90123456789abc__lock__0000000001", "worker-7", 0);
  make_foreign("old2", "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-2147000001", "10.0.0.9");
  const auto ran = run({"ls"});
  EXPECT_TRUE(has(ran.out, "worker-7 (kazoo)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "1 orphan")) << ran.out;
  EXPECT_TRUE(has(ran.out, "10.0.0.9 (Curator)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "near overflow")) << ran.out;
}

TEST_F(Ls, lets_no_escape_sequence_of_others_through) {
  auto client = connect({.purpose = "\x1b]0;owned\a\x1b[2J \xc2\x9b"
                                    "31m"});
  auto lease = client.mutex("m").acquire();
  make_foreign("k", "0f0e8a3c2b1d4c5e8f90123456789abc__lock__0000000001", "\x1b[31mred");
  make_foreign("c", "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-0000000001",
               "10.0.0.9 host=%1b[31mweb pid=1 program=%1b]0;x%07 purpose=%c2%9b31m");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"ls"}, {"ls", "--json"}, {"show", "m"}, {"show", "k"}, {"show", "c"}, {"show", "c", "--json"}}) {
    const auto ran = run(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const char c : ran.out + ran.err) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << ran.out;
  }
  EXPECT_TRUE(has(run({"ls"}).out, "\\x1b]0;owned\\x07")) << "it is there, as text";
  Pty tty({.argv = words({"ls"}), .env = {{"NO_COLOR", "1"}}});
  ASSERT_EQ(tty.wait(kLong), 0) << tty.text();
  EXPECT_FALSE(has(tty.bytes(), "\x1b")) << tty.text();
  Pty coloured(words({"ls"}));
  ASSERT_EQ(coloured.wait(kLong), 0) << coloured.text();
  const auto without_ours = std::regex_replace(coloured.bytes(), std::regex("\x1b\\[(0|1|31|33)m"), "");
  EXPECT_FALSE(has(without_ours, "\x1b")) << without_ours;
}

TEST_F(Ls, has_colours_on_a_terminal_unless_they_are_unwanted) {
  auto client = connect();
  auto lease = client.mutex("m").acquire();
  Waiting waiting(connect(), "m");
  wait_for_queue(client, "m", 2);
  const auto has_colours = [&](std::vector<std::pair<std::string, std::string>> env) {
    Pty tty({.argv = words({"ls"}), .env = std::move(env)});
    EXPECT_EQ(tty.wait(kLong), 0) << tty.text();
    EXPECT_TRUE(has(tty.text(), "WAITING")) << tty.text();
    return has(tty.bytes(), "\x1b[33m1\x1b[0m");
  };
  EXPECT_TRUE(has_colours({{"NO_COLOR", ""}})) << "empty is as if it were not there: no-color.org";
  EXPECT_FALSE(has_colours({{"NO_COLOR", "1"}}));
  EXPECT_FALSE(has_colours({{"NO_COLOR", ""}, {"TERM", "dumb"}}));
  EXPECT_FALSE(has(run({"ls"}).out, "\x1b")) << "no terminal";
}

TEST_F(Ls, fits_a_terminal_of_80_columns_with_the_holder_to_be_seen) {
  auto client = connect({.purpose = "monthly run"});
  auto lease = client.mutex("orders/1").acquire();
  Pty tty({.argv = words({"ls"}), .env = {{"NO_COLOR", "1"}}, .columns = 80});
  ASSERT_EQ(tty.wait(kLong), 0) << tty.text();
  const auto rows = tty.screen();
  ASSERT_EQ(rows.size(), 2U) << tty.text();
  EXPECT_TRUE(std::regex_match(rows[0], std::regex("NAME +KIND +HELD +WAITING +HOLDER.*"))) << rows[0];
  EXPECT_TRUE(has(rows[1], "cli_locks_tests (pid ")) << rows[1];
}

TEST_F(Ls, has_the_columns_and_the_order_that_were_asked_for) {
  auto client = connect();
  auto one = client.mutex("a").acquire();
  auto two = client.mutex("b").acquire();
  Waiting waiting(connect(), "b");
  wait_for_queue(client, "b", 2);
  const auto ran = run({"ls", "--columns", "waiting,name", "--sort", "waiting"});
  EXPECT_EQ(ran.out, "WAITING  NAME\n      1  b\n      0  a\n") << ran.err;
  EXPECT_EQ(run({"ls", "--columns", "name", "--sort", "waiting", "-r"}).out, "NAME\na\nb\n");
  EXPECT_EQ(run({"ls", "--json", "--sort", "waiting"}).json()["locks"][0]["name"], "b");
  const auto wrong = run({"ls", "--sort", "tokn"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_TRUE(has(wrong.err, "--sort: there is no column \"tokn\"; did you mean token? there are name, kind,"))
      << wrong.err;
  const auto both = run({"ls", "--json", "--columns", "name"});
  EXPECT_EQ(both.code, 64) << both.out;
  EXPECT_TRUE(has(both.err, "--columns")) << both.err;
}

TEST_F(Ls, shows_marks_of_the_writing_direction_instead_of_obeying_them) {
  auto client = connect({.purpose = "\u202enur ylhtnom"});
  const std::string name = "orders\u200b/\u20661\u2069";
  auto lease = client.mutex(name).acquire();
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"ls"}, {"show", name}}) {
    const auto ran = run(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, R"(orders\xe2\x80\x8b/\xe2\x81\xa61\xe2\x81\xa9)")) << ran.out;
    EXPECT_TRUE(has(ran.out, R"(\xe2\x80\xaenur ylhtnom)")) << ran.out;
    for (const char c : ran.out) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << ran.out;
  }
  const auto nobody = run({"show", "\u202exyz"});
  EXPECT_TRUE(has(nobody.out + nobody.err, R"(\xe2\x80\xaexyz)")) << nobody.err;
}

TEST_F(Ls, says_in_json_what_scripts_need) {
  auto client = connect({.purpose = "monthly run"});
  auto lease = client.mutex("orders/1").acquire();
  Waiting waiting(connect(), "orders/1");
  wait_for_queue(client, "orders/1", 2);
  const auto ran = run({"ls", "--json"});
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
  const auto document = ran.json();
  EXPECT_TRUE(std::regex_match(document["time"].get<std::string>(),
                               std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z")));
  ASSERT_EQ(document["locks"].size(), 1U);
  const auto& lock = document["locks"][0];
  EXPECT_EQ(lock["name"], "orders/1");
  EXPECT_EQ(lock["path"], "/orders/1");
  EXPECT_EQ(lock["kind"], "mutex");
  EXPECT_EQ(lock["holders"].size(), 1U);
  EXPECT_EQ(lock["waiting"].size(), 1U);
  EXPECT_EQ(lock["holders"][0]["token"], std::to_string(lease.token()));
  EXPECT_EQ(lock["holders"][0]["pid"], ::getpid());
  EXPECT_EQ(lock["holders"][0]["purpose"], "monthly run");
  EXPECT_GE(lock["holders"][0]["seconds"], 0);
}

TEST_F(Ls, a_full_disk_is_not_taken_for_success) {
  auto client = connect();
  auto lease = client.mutex("m").acquire();
  const auto ran = run_program({"sh", "-c", "exec \"$@\" > /dev/full", "sh", HOLDFAST_COMMAND, "ls", "--url", url()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "holdfast: cannot write to stdout: No space left on device\n");
}

TEST_F(Ls, what_is_no_name_is_one_sentence) {
  for (const auto* command : {"ls", "show", "watch", "break"}) {
    const auto ran = run({command, "orders//1"});
    EXPECT_EQ(ran.code, 64) << command;
    EXPECT_EQ(
        ran.err,
        "holdfast: \"orders//1\" is not a name: it has an empty part (//); a name is a path such as orders/123\n");
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Ls, names_the_server_that_is_not_there_within_the_connect_timeout) {
  const auto address = server_.address();
  server_.kill();
  for (const auto* command : {"ls", "show", "watch", "break"}) {
    std::vector<std::string> arguments{HOLDFAST_COMMAND, command};
    if (command != std::string("ls")) arguments.emplace_back("m");
    arguments.insert(arguments.end(), {"--url", "zk://" + address, "--connect-timeout", "300ms"});
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.code, 69) << command;
    EXPECT_TRUE(has(ran.err, address)) << ran.err;
    EXPECT_TRUE(has(ran.err, "300 ms")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST_F(Show, tells_who_holds_and_who_waits_in_order) {
  auto client = connect({.purpose = "monthly run"});
  auto lease = client.mutex("orders/1").acquire();
  Waiting second(connect({.purpose = "the second"}), "orders/1");
  wait_for_queue(client, "orders/1", 2);
  Waiting third(connect({.purpose = "the third"}), "orders/1");
  wait_for_queue(client, "orders/1", 3);
  const auto ran = run({"show", "orders/1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(
      std::regex_search(ran.out, std::regex("^orders/1 \\(mutex\\) at /orders/1\n"
                                            "  held by  [^ ]+ \\(pid " +
                                            std::to_string(::getpid()) +
                                            "\\) on [^ ]+: monthly run\n"
                                            "  address  [^ ]+\n"
                                            "  since    [0-9TZ:.-]+ \\([0-9ms]+\\)\n"
                                            "  token    " +
                                            std::to_string(lease.token()) +
                                            "\n"
                                            "  session  0x[0-9a-f]+\n"
                                            "  ticket   _c_[0-9a-f-]+-lock-[0-9]{10} \\(exclusive, Holdfast\\)\n"
                                            "  waiting  2\n"
                                            "        1  [^\n]*: the second, [0-9ms]+\n"
                                            "        2  [^\n]*: the third, [0-9ms]+\n$")))
      << ran.out;
}

TEST_F(Show, counts_the_permits_of_a_semaphore) {
  auto client = connect();
  auto one = client.semaphore("pool", 3).acquire();
  auto two = client.semaphore("pool", 3).acquire();
  const auto ran = run({"show", "pool"});
  EXPECT_TRUE(has(ran.out, "pool (semaphore) at /pool\n  permits  2 taken\n  permit   cli_locks_tests (pid "))
      << ran.out;
  EXPECT_EQ(run({"show", "pool", "--json"}).json()["holders"].size(), 2U);
}

TEST_F(Show, a_waiter_for_permits_is_one_however_many_it_asks_for) {
  auto client = connect();
  auto held = client.semaphore("pool", 3).acquire();
  auto other = connect({.purpose = "the waiter"});
  auto more = std::async(std::launch::async, [&] { return other.semaphore("pool", 3).try_acquire_for(kLong, 3); });
  PlainClient plain(server_.address());
  ASSERT_TRUE(eventually(kLong, [&] {  // first in line, and its three nodes are among the permits
    Stat stat{};
    return zoo_exists(plain.handle(), "/pool/leases", 0, &stat) == ZOK && stat.numChildren == 4;
  }));
  const auto show = run({"show", "pool", "--json"}).json();
  EXPECT_EQ(show["holders"].size(), 1U) << show;
  EXPECT_EQ(show["waiting"].size(), 1U) << show;
  EXPECT_EQ(show["waiting"][0]["purpose"], "the waiter");
  EXPECT_TRUE(has(run({"show", "pool"}).out, "\n  waiting  1\n"));
  const auto list = run({"ls", "--json"}).json()["locks"];
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["waiting"].size(), 1U) << list;
  held.release();
  EXPECT_TRUE(more.get());
  EXPECT_EQ(run({"show", "pool", "--json"}).json()["waiting"].size(), 0U);
}

TEST_F(Show, a_lock_that_nobody_wants_is_a_sentence_and_one) {
  const auto ran = run({"show", "orders/1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "holdfast: orders/1 is neither held nor waited for; `holdfast ls` lists the locks that are\n");
  const auto json = run({"show", "orders/1", "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.json()["holders"].size(), 0U);
  EXPECT_EQ(json.json()["name"], "orders/1");
}

}  // namespace
}  // namespace holdfast::testing
