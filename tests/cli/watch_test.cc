// `holdfast watch`.
#include <signal.h>

#include <regex>
#include <set>

#include "cli/lock_command.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kShowCursor = "\x1b[?25h";
constexpr auto kHideCursor = "\x1b[?25l";

class Watch : public LockCommand {
 protected:
  // The next line that has `part` in it; those before it are passed over.
  static std::string line_with(Process& process, const std::string& part) {
    std::string before;
    while (const auto line = process.read_line(kLong)) {
      if (has(*line, part)) return *line;
      before += *line + "\n";
    }
    return "no line with \"" + part + "\", but: " + before;
  }
  static bool shows(const Pty& tty, const std::string& part) {
    return eventually(kLong, [&] {
      for (const auto& row : tty.screen()) {
        if (has(row, part)) return true;
      }
      return false;
    });
  }
  static bool ends_with_the_cursor(const Pty& tty) {
    const auto bytes = tty.bytes();
    const auto shown = bytes.rfind(kShowCursor);
    return shown != std::string::npos &&
           (bytes.rfind(kHideCursor) == std::string::npos || shown > bytes.rfind(kHideCursor));
  }

  Client client_ = connect({.purpose = "monthly run"});
};

TEST_F(Watch, sees_every_hold_however_short) {
  auto anchor = client_.mutex("anchor").acquire();
  Process watch(words({"watch", "--json"}));
  ASSERT_TRUE(has(line_with(watch, "\"holds\""), "\"anchor\"")) << "it listens";
  constexpr std::size_t kHolds = 20;
  auto quick = client_.mutex("app/quick");
  for (std::size_t i = 0; i < kHolds; ++i) EXPECT_FALSE(quick.acquire().release_for(kLong));
  std::set<std::string> tickets;
  while (tickets.size() < kHolds) {
    const auto line = watch.read_line(kLong);
    ASSERT_TRUE(line) << tickets.size() << " of " << kHolds;
    const auto document = nlohmann::json::parse(*line);
    EXPECT_EQ(document["name"], "app/quick") << *line;
    const std::string event = document["event"];
    if (event == "granted" || event == "passed") {
      EXPECT_TRUE(tickets.insert(document["ticket"]["id"]).second) << "once: " << *line;
    }
  }
}

TEST_F(Watch, a_hold_lasts_from_its_grant) {
  auto lease = client_.mutex("m").acquire();
  Process watch(words({"watch", "m", "--json"}));
  ASSERT_TRUE(has(line_with(watch, "\"holds\""), "monthly run"));
  const auto before_queue = std::chrono::system_clock::now();
  double in_line = 0;
  {
    Waiting next(connect({.purpose = "the next"}), "m");
    const auto queued = nlohmann::json::parse(line_with(watch, "\"queued\""));
    EXPECT_EQ(queued["ticket"]["purpose"], "the next");
    const auto released = std::chrono::system_clock::now();
    lease.release();
    EXPECT_TRUE(next.has_it());
    const auto first = nlohmann::json::parse(line_with(watch, "\"released\""));
    EXPECT_TRUE(first["held_seconds"].is_null()) << "it held before the watch began: " << first;
    const auto granted = nlohmann::json::parse(line_with(watch, "\"granted\""));
    EXPECT_EQ(granted["ticket"]["purpose"], "the next");
    EXPECT_GE(granted["ticket"]["seconds"].get<double>(), 0);
    in_line = std::chrono::duration<double>(released - before_queue).count();
  }
  const auto last = nlohmann::json::parse(line_with(watch, "\"released\""));
  ASSERT_TRUE(last["held_seconds"].is_number()) << last;
  // The ticket was made after before_queue, and granted after `released`: the time in line is no part of the hold.
  constexpr double kRounding = 0.003;
  EXPECT_LE(last["held_seconds"].get<double>(), last["ticket"]["seconds"].get<double>() + kRounding) << last;
  EXPECT_LE(
      last["held_seconds"].get<double>(),
      std::chrono::duration<double>(std::chrono::system_clock::now() - before_queue).count() - in_line + kRounding);
}

