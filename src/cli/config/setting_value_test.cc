#include "cli/config/setting_value.h"

#include <gtest/gtest.h>

#include "cli/config/server_settings.h"

namespace holdfast::cli {
namespace {

constexpr Range<std::size_t> kAnySize{0, std::size_t{1} << 40};

TEST(SettingValue, sizes_have_units_and_plain_numbers_are_bytes) {
  EXPECT_EQ(parse_size("1048575", kAnySize), 1048575U);
  EXPECT_EQ(parse_size("7B", kAnySize), 7U);
  EXPECT_EQ(parse_size("64KiB", kAnySize), 64U << 10);
  EXPECT_EQ(parse_size("1MiB", kAnySize), 1U << 20);
  EXPECT_EQ(parse_size("2GiB", kAnySize), std::size_t{2} << 30);
  EXPECT_EQ(parse_size("500kB", kAnySize), 500'000U);
  EXPECT_EQ(parse_size("1MB", kAnySize), 1'000'000U);
}

TEST(SettingValue, sizes_that_make_no_sense_are_refused) {
  for (const auto* text :
       {"", "MiB", "1mib", "1K", "-1", "1.5MiB", "20_000", "20'000", "18446744073709551615GiB", "2000GiB"}) {
    EXPECT_FALSE(parse_size(text, kAnySize).has_value()) << text;
  }
}

TEST(SettingValue, what_is_shown_is_read_back) {
  for (const std::size_t value : {0UL, 1UL, 1023UL, 1024UL, 1025UL, 0xfffffUL, 1UL << 20, 64UL << 20, 3UL << 30}) {
    EXPECT_EQ(parse_size(show_size(value), kAnySize), value);
  }
}

TEST(SettingValue, flags_are_words_not_numbers) {
  for (const auto* text : {"true", "yes", "on", "True", "YES"}) EXPECT_EQ(parse_flag(text), true) << text;
  for (const auto* text : {"false", "no", "off", "FALSE"}) EXPECT_EQ(parse_flag(text), false) << text;
  for (const auto* text : {"", "1", "0", "y", "truee"}) EXPECT_FALSE(parse_flag(text).has_value()) << text;
}

TEST(SettingValue, addresses_have_a_host_and_a_port) {
  const auto v4 = parse_listen("10.0.0.1:2181", false);
  ASSERT_TRUE(v4.has_value());
  EXPECT_EQ(v4->host, "10.0.0.1");
  EXPECT_EQ(v4->port, 2181);
  EXPECT_FALSE(v4->tls);
  const auto v6 = parse_listen("[::1]:0", true);
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
  EXPECT_TRUE(v6->tls);
  EXPECT_EQ(show_listen(*v4), "10.0.0.1:2181");
  EXPECT_EQ(show_listen(*v6), "[::1]:0");
  EXPECT_TRUE(parse_listen("localhost:2181", false).has_value());
}

TEST(SettingValue, addresses_that_make_no_sense_are_refused) {
  for (const auto* text :
       {"", ":", "2181", ":2181", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:zk",
        "::1:2181", "[::1]", "[::1:2181", "[nobody]:2181", "[]:2181", "*:2181", "a b:2181", "http://a:1"}) {
    const auto parsed = parse_listen(text, false);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().find("write HOST:PORT, such as 127.0.0.1:2181"), std::string::npos) << parsed.error();
  }
}

TEST(SettingValue, loopback_is_what_other_machines_cannot_reach) {
  for (const auto* host : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "localhost"}) {
    EXPECT_TRUE(is_loopback({.host = host})) << host;
  }
  for (const auto* host :
       {"0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "128.0.0.1", "localhost.example.org", "db1"}) {
    EXPECT_FALSE(is_loopback({.host = host})) << host;
  }
}

TEST(SettingValue, a_digest_is_a_user_and_a_sha1_in_base64) {
  EXPECT_TRUE(parse_digest("bob:2ahk0AqdFR1jfzPlt1QZP+tZe7E=").has_value());
  for (const auto* text :
       {"", "bob", "bob:", ":2ahk0AqdFR1jfzPlt1QZP+tZe7E=", "bob:secret", "bob:2ahk0AqdFR1jfzPlt1QZP+tZe7EE",
        "bob:2ahk0AqdFR1jfzPlt1QZP+tZe7E==", "bob:2ahk0AqdFR1jfzPlt1QZP tZe7E="}) {
    EXPECT_FALSE(parse_digest(text).has_value()) << text;
  }
}

TEST(SettingValue, texts_of_others_are_quoted_short_and_without_controls) {
  EXPECT_EQ(in_quotes("a\x1b[31m\n"), R"("a\x1b[31m\x0a")");
  EXPECT_EQ(in_quotes("a\u202eb"), R"("a\xe2\x80\xaeb")") << "turns the text around";
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "\"" + std::string(80, 'x') + "...\"");
}

TEST(ServerSettings, the_nearest_key_is_found_for_a_mistyped_one) {
  EXPECT_EQ(nearest_setting("tick_tme"), "tick_time");
  EXPECT_EQ(nearest_setting("tickTime"), "tick_time");
  EXPECT_EQ(nearest_setting("data_dir"), "data");
  EXPECT_EQ(nearest_setting("listens"), "listen");
  EXPECT_EQ(nearest_setting("connection_per_address"), "limits.connections_per_address");
  EXPECT_EQ(nearest_setting("limits.frames"), "limits.frame");
  EXPECT_EQ(nearest_setting("colour"), std::nullopt);
  EXPECT_EQ(nearest_setting(""), std::nullopt);
  EXPECT_EQ(nearest_setting(std::string(100'000, 'x')), std::nullopt);
}

TEST(ServerSettings, a_time_without_a_unit_is_answered_with_both_that_it_could_have) {
  std::size_t times = 0;
  for (const auto& setting : all_settings()) {
    ServerSettings settings;
    if (!setting.assign(settings, {"1s"}) || setting.assign(settings, {"x"})) continue;  // not a time, or a text
    ++times;
    const auto plain = setting.assign(settings, {"3"});
    ASSERT_FALSE(plain) << setting.key;
    EXPECT_EQ(plain.error(), "a number without a unit could be seconds or milliseconds; write 3s or 3ms")
        << setting.key;
  }
  EXPECT_GE(times, 5u) << "tick_time, min_session_timeout, max_session_timeout, container_check_interval, handshake";
}

TEST(ServerSettings, every_default_is_a_value_that_may_be_written) {
  for (const auto& setting : all_settings()) {
    const ServerSettings defaults;
    const auto shown = setting.show(defaults);
    if (shown.empty()) continue;
    ServerSettings again;
    EXPECT_TRUE(setting.assign(again, shown).has_value()) << setting.key;
    EXPECT_EQ(setting.show(again), shown) << setting.key;
  }
}

}  // namespace
}  // namespace holdfast::cli
