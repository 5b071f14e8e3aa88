#include "settings/client_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "holdfast/error.h"
#include "support/temp_dir.h"

namespace holdfast::settings {
namespace {

using namespace std::chrono_literals;

// What is wrong with a text, or "fine".
std::string error(std::string_view text) {
  try {
    parse_settings(text, "a.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  return "fine";
}

ClientSettings parse(std::string_view text) { return parse_settings(text, "a.yaml"); }

// The pauses before the first and the fourth retry.
std::pair<std::optional<std::chrono::milliseconds>, std::optional<std::chrono::milliseconds>> pauses(
    const ClientSettings& settings) {
  return {settings.options.retry.next(1, 0ms), settings.options.retry.next(4, 0ms)};
}

TEST(ClientFile, says_where_the_service_is_and_how_to_reach_it) {
  const auto settings = parse(
      "url: zks://10.0.0.1:2181/app\nnamespace: /billing\nsession-timeout: 10s\nconnect_timeout: 500ms\n"
      "tls: {ca: ca.pem, server-name: zk, verify: no}\nsasl: {mechanism: DIGEST-MD5, user: ann, password-file: /p}\n"
      "purpose: nightly\n");
  EXPECT_EQ(settings.url, "zks://10.0.0.1:2181/app");
  EXPECT_EQ(settings.options.name_space, "billing");
  EXPECT_EQ(settings.options.session_timeout, 10s);
  EXPECT_EQ(settings.options.connection_timeout, 500ms);
  EXPECT_EQ(settings.options.tls.ca, "ca.pem");
  EXPECT_EQ(settings.options.tls.server_name, "zk");
  EXPECT_FALSE(settings.options.tls.verify);
  EXPECT_EQ(settings.options.zookeeper.sasl.mechanism, "DIGEST-MD5");
  EXPECT_EQ(settings.options.zookeeper.sasl.user, "ann");
  EXPECT_EQ(settings.options.zookeeper.sasl.password_file, "/p");
  EXPECT_EQ(settings.options.purpose, "nightly");
  EXPECT_TRUE(settings.notes.empty());
}

TEST(ClientFile, leaves_everything_as_it_is_by_default) {
  const auto settings = parse("# nothing yet\n");
  EXPECT_EQ(settings.url, "local:");
  EXPECT_EQ(settings.options.session_timeout, ClientOptions().session_timeout);
  EXPECT_EQ(settings.options.connection_timeout, ClientOptions().connection_timeout);
  ASSERT_TRUE(settings.options.locks);
  EXPECT_TRUE(settings.options.locks->rules().empty());
}

TEST(ClientFile, takes_any_url_of_a_client) {
  for (const auto* url : {"memory:", "memory:orders", "embedded:", "embedded:/var/lib/app", "local:", "zk://a,b/app",
                          "redis://a:6379/1", "rediss://a", "redis+sentinel://a,b/master"}) {
    EXPECT_EQ(parse(std::string("url: '") + url + "'\n").url, url);
  }
  EXPECT_EQ(parse("url: local\n").url, "local:");
  EXPECT_EQ(parse("url: a:2181,b:2181\n").url, "zk://a:2181,b:2181");
}

TEST(ClientFile, logs_in_as_the_file_beside_it_says) {
  const testing::TempDir dir("settings");
  const auto write = [&](std::string_view name, std::string_view text, mode_t mode) {
    const auto path = (dir / name).string();
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  };
  write("login", "ann:secret\n", 0600);
  auto settings = load_settings(write("a.yaml", "auth: login\nurl: zk://a\n", 0644));
  ASSERT_EQ(settings.options.zookeeper.auth.size(), 1u);
  EXPECT_EQ(settings.options.zookeeper.auth.front().credentials, "ann:secret");
  settings = load_settings(write("b.yaml", "auth: login\nsentinel-auth: login\nurl: redis://a\n", 0644));
  EXPECT_EQ(settings.options.redis.user, "ann");
  EXPECT_EQ(settings.options.redis.password, "secret");
  EXPECT_EQ(settings.options.redis.sentinel_user, "ann");
  EXPECT_EQ(settings.options.redis.sentinel_password, "secret");

  const auto open = write("open", "ann:secret\n", 0644);
  const auto path = write("c.yaml", "auth: open\n", 0644);
  try {
    load_settings(path);
    FAIL() << "every user can read the password";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ":1:7: auth is \"" + open + "\": " + open +
                                " has a password in it and is open to all users: chmod o= " + open);
  }
}

TEST(ClientFile, says_how_often_a_call_tries_again) {
  EXPECT_EQ(pauses(parse("retry: {policy: forever, interval: 3s}\n")),
            std::pair(std::optional(3000ms), std::optional(3000ms)));
  EXPECT_EQ(pauses(parse("retry: {policy: n-times, n: 3, interval: 1s}\n")),
            std::pair(std::optional(1000ms), std::optional<std::chrono::milliseconds>()));
  EXPECT_EQ(pauses(parse("retry: {policy: n_times}\n")),
            std::pair(std::optional(2000ms), std::optional<std::chrono::milliseconds>()));
  EXPECT_EQ(pauses(parse("retry: {interval: 1s, policy: once}\n")).second, std::nullopt);
  EXPECT_EQ(parse("retry: {policy: until-elapsed, max-elapsed: 9s}\n").options.retry.max_elapsed(), 9s);
  const auto backoff = pauses(parse("retry: {base: 8s, max-retries: 3, max-delay: 1s}\n"));
  EXPECT_EQ(backoff, std::pair(std::optional(1000ms), std::optional<std::chrono::milliseconds>()));
}

TEST(ClientFile, says_what_counts_for_locks_by_their_names) {
  const auto settings = parse(
      "locks:\n"
      "  \"**\": {slow-hold: 30s}\n"
      "  orders/*:\n"
      "    type: non_reentrant\n"
      "    wait: 5s\n"
      "    min-hold: 0s\n"
      "    max_hold: 1m\n"
      "    lock-delay: 2s\n"
      "    hand-over: {count: 3, time: 50ms, keep: 1s}\n"
      "  pool: {type: semaphore, permits: 4}\n");
  const auto& rules = *settings.options.locks;
  EXPECT_EQ(rules.find("orders/1"), (LockSettings{.type = LockType::non_reentrant,
                                                  .wait = 5s,
                                                  .min_hold = 0s,
                                                  .max_hold = 1min,
                                                  .lock_delay = 2s,
                                                  .hand_over = {3, 50ms, 1s},
                                                  .slow_hold = 30s}));
  EXPECT_EQ(rules.find("pool"), (LockSettings{.type = LockType::semaphore, .slow_hold = 30s, .permits = 4}));
  EXPECT_EQ(parse("locks: {a: {hand-over: {count: 0}}}\n").options.locks->find("a").hand_over,
            (HandOverSettings{.count = 0}));
  EXPECT_TRUE(parse("url: local\nlocks:\n").options.locks->rules().empty()) << "all of them are commented out";
}

TEST(ClientFile, says_where_it_is_wrong_and_what_would_be_right) {
  const std::vector<std::pair<std::string, std::string>> cases{
      // Settings that do not exist.
      {"urll: zk://a\n", "a.yaml:1:1: there is no setting \"urll\"; did you mean url?"},
      {"banana: 1\n",
       "a.yaml:1:1: there is no setting \"banana\"; there are url, namespace, session_timeout, connect_timeout, auth, "
       "sentinel_auth, tls, sasl, purpose, retry, locks, zk-lock"},
      {"tls: {sertificate: a}\n", "a.yaml:1:7: there is no setting \"sertificate\"; did you mean certificate?"},
      {"retry: {speed: 1}\n",
       "a.yaml:1:9: there is no setting \"speed\"; there are policy, base, max_retries, max_delay, n, max_elapsed, "
       "interval"},
      {"locks:\n  a: {max-hodl: 1s}\n", "a.yaml:2:7: there is no setting \"max-hodl\"; did you mean max_hold?"},
      {"locks:\n  a: {keeep: yes}\n",
       "a.yaml:2:7: there is no setting \"keeep\"; there are type, wait, min_hold, max_hold, lock_delay, hand_over, "
       "slow_hold, permits"},
      {"locks:\n  a: {hand-over: {times: 3}}\n", "a.yaml:2:19: there is no setting \"times\"; did you mean time?"},
      // Of the wrong kind.
      {"url: [a, b]\n", "a.yaml:1:6: url takes one value"},
      {"url:\n", "a.yaml:1:1: url has no value"},
      {"url: ''\n", "a.yaml:1:6: url is empty; write a value, or leave it out"},
      {"tls: ca.pem\n", "a.yaml:1:6: tls is a map with ca, certificate, key, server_name, verify"},
      {"retry: forever\n",
       "a.yaml:1:8: retry is a map with policy, base, max_retries, max_delay, n, max_elapsed, interval"},
      {"locks: [a]\n", "a.yaml:1:8: locks is a map of patterns of names, such as orders/*: {max_hold: 1m}"},
      {"locks: {a: 1m}\n", "a.yaml:1:12: \"a\" takes settings of locks, such as {max_hold: 1m}"},
      {"locks: {a: }\n", "a.yaml:1:9: \"a\" takes settings of locks, such as {max_hold: 1m}"},
      {"locks: {a: {hand-over: 3}}\n", "a.yaml:1:24: hand-over is a map with count, time, keep"},
      {"locks: {a: {wait: [1s]}}\n", "a.yaml:1:19: wait takes one value"},
      {"just text\n", "a.yaml:1:1: write settings, one per line, such as url: zk://10.0.0.1:2181"},
      // Values that cannot be.
      {"url: ftp://a\n",
       "a.yaml:1:6: url is \"ftp://a\": write zk://host:port,host:port[/chroot], zks:// for TLS, "
       "redis://host:port[/db], rediss:// for TLS, local:, embedded:, embedded:/directory or memory:"},
      {"session-timeout: 15\n",
       "a.yaml:1:18: session_timeout is \"15\": a number without a unit could be seconds or milliseconds; write 15s or "
       "15ms"},
      {"session-timeout: 100ms\n",
       "a.yaml:1:18: session_timeout is \"100ms\": write a time from 200ms to 1d, such as 2s or 500ms"},
      {"connect-timeout: 2d\n",
       "a.yaml:1:18: connect_timeout is \"2d\": write a time from 1ms to 1d, such as 2s or 500ms"},
      {"connect-timeout: -1s\n",
       "a.yaml:1:18: connect_timeout is \"-1s\": write a time from 1ms to 1d, such as 2s or 500ms"},
      {"namespace: a//b\n",
       "a.yaml:1:12: namespace is \"a//b\": \"a//b\" is not a name: it has an empty part (//); a name is a path such "
       "as "
       "orders/123"},
      {"purpose: " + std::string(300, 'p') + "\n",
       "a.yaml:1:10: purpose is \"" + std::string(80, 'p') + "...\": write at most 256 bytes"},
      {"tls: {verify: maybe}\n", "a.yaml:1:15: tls.verify is \"maybe\": write true or false"},
      {"retry: {policy: for-ever}\n", "a.yaml:1:17: retry.policy is \"for-ever\": did you mean forever?"},
      {"retry: {policy: x}\n",
       "a.yaml:1:17: retry.policy is \"x\": write one of exponential-backoff, forever, n-times, once, until-elapsed"},
      {"retry: {policy: forever, n: 3}\n", "a.yaml:1:29: retry.n is not for the policy forever, which takes interval"},
      {"retry: {n: 3}\n",
       "a.yaml:1:12: retry.n is not for the policy exponential-backoff, which takes base, max_retries, max_delay"},
      {"retry: {max-retries: many}\n",
       "a.yaml:1:22: retry.max_retries is \"many\": write a whole number from 0 to 1000000000"},
      {"locks: {a//b: {wait: 1s}}\n",
       "a.yaml:1:9: \"a//b\" is not a pattern of names: it has an empty part (//); a pattern is a name such as "
       "orders/123, orders/* or orders/**"},
      {"locks: {a: {type: mutx}}\n", "a.yaml:1:19: type is \"mutx\": did you mean mutex?"},
      {"locks: {a: {type: spoon}}\n",
       "a.yaml:1:19: type is \"spoon\": write one of mutex, non-reentrant, read, write, semaphore, multi"},
      {"locks: {a: {max-hold: 2y}}\n",
       "a.yaml:1:23: max-hold is \"2y\": write a time from 0s to 366d, such as 2s or 500ms"},
      {"locks: {a: {hand-over: {count: -1}}}\n",
       "a.yaml:1:32: count is \"-1\": write a whole number from 0 to 1000000000"},
      {"locks: {a: {permits: 0}}\n", "a.yaml:1:22: permits is \"0\": write a whole number from 1 to 2147483647"},
      // That cannot be together.
      {"locks: {a: {min-hold: 2m, max-hold: 1m}}\n",
       "a.yaml:1:23: min-hold of \"a\" is 2m, longer than its max-hold of 1m"},
      {"locks: {a: {type: mutex, permits: 3}}\n",
       "a.yaml:1:35: permits of \"a\" is for type: semaphore; a mutex lock has none"},
      {"locks: {a: {type: multi, lock-delay: 3s}}\n",
       "a.yaml:1:38: lock-delay of \"a\" is not for type: multi, which has no lock delay"},
      // There twice.
      {"url: a:1\nurl: b:1\n", "a.yaml:2:1: \"url\" is there twice"},
      {"session-timeout: 1s\nsession_timeout: 2s\n",
       "a.yaml:2:18: session_timeout is there twice, the first time in line 1"},
      {"zk-lock: {address: a}\nurl: zk://b\n", "a.yaml:2:6: url is there twice, the first time in line 1"},
      {"locks:\n  a: {wait: 1s}\n  a: {wait: 2s}\n", "a.yaml:3:3: \"a\" is there twice"},
      {"locks:\n  a:\n    max-hold: 1s\n    max_hold: 2s\n",
       "a.yaml:4:5: max_hold is there twice, the first time in line 3"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
  EXPECT_EQ(error("locks:\n  **: {wait: 1s}\n").rfind("a.yaml:2:", 0), 0u) << error("locks:\n  **: {wait: 1s}\n");
}

// Word for word what users of the starter have.
TEST(ClientFile, reads_the_block_of_the_java_starter_as_it_is) {
  const auto settings = parse(
      "zk-lock:\n"
      "  address: 10.0.0.1:2181,10.0.0.2:2181\n"
      "  connection-timeout: 1500000000\n"
      "  session-timeout: 600000\n"
      "  retry-policy: retry-forever\n"
      "  retry_forever:\n"
      "    retry-interval-ms: 3000\n");
  EXPECT_EQ(settings.url, "zk://10.0.0.1:2181,10.0.0.2:2181");
  EXPECT_EQ(settings.options.connection_timeout, 24h);
  EXPECT_EQ(settings.options.session_timeout, 10min);
  EXPECT_EQ(pauses(settings), std::pair(std::optional(3000ms), std::optional(3000ms)));
  EXPECT_EQ(settings.notes,
            std::vector<std::string>{"a.yaml:3:23: connection-timeout is 1500000000 ms, more than 1d; 1d is used"});
}

TEST(ClientFile, reads_each_retry_policy_of_the_java_starter_from_its_own_block) {
  // All of them may be there; one is chosen.
  const auto with = [](std::string_view policy) {
    return parse("zk-lock:\n  address: a:2181\n  retryPolicy: " + std::string(policy) +
                 "\n"
                 "  exponential_back_off_retry: {baseSleepTimeMs: 8000, max-retries: 3, max-sleep-ms: 1000}\n"
                 "  retry_forever: {retryIntervalMs: 700}\n"
                 "  retry-n-times: {n: 2, sleep-ms-between-retries: 20}\n"
                 "  retry_one_time: {sleep-ms-between-retry: 30}\n"
                 "  retry_until_elapsed: {max-elapsed-time-ms: 5000, sleep_ms_between_retries: 40}\n");
  };
  using Pauses = decltype(pauses(with("")));
  const std::optional<std::chrono::milliseconds> none;
  EXPECT_EQ(pauses(with("exponential-back-off-retry")), Pauses(1000ms, none));
  EXPECT_EQ(pauses(with("retry-forever")), Pauses(700ms, 700ms));
  EXPECT_EQ(pauses(with("retry-n-times")), Pauses(20ms, none));
  EXPECT_EQ(pauses(with("retry-one-time")), Pauses(30ms, none));
  EXPECT_EQ(pauses(with("retry-until-elapsed")), Pauses(40ms, 40ms));
  EXPECT_EQ(with("retry-until-elapsed").options.retry.max_elapsed(), 5s);
  EXPECT_TRUE(with("retry-n-times").notes.empty());
}

TEST(ClientFile, says_what_it_makes_of_values_of_the_java_starter_that_are_absurd_or_missing) {
  const auto settings = parse(
      "zk-lock:\n  address: a:2181\n  session-timeout: 99999999999999999999\n  retry-policy: retry-n-times\n"
      "  retry_n_times: {n: 2147483647}\n");
  EXPECT_EQ(settings.options.session_timeout, 24h);
  EXPECT_EQ(settings.notes, (std::vector<std::string>{
                                "a.yaml:3:20: session-timeout is 99999999999999999999 ms, more than 1d; 1d is used",
                                "a.yaml:5:22: n is 2147483647, more than 1000000000; 1000000000 is used",
                                "a.yaml:4:17: zk-lock says no retry_n_times.sleep_ms_between_retries; 2s is used"}));
}

TEST(ClientFile, says_what_is_wrong_in_the_block_of_the_java_starter) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"zk-lock: a\n", "a.yaml:1:10: zk-lock is a map with address, connection-timeout, session-timeout"},
      {"zk-lock: {adress: a}\n", "a.yaml:1:11: there is no setting \"adress\"; did you mean address?"},
      {"zk-lock: {colour: red}\n",
       "a.yaml:1:11: there is no setting \"colour\"; there are address, connection-timeout, session-timeout, "
       "retry-policy, exponential_back_off_retry, retry_forever, retry_n_times, retry_one_time, retry_until_elapsed"},
      {"zk-lock: {session-timeout: soon}\n",
       "a.yaml:1:28: session_timeout is \"soon\": write a time from 200ms to 1d, such as 2s or 500ms"},
      {"zk-lock: {session-timeout: -1}\n",
       "a.yaml:1:28: session_timeout is \"-1\": write a time from 200ms to 1d, such as 2s or 500ms"},
      {"zk-lock: {retry-policy: retry-for-ever}\n",
       "a.yaml:1:25: retry-policy is \"retry-for-ever\": did you mean retry-forever?"},
      {"zk-lock: {retry-policy: x}\n",
       "a.yaml:1:25: retry-policy is \"x\": write one of exponential-back-off-retry, retry-forever, retry-n-times, "
       "retry-one-time, retry-until-elapsed"},
      {"zk-lock: {retry_forever: 3}\n", "a.yaml:1:26: retry_forever is a map with retry_interval_ms"},
      {"zk-lock: {retry_forever: {retry-intervall-ms: 3}}\n",
       "a.yaml:1:27: there is no setting \"retry-intervall-ms\"; did you mean retry_interval_ms?"},
      {"zk-lock: {address: [a, b]}\n", "a.yaml:1:20: address takes one value"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
}

TEST(ClientFile, that_cannot_be_read_says_why) {
  const testing::TempDir dir("settings");
  const auto why = [](const std::string& path) {
    try {
      load_settings(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("fine");
  };
  const auto path = (dir / "a.yaml").string();
  EXPECT_EQ(why(path), "cannot read " + path + ": No such file or directory");
  EXPECT_EQ(why(dir.path()), "cannot read " + dir.path().string() + ": Is a directory");
  std::ofstream(path) << "url: a\0b" << std::string(1, '\0');
  EXPECT_EQ(why(path), path + " has a zero byte in it: that is not text");
  std::ofstream(path) << std::string((1 << 20) + 1, '#');
  EXPECT_EQ(why(path), path + " is larger than 1MiB: that is not a configuration");
}

}  // namespace
}  // namespace holdfast::settings