TEST_F(Watch, has_a_line_for_every_change) {
  auto lease = client_.mutex("m").acquire();
  Process watch(words({"watch"}));
  const auto time = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z ";
  const auto held = line_with(watch, "held by");
  EXPECT_TRUE(std::regex_search(
      held,
      std::regex(time + std::string("m held by [^ ]+ \\(pid [0-9]+\\) on [^ ]+: monthly run for [0-9ms]+, token ") +
                 std::to_string(lease.token()) + "$")))
      << held;
  Waiting next(connect({.purpose = "the next"}), "m");
  EXPECT_TRUE(has(line_with(watch, "m queued"), ": the next"));
  lease.release();
  EXPECT_TRUE(has(line_with(watch, "m released by"), ": monthly run after"));
  EXPECT_TRUE(has(line_with(watch, "m granted to"), ": the next, token"));
}

TEST_F(Watch, has_a_document_for_every_change) {
  auto lease = client_.mutex("m").acquire();
  Process watch(words({"watch", "m", "--json"}));
  const auto document = nlohmann::json::parse(line_with(watch, "holds"));
  EXPECT_EQ(document["event"], "holds");
  EXPECT_EQ(document["name"], "m");
  EXPECT_EQ(document["kind"], "mutex");
  EXPECT_EQ(document["ticket"]["token"], std::to_string(lease.token()));
  lease.release();
  EXPECT_EQ(nlohmann::json::parse(line_with(watch, "released"))["ticket"]["purpose"], "monthly run");
}

TEST_F(Watch, looks_at_one_name_alone_if_it_is_told_to) {
  auto other = client_.mutex("a").acquire();  // would come first
  Process watch(words({"watch", "m"}));
  auto lease = client_.mutex("m").acquire();
  const auto first = watch.read_line(kLong);
  ASSERT_TRUE(first);
  EXPECT_TRUE(std::regex_search(*first, std::regex(" m (held by|granted to) "))) << *first;
}

TEST_F(Watch, tells_who_was_asked_although_asking_overwrites_the_card) {
  auto lease = client_.mutex("m").acquire();
  Process watch(words({"watch", "m"}));
  line_with(watch, "held by");
  EXPECT_EQ(connect().revoke("m", 0ms).asked, 1U);
  EXPECT_TRUE(has(line_with(watch, "m asked back from"), ": monthly run (asked to give it back)"));
}

TEST_F(Watch, ends_with_0_when_it_is_told_to) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    auto lease = client_.mutex("m").acquire();
    Process watch(words({"watch"}));
    line_with(watch, "held by");
    watch.signal(number);
    EXPECT_EQ(watch.wait(kLong), 0) << number;
  }
}

TEST_F(Watch, that_is_ended_has_written_every_hold_it_was_told_of) {
  auto anchor = client_.mutex("anchor").acquire();
  for (int round = 1; round <= 5; ++round) {
    Process watch(words({"watch", "--json"}));
    ASSERT_TRUE(has(line_with(watch, "\"holds\""), "\"anchor\"")) << "it listens";
    constexpr std::size_t kHolds = 10;
    auto quick = client_.mutex("app/quick");
    for (std::size_t i = 0; i < kHolds; ++i) EXPECT_FALSE(quick.acquire().release_for(kLong));
    watch.signal(SIGTERM);
    std::set<std::string> tickets;
    while (const auto line = watch.read_line(kLong)) {
      const auto document = nlohmann::json::parse(*line);
      if (document["event"] == "granted" || document["event"] == "passed") tickets.insert(document["ticket"]["id"]);
    }
    EXPECT_EQ(tickets.size(), kHolds) << "in round " << round;
    EXPECT_EQ(watch.wait(kLong), 0);
  }
}

