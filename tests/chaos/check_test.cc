// The checker can fail: for every rule a history that breaks it, and a good one beside it that does not.
#include "check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "fault_plan.h"

namespace holdfast::testing {
namespace {

// Two clients; c0 holds 10, then c1 holds 20, then a late write of c0; the end in good order.
class Story {
 public:
  Story() {
    add("driver", {{"what", "run"}, {"seed", 1}, {"seconds", 60}, {"clients", 2}});
    for (const auto* who : {"c0", "c1"}) add(who, {{"what", "started"}, {"life", 1}, {"pid", 1}});
    for (const auto kind : kFaultKinds) {
      if (kind != FaultKind::kill)
        add("driver", {{"what", "fault"}, {"fault", to_string(kind)}, {"client", "c0"}, {"t_ms", 20}});
    }
    kill_and_start("c1");
    ask("c0", 100);
    grant("c0", 10, 110, 2'000);
    write("c0", 10, "begin", 120, true);
    ask("c1", 150);
    write("c0", 10, "put", 160, true);
    grant("c1", 20, 2'400, 4'300, 2);
    write("c1", 20, "begin", 2'410, true, 2);
    write("c0", 10, "put", 2'500, false, 1, /*late=*/true);
    write("c1", 20, "end", 2'600, true, 2);
    release("c1", 20, 2'610, 2);
    release("c0", 10, 2'620);
    add("driver", {{"what", "healed"}});
    round("c0", 30, 3'000);
    round("c1", 40, 3'100, 2);
    for (const auto* who : {"c0", "c1"}) {
      add(who, {{"what", "closed"}, {"life", 1}});
      add(who, {{"what", "ended"}, {"life", 1}, {"status", 0}});
    }
    add("driver", {{"what", "left"}, {"nodes", Json::array()}});
    add("driver", {{"what", "over"}});
  }

  void add(const std::string& who, Json entry) {
    entry["who"] = who;
    entries.push_back(std::move(entry));
  }
  void kill_and_start(const std::string& who) {
    ask(who, 50);
    add("driver", {{"what", "fault"}, {"fault", "kill"}, {"client", who}, {"t_ms", 60}});
    add(who, {{"what", "ended"}, {"life", 1}, {"status", 137}});
    add(who, {{"what", "started"}, {"life", 2}, {"pid", 2}});
  }
  void ask(const std::string& who, double at) { add(who, {{"what", "asked"}, {"life", 1}, {"at_ms", at}}); }
  void grant(const std::string& who, int token, double at, double until, int life = 1) {
    add(who, {{"what", "granted"}, {"life", life}, {"token", token}, {"at_ms", at}, {"valid_until_ms", until}});
  }
  void write(const std::string& who, int token, const std::string& op, double at, bool admitted, int life = 1,
             bool late = false) {
    add(who, {{"what", "write"},
              {"life", life},
              {"token", token},
              {"op", op},
              {"at_ms", at},
              {"valid_until_ms", late ? 2'000 : at + 1'800},
              {"late", late},
              {"admitted", admitted}});
  }
  void release(const std::string& who, int token, double at, int life = 1) {
    add(who, {{"what", "released"}, {"life", life}, {"token", token}, {"at_ms", at}, {"error", ""}});
  }
  void round(const std::string& who, int token, double at, int life = 1) {
    ask(who, at);
    grant(who, token, at + 10, at + 1'900, life);
    write(who, token, "begin", at + 20, true, life);
    release(who, token, at + 30, life);
  }

  // The first entry with all these members.
  Json& find(const Json& members) {
    for (Json& entry : entries) {
      bool all = true;
      for (const auto& [key, value] : members.items()) all = all && entry.contains(key) && entry[key] == value;
      if (all) return entry;
    }
    throw std::logic_error("no such entry: " + members.dump());
  }
  void drop(const Json& members) {
    const Json& found = find(members);
    entries.erase(entries.begin() + (&found - entries.data()));
  }
  void insert_before(const Json& members, const std::function<void(Story&)>& add_entries) {
    const auto position = &find(members) - entries.data();
    const auto size = static_cast<std::ptrdiff_t>(entries.size());
    add_entries(*this);
    std::rotate(entries.begin() + position, entries.begin() + size, entries.end());
  }

  Report check() const {
    std::stringstream text;
    for (const Json& entry : entries) text << entry.dump() << '\n';
    return testing::check(read_history(text), {.least_grants = 4, .longest_wait = std::chrono::seconds(5)});
  }

  std::vector<Json> entries;
};

// Exactly this rule, so that a rule is not shown to work by another one.
void expect_only(const Story& story, const std::string& rule) {
  const Report report = story.check();
  EXPECT_TRUE(report.has(rule)) << report.summary();
  for (const Violation& each : report.violations) EXPECT_EQ(each.rule, rule) << each.what;
}

TEST(ChaosCheck, a_good_history_is_good_and_counted) {
  const Report report = Story().check();
  for (const Violation& each : report.violations) ADD_FAILURE() << each.rule << ": " << each.what;
  EXPECT_EQ(report.figures.grants, 4U);
  EXPECT_EQ(report.figures.admitted, 6U);
  EXPECT_EQ(report.figures.late_refused, 1U);
  EXPECT_EQ(report.figures.inherited, 1U);
  EXPECT_DOUBLE_EQ(report.figures.closest_ms.value_or(0), 2'400 - 2'000);
  EXPECT_DOUBLE_EQ(report.figures.longest_wait_ms, 2'250);
  EXPECT_DOUBLE_EQ(report.figures.longest_calm_wait_ms, 2'250);
  EXPECT_TRUE(report.summary().starts_with("ok: seed 1, 60 s, 2 clients; 4 grants")) << report.summary();
}

TEST(ChaosCheck, a_stale_write_that_was_admitted_is_found) {
  Story story;
  // After the section of c1 had ended, so that nothing interleaves.
  story.drop({{"late", true}});
  story.insert_before({{"what", "healed"}}, [](Story& s) { s.write("c0", 10, "put", 2'700, true, 1, true); });
  const Report report = story.check();
  EXPECT_TRUE(report.has("stale_write")) << report.summary();
  EXPECT_FALSE(report.has("overlapping_holds")) << report.summary();
  for (const Violation& each : report.violations) {
    if (each.rule == "stale_write") {
      EXPECT_EQ(each.lines.size(), 2U);
    }
  }
}

TEST(ChaosCheck, sections_that_interleave_are_found_also_if_tokens_seem_to_rise) {
  Story story;
  // 10, 20, 10: a stale write too, but 20 again after that is no more than an overlap.
  story.find({{"late", true}})["admitted"] = true;
  const Report report = story.check();
  EXPECT_TRUE(report.has("overlapping_writes")) << report.summary();
}

TEST(ChaosCheck, a_token_granted_twice_is_found) {
  Story story;
  story.find({{"what", "granted"}, {"token", 40}})["token"] = 30;
  story.find({{"what", "write"}, {"token", 40}})["admitted"] = false;
  story.find({{"what", "write"}, {"token", 40}})["token"] = 30;
  expect_only(story, "shared_token");
}

TEST(ChaosCheck, a_write_with_a_token_of_somebody_else_is_found) {
  Story story;
  story.insert_before({{"what", "healed"}}, [](Story& s) { s.write("c0", 20, "put", 2'700, false); });
  expect_only(story, "shared_token");
}

TEST(ChaosCheck, a_later_section_with_a_smaller_token_is_found) {
  Story story;
  for (Json& entry : story.entries) {
    if (entry.value("token", 0) == 40) entry["token"] = 25;
  }
  const Report report = story.check();
  EXPECT_TRUE(report.has("token_order")) << report.summary();
}

TEST(ChaosCheck, a_grant_while_another_hold_is_valid_is_found) {
  Story story;
  story.find({{"what", "granted"}, {"token", 20}})["at_ms"] = 1'999.5;  // c0 was promised 2,000
  expect_only(story, "overlapping_holds");
}

TEST(ChaosCheck, a_grant_after_a_release_is_none) {
  Story story;
  story.find({{"what", "granted"}, {"token", 20}})["at_ms"] = 1'999.5;
  story.find({{"what", "released"}, {"token", 10}})["at_ms"] = 1'999;
  EXPECT_TRUE(story.check().ok()) << story.check().summary();
}

TEST(ChaosCheck, a_promise_made_with_a_write_counts_too) {
  Story story;
  story.find({{"what", "write"}, {"op", "put"}, {"token", 10}})["valid_until_ms"] = 2'400.5;  // c1 is granted at 2,400
  expect_only(story, "overlapping_holds");
}

// After a pause a hold must not claim to have lasted longer than it did.
TEST(ChaosCheck, an_end_that_is_told_late_must_not_lie_behind_the_next_grant) {
  Story story;
  story.find({{"late", true}})["valid_until_ms"] = 2'390;  // at 2,500; c1 was granted at 2,400
  EXPECT_TRUE(story.check().ok()) << story.check().summary();
  story.find({{"late", true}})["valid_until_ms"] = 2'450;
  expect_only(story, "overlapping_holds");
}

TEST(ChaosCheck, an_ask_that_was_never_answered_is_found) {
  Story story;
  story.insert_before({{"what", "left"}}, [](Story& s) { s.ask("c0", 3'500); });
  expect_only(story, "starved");
}

TEST(ChaosCheck, a_wait_that_took_too_long_is_found) {
  Story story;
  const auto answered = [](Story& s) {
    s.add("c0", {{"what", "timed_out"}, {"life", 1}, {"at_ms", 7'800}});
    s.find({{"what", "asked"}, {"at_ms", 2'700}})["within_ms"] = 100;
  };
  story.insert_before({{"what", "healed"}}, [](Story& s) { s.ask("c0", 2'700); });
  Story troubled = story;
  story.insert_before({{"what", "healed"}}, answered);
  expect_only(story, "starved");

  // Part of it was its own fault.
  const auto trouble = [](Story& s) {
    s.add("driver", {{"what", "fault_over"}, {"fault", "stop"}, {"client", "c0"}, {"t_ms", 2'900}});
  };
  troubled.insert_before({{"what", "healed"}}, trouble);
  troubled.insert_before({{"what", "healed"}}, answered);
  EXPECT_TRUE(troubled.check().ok()) << troubled.check().summary();
  EXPECT_DOUBLE_EQ(troubled.check().figures.longest_wait_ms, 2'250);
}

TEST(ChaosCheck, a_client_that_was_not_granted_after_the_last_fault_is_found) {
  Story story;
  const Json healed = story.find({{"what", "healed"}});
  story.drop({{"what", "healed"}});
  story.insert_before({{"what", "asked"}, {"at_ms", 3'100}}, [&](Story& s) { s.entries.push_back(healed); });
  expect_only(story, "starved");
}

TEST(ChaosCheck, an_ask_that_failed_is_found) {
  Story story;
  story.insert_before({{"what", "healed"}}, [](Story& s) {
    s.ask("c0", 2'700);
    s.add("c0", {{"what", "failed"}, {"life", 1}, {"at_ms", 2'710}, {"message", "no"}});
  });
  expect_only(story, "failed_ask");
}

TEST(ChaosCheck, a_timeout_of_an_ask_that_had_none_is_found) {
  Story story;
  story.insert_before({{"what", "healed"}}, [](Story& s) {
    s.ask("c0", 2'700);
    s.add("c0", {{"what", "timed_out"}, {"life", 1}, {"at_ms", 2'710}});
  });
  expect_only(story, "failed_ask");
}

TEST(ChaosCheck, a_process_that_died_by_itself_is_found) {
  Story crashed;
  crashed.find({{"what", "ended"}, {"status", 0}})["status"] = 139;
  expect_only(crashed, "died");
  Story walked_away;
  walked_away.drop({{"what", "closed"}});
  expect_only(walked_away, "died");
}

TEST(ChaosCheck, a_node_that_is_left_is_found) {
  Story story;
  story.find({{"what", "left"}})["nodes"] = {"_c_1-lock-0000000001"};
  expect_only(story, "left_node");
  Story nobody_looked;
  nobody_looked.drop({{"what", "left"}});
  expect_only(nobody_looked, "left_node");
}

TEST(ChaosCheck, a_run_without_one_kind_of_fault_is_empty) {
  for (const auto kind : kFaultKinds) {
    if (kind == FaultKind::kill) continue;  // without it, the process that ended died by itself
    Story story;
    story.drop({{"fault", to_string(kind)}});
    expect_only(story, "empty_run");
  }
}

TEST(ChaosCheck, a_run_without_a_late_write_that_was_refused_is_empty) {
  Story story;
  story.drop({{"late", true}});
  expect_only(story, "empty_run");
}

TEST(ChaosCheck, a_run_with_too_few_grants_or_clients_is_empty) {
  Story few;
  few.drop({{"token", 20}, {"what", "granted"}});
  EXPECT_TRUE(few.check().has("empty_run"));
  Story alone;
  alone.find({{"what", "run"}})["clients"] = 3;
  expect_only(alone, "empty_run");
}

TEST(ChaosCheck, a_history_that_is_cut_off_is_found) {
  Story no_end;
  no_end.drop({{"what", "over"}});
  expect_only(no_end, "cut_off");
  Story no_beginning;
  no_beginning.entries.insert(no_beginning.entries.begin(), no_beginning.entries[1]);
  expect_only(no_beginning, "cut_off");
}

TEST(ChaosCheck, lines_that_cannot_be_read_are_found) {
  Story half_a_line;
  half_a_line.entries.insert(half_a_line.entries.begin() + 4, Json("no object"));
  expect_only(half_a_line, "unreadable");
  Story something_missing;
  something_missing.find({{"what", "write"}, {"token", 30}}).erase("late");
  expect_only(something_missing, "unreadable");
}

TEST(ChaosCheck, an_empty_history_is_not_good) { EXPECT_FALSE(check({}).ok()); }

}  // namespace
}  // namespace holdfast::testing