TEST_F(Watch, ends_quietly_when_nobody_reads_any_more) {
  auto lease = client_.mutex("m").acquire();
  const auto ran = run_program(
      {"bash", "-c", "\"$@\" | head -n 1; echo ${PIPESTATUS[0]}", "bash", HOLDFAST_COMMAND, "watch", "--url", url()});
  EXPECT_TRUE(std::regex_search(ran.out, std::regex(" m held by [^\n]*\n0\n$"))) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST_F(Watch, goes_on_after_an_outage_and_says_that_there_was_one) {
  auto lease = client_.mutex("m").acquire();
  Process watch(words({"watch"}));
  Process documents(words({"watch", "--json"}));
  line_with(watch, "held by");
  line_with(documents, "holds");
  server_.kill();
  EXPECT_TRUE(has(line_with(watch, "not reachable since"), server_.address()));
  EXPECT_TRUE(has(line_with(documents, "\"unreachable\""), "\"reason\""));
  server_.restart();
  line_with(watch, "reachable again, was not since");
  line_with(documents, "\"reachable\"");
  lease.release();
  EXPECT_TRUE(has(line_with(watch, "m released by"), "monthly run"));
  EXPECT_TRUE(has(line_with(documents, "released"), "monthly run"));
}

TEST_F(Watch, ends_at_once_although_the_server_does_not_answer) {
  server_.pause();
  Pty tty({.argv = {HOLDFAST_COMMAND, "watch", "--url", url(), "--connect-timeout", "30s"}, .columns = 150});
  ASSERT_TRUE(shows(tty, "connecting to " + url())) << tty.text();
  const auto begin = std::chrono::steady_clock::now();
  tty.key('c');
  EXPECT_EQ(tty.wait(kLong), 0) << tty.text();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << "half a second, and never the 30 it would wait";
  EXPECT_TRUE(ends_with_the_cursor(tty));
  server_.resume();
}

TEST_F(Watch, draws_in_place_on_a_terminal) {
  auto lease = client_.mutex("orders/1").acquire();
  Pty tty({.argv = words({"watch"}), .columns = 120, .rows = 10});
  ASSERT_TRUE(shows(tty, "orders/1")) << tty.text();
  auto more = client_.mutex("orders/2").acquire();
  ASSERT_TRUE(shows(tty, "orders/2")) << tty.text();
  const auto rows = tty.screen();
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return has(row, "orders/1"); }), 1)
      << "drawn over, not below";
  EXPECT_TRUE(rows.at(0).starts_with("all locks on zk://")) << rows.at(0);
  tty.key('c');
  EXPECT_EQ(tty.wait(kLong), 0);
  EXPECT_TRUE(ends_with_the_cursor(tty));
}

TEST_F(Watch, shows_an_outage_on_a_terminal_and_the_end_of_it) {
  auto lease = client_.mutex("orders/1").acquire();
  Pty tty({.argv = words({"watch", "orders/1"}), .columns = 120, .rows = 20});
  ASSERT_TRUE(shows(tty, "held by")) << tty.text();
  server_.kill();
  ASSERT_TRUE(shows(tty, "NOT REACHABLE since")) << tty.text();
  EXPECT_TRUE(shows(tty, "held by")) << "what was known last";
  server_.restart();
  EXPECT_TRUE(eventually(kLong, [&] {
    const auto rows = tty.screen();
    return std::none_of(rows.begin(), rows.end(), [](const auto& row) { return has(row, "NOT REACHABLE"); });
  })) << tty.text();
  EXPECT_TRUE(shows(tty, "held by"));
}

TEST_F(Watch, follows_the_size_of_the_terminal) {
  auto client = connect({.purpose = std::string(200, 'p')});
  auto lease = client.mutex("orders/1").acquire();
  Pty tty({.argv = words({"watch"}), .columns = 150, .rows = 10});
  ASSERT_TRUE(shows(tty, "orders/1")) << tty.text();
  tty.resize(70, 10);
  // Drawn again from the top, and cut to the new width.
  EXPECT_TRUE(eventually(kLong, [&] {
    const auto rows = tty.screen();
    return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.starts_with("orders/1"); }) &&
           std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() <= 72; });  // … has 3 bytes
  })) << tty.text();
  EXPECT_TRUE(has(tty.bytes(), "\x1b[2J"));
}

TEST_F(Watch, cuts_what_does_not_fit_below_each_other) {
  std::vector<LockItem> items;
  for (int i = 0; i < 40; ++i) items.push_back({"orders/" + std::to_string(i)});
  auto lease = client_.multi_lock(items).acquire();
  Pty tty({.argv = words({"watch"}), .columns = 120, .rows = 10});
  ASSERT_TRUE(shows(tty, "more lines")) << tty.text();
  EXPECT_TRUE(tty.screen().at(0).starts_with("all locks on")) << "nothing has scrolled away";
}

TEST_F(Watch, scrolls_what_does_not_fit) {
  std::vector<LockItem> items;
  for (int i = 10; i < 50; ++i) items.push_back({"orders/" + std::to_string(i)});
  auto lease = client_.multi_lock(items).acquire();
  Pty tty({.argv = words({"watch"}), .columns = 120, .rows = 10});
  ASSERT_TRUE(shows(tty, "... 35 more lines (arrows and pages scroll, q ends)")) << tty.text();
  EXPECT_TRUE(shows(tty, "orders/10"));
  tty.send("\x1b[B");
  ASSERT_TRUE(shows(tty, "... 34 more lines, 1 above")) << tty.text();
  tty.send("\x1b[6~");
  ASSERT_TRUE(shows(tty, "... 29 more lines, 6 above")) << tty.text();
  const auto rows = tty.screen();
  EXPECT_TRUE(rows.at(0).starts_with("all locks on")) << rows.at(0);
  EXPECT_TRUE(rows.at(2).starts_with("NAME ")) << "titles stay";
  EXPECT_TRUE(rows.at(3).starts_with("orders/16")) << rows.at(3);
  tty.send("G");
  ASSERT_TRUE(shows(tty, "... 35 above")) << tty.text();
  EXPECT_TRUE(shows(tty, "orders/49"));
  tty.send("\x1b[Hq");
  EXPECT_EQ(tty.wait(kLong), 0) << tty.text();
  EXPECT_TRUE(ends_with_the_cursor(tty));
}

TEST_F(Watch, gives_the_terminal_back_as_it_was) {
  auto lease = client_.mutex("orders/1").acquire();
  Pty tty({.argv = {"sh", "-c", "\"$0\" watch --url \"$1\"; stty -a", HOLDFAST_COMMAND, url()}, .columns = 120});
  ASSERT_TRUE(shows(tty, "orders/1")) << tty.text();
  tty.send("q");
  ASSERT_EQ(tty.wait(kLong), 0) << tty.text();
  EXPECT_TRUE(std::regex_search(tty.text(), std::regex("[^-]icanon"))) << tty.text();
  EXPECT_TRUE(std::regex_search(tty.text(), std::regex("[^-]echo "))) << tty.text();
}

TEST_F(Watch, gives_the_cursor_back_while_it_is_stopped) {
  auto lease = client_.mutex("orders/1").acquire();
  Pty bash({.argv = {"bash", "--norc", "--noprofile", "-i"}, .env = {{"PS1", "prompt> "}}, .columns = 120});
  ASSERT_TRUE(bash.expect("prompt> ", kLong)) << bash.text();
  bash.send(std::string(HOLDFAST_COMMAND) + " watch orders/1 --url " + url() + "\n");
  ASSERT_TRUE(bash.expect("held by", kLong)) << bash.text();
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kLong)) << bash.text();
  EXPECT_TRUE(ends_with_the_cursor(bash)) << bash.text();
  ASSERT_TRUE(bash.expect("prompt> ", kLong)) << bash.text();
  bash.send("fg\n");
  ASSERT_TRUE(bash.expect("held by", kLong)) << bash.text();
  bash.key('c');
  ASSERT_TRUE(bash.expect("prompt> ", kLong)) << bash.text();
  EXPECT_TRUE(ends_with_the_cursor(bash)) << bash.text();
  bash.send("echo code $?\n");
  EXPECT_TRUE(bash.expect("code 0", kLong)) << bash.text();
}

TEST_F(Watch, ends_with_its_window) {
  auto lease = client_.mutex("m").acquire();
  Pty tty({.argv = words({"watch"}), .columns = 150});
  ASSERT_TRUE(shows(tty, "monthly run")) << tty.text();
  tty.hang_up();
  EXPECT_EQ(tty.wait(kLong), 0);
}

TEST_F(Watch, lets_no_escape_sequence_of_others_through) {
  auto client = connect({.purpose = "\x1b]0;owned\a"});
  auto lease = client.mutex("m").acquire();
  Pty tty({.argv = words({"watch", "m"}), .columns = 150});
  ASSERT_TRUE(shows(tty, "\\x1b]0;owned\\x07")) << tty.text();
  EXPECT_FALSE(has(tty.bytes(), "\x1b]"));
  EXPECT_FALSE(has(tty.bytes(), "\a"));
}

}  // namespace
}  // namespace holdfast::testing
