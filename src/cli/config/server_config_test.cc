#include "cli/config/server_config.h"

#include "cli/config_file.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ServerConfigTest : public ConfigFile {};

constexpr auto kBob = "bob:2ahk0AqdFR1jfzPlt1QZP+tZe7E=\n";

TEST_F(ServerConfigTest, without_anything_listens_on_loopback_in_memory) {
  const auto config = load_server_config("", {});
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->options.listen.size(), 1U);
  EXPECT_EQ(show_listen(config->options.listen[0]), "127.0.0.1:2181");
  EXPECT_EQ(config->options.data_dir, "");
  EXPECT_EQ(config->options.durability, Durability::power);
  EXPECT_EQ(config->notes, Lines{});
}

TEST_F(ServerConfigTest, reads_every_setting_of_our_yaml) {
  const auto auth = write("users", kBob);
  const auto config = load("a.yaml",
                           "listen: [127.0.0.1:1, '[::1]:2']\n"
                           "listen_tls: localhost:3\n"
                           "data: /data\n"
                           "log_dir: /log\n"
                           "durability: process\n"
                           "tls_cert: /cert\n"
                           "tls_key: /key\n"
                           "tls_client_ca: /ca\n"
                           "require_auth: " +
                               auth +
                               "\n"
                               "super_digest: 'super:2ahk0AqdFR1jfzPlt1QZP+tZe7E='\n"
                               "tick_time: 1s\n"
                               "min_session_timeout: 500ms\n"
                               "max_session_timeout: 1m\n"
                               "ttl_nodes: true\n"
                               "container_check_interval: 5s\n"
                               "snapshot_after: 1000\n"
                               "snapshot_after_bytes: 3MiB\n"
                               "snapshots_kept: 5\n"
                               "four_letter_words: [ruok, srvr]\n"
                               "limits:\n"
                               "  frame: 2MiB\n"
                               "  connections: 10\n"
                               "  connections_per_address: 0\n"
                               "  sessions: 11\n"
                               "  watches: 12\n"
                               "  watches_per_session: 9\n"
                               "  path_depth: 13\n"
                               "  answer: 14KiB\n"
                               "  unsent_bytes: 15KiB\n"
                               "  unserved_bytes: 16KiB\n"
                               "  handshake: 17s\n");
  const auto& options = config.options;
  ASSERT_EQ(options.listen.size(), 3U);
  EXPECT_EQ(show_listen(options.listen[1]), "[::1]:2");
  EXPECT_FALSE(options.listen[1].tls);
  EXPECT_EQ(show_listen(options.listen[2]), "localhost:3");
  EXPECT_TRUE(options.listen[2].tls);
  EXPECT_EQ(options.data_dir, "/data");
  EXPECT_EQ(options.log_dir, "/log");
  EXPECT_EQ(options.durability, Durability::process);
  EXPECT_EQ(options.tls.certificate, "/cert");
  EXPECT_EQ(options.tls.key, "/key");
  EXPECT_EQ(options.tls.client_ca, "/ca");
  EXPECT_EQ(options.require_auth, Lines{"bob:2ahk0AqdFR1jfzPlt1QZP+tZe7E="});
  EXPECT_EQ(options.super_digest, "super:2ahk0AqdFR1jfzPlt1QZP+tZe7E=");
  EXPECT_EQ(options.tick_time, 1s);
  EXPECT_EQ(options.min_session_timeout, 500ms);
  EXPECT_EQ(options.max_session_timeout, 1min);
  EXPECT_TRUE(options.ttl_nodes);
  EXPECT_EQ(options.container_check_interval, 5s);
  EXPECT_EQ(options.snapshot_after, 1000U);
  EXPECT_EQ(options.snapshot_after_bytes, 3U << 20);
  EXPECT_EQ(options.snapshots_kept, 5U);
  EXPECT_EQ(options.four_letter_words, (Lines{"ruok", "srvr"}));
  EXPECT_EQ(options.limits.frame, 2U << 20);
  EXPECT_EQ(options.limits.connections, 10U);
  EXPECT_EQ(options.limits.connections_per_address, 0U);
  EXPECT_EQ(options.limits.sessions, 11U);
  EXPECT_EQ(options.limits.watches, 12U);
  EXPECT_EQ(options.limits.watches_per_session, 9U);
  EXPECT_EQ(options.limits.path_depth, 13U);
  EXPECT_EQ(options.limits.answer, 14U << 10);
  EXPECT_EQ(options.limits.unsent_bytes, 15U << 10);
  EXPECT_EQ(options.limits.unserved_bytes, 16U << 10);
  EXPECT_EQ(options.limits.handshake, 17s);
  EXPECT_EQ(config.notes, Lines{});
}

TEST_F(ServerConfigTest, the_command_line_wins_over_the_file_setting_by_setting) {
  const auto config = load("a.yaml", "data: /file\ntick_time: 1s\nlisten: [10.0.0.1:1, 10.0.0.2:2]\n",
                           {{"--data", {"/option"}}, {"--listen", {"127.0.0.1:7"}}});
  EXPECT_EQ(config.options.data_dir, "/option");
  EXPECT_EQ(config.options.tick_time, 1s);
  ASSERT_EQ(config.options.listen.size(), 1U);
  EXPECT_EQ(show_listen(config.options.listen[0]), "127.0.0.1:7");
  EXPECT_EQ(printed(config, "data"), "data: /option # --data");
  EXPECT_EQ(printed(config, "tick_time"), "tick_time: 1s # a.yaml:2");
  EXPECT_EQ(printed(config, "durability"), "durability: power # default");
  EXPECT_EQ(printed(config, "frame"), "frame: 1048575B # default");
}

TEST_F(ServerConfigTest, what_is_printed_is_read_to_the_same_effect) {
  const auto config = load("a.yaml",
                           "listen: ['[::1]:2', '0.0.0.0:0']\ndata: 'a \"dir\": # with \\ and {}'\n"
                           "four_letter_words: '*'\nlimits: {frame: 1MB}\n");
  const auto again = load("b.yaml", config.printed);
  EXPECT_EQ(again.options.data_dir, "a \"dir\": # with \\ and {}");
  const auto third = load("b.yaml", again.printed);
  EXPECT_EQ(third.printed, again.printed);
  EXPECT_EQ(third.options.limits.frame, 1'000'000U);
  EXPECT_EQ(third.options.four_letter_words, Lines{"*"});
  EXPECT_EQ(printed(third, "listen"), "listen: [\"[::1]:2\", 0.0.0.0:0] # b.yaml:1");
}

TEST_F(ServerConfigTest, secrets_are_not_printed) {
  const auto config = load("a.yaml", "super_digest: 'super:2ahk0AqdFR1jfzPlt1QZP+tZe7E='\n");
  EXPECT_EQ(printed(config, "super_digest"), "# super_digest: set, not shown # a.yaml:1");
  EXPECT_EQ(error("a.yaml", "super_digest: 'super:s3cret'\n").find("s3cret"), std::string::npos);
}

TEST_F(ServerConfigTest, an_empty_file_sets_nothing) {
  for (const auto* text : {"", "\n", "# nothing\n", "---\n", "{}\n"}) {
    EXPECT_EQ(load("a.yaml", text).options.tick_time, 2s) << text;
  }
}

struct Bad {
  std::string text;
  std::string error;
};

TEST_F(ServerConfigTest, errors_in_our_yaml_have_file_line_and_column) {
  const std::vector<Bad> all{
      {"data: /a\ntick_time: abc\n",
       "a.yaml:2:12: tick_time is \"abc\": write a time from 1ms to 1h, such as 2s or 500ms"},
      {"tick_time: 2000\n",
       "a.yaml:1:12: tick_time is \"2000\": a number without a unit could be seconds or milliseconds; write 2000s or "
       "2000ms"},
      {"tik_time: 2s\n", "a.yaml:1:1: there is no setting \"tik_time\"; did you mean tick_time?"},
      {"data_dir: /a\n", "a.yaml:1:1: there is no setting \"data_dir\"; did you mean data?"},
      {"colour: red\n",
       "a.yaml:1:1: there is no setting \"colour\"; holdfast server --print-config shows all there are"},
      {"limits:\n  conections: 5\n",
       "a.yaml:2:3: there is no setting \"conections\"; did you mean limits.connections?"},
      {"limits:\n  data: /a\n", "a.yaml:2:3: there is no setting \"data\"; did you mean data?"},
      {"frame: 1MiB\n", "a.yaml:1:1: there is no setting \"frame\"; did you mean limits.frame?"},
      {"limits:\n  connections: 0\n", "a.yaml:2:16: connections is \"0\": write a whole number from 1 to 1000000"},
      {"limits: 5\n", "a.yaml:1:9: write settings, one per line, such as tick_time: 2s"},
      {"- a\n", "a.yaml:1:1: write settings, one per line, such as tick_time: 2s"},
      {"just text\n", "a.yaml:1:1: write settings, one per line, such as tick_time: 2s"},
      {"data: /a\ndata: /b\n", "a.yaml:2:1: \"data\" is there twice"},
      {"data:\n", "a.yaml:1:1: data has no value"},
      {"data: ''\n", "a.yaml:1:7: data is \"\": write a path, or leave the setting out"},
      {"data: [/a]\n", "a.yaml:1:7: data takes one value"},
      {"data: {a: b}\n", "a.yaml:1:7: data takes one value"},
      {"listen: [[a]]\n", "a.yaml:1:10: \"listen\" is a list of plain texts"},
      {"listen: {a: b}\n", "a.yaml:1:9: listen takes a text or a list of them"},
      {"listen: []\n", "a.yaml:1:9: listen is \"\": write 1 to 64 addresses, such as 127.0.0.1:2181"},
      {"listen: 2181\n",
       "a.yaml:1:9: listen is \"2181\": the port is missing; write HOST:PORT, such as 127.0.0.1:2181 or [::1]:2181"},
      {"durability: full\n",
       "a.yaml:1:13: durability is \"full\": write power (synced to disk) or process (survives kill -9, not power "
       "loss)"},
      {"ttl_nodes: maybe\n", "a.yaml:1:12: ttl_nodes is \"maybe\": write true or false"},
      {"snapshot_after: 1\n", "a.yaml:1:17: snapshot_after is \"1\": write a whole number from 2 to 1000000000"},
      {"super_digest: admin:x\n",
       "a.yaml:1:15: super_digest is not in order: write super:base64(sha1(super:password))"},
      {"data: [open\n", "a.yaml:2:1: this is not YAML: end of sequence flow not found"},
      {"data: \"a\\qb\"\n", "a.yaml:1:11: this is not YAML: unknown escape character: q"},
      {"a: b: c\n", "a.yaml:1:5: this is not YAML: illegal map value"},
      {"data: /a\n---\ndata: /b\n", "a.yaml: write one document, without ---"},
      {"{a: b}: c\n", "a.yaml:1:1: a setting's name is a plain word"},
  };
  for (const auto& bad : all) EXPECT_EQ(error("a.yaml", bad.text), bad.error) << bad.text;
}

TEST_F(ServerConfigTest, an_unknown_four_letter_word_is_refused_in_our_yaml) {
  EXPECT_EQ(error("a.yaml", "four_letter_words: [ruok, kill]\n"),
            "a.yaml:1:20: four_letter_words is \"ruok, kill\": write \"*\" or some of conf, cons, crst, dirs, dump, "
            "envi, isro, mntr, "
            "ruok, srst, srvr, stat, wchc, wchp, wchs");
}

TEST_F(ServerConfigTest, errors_of_the_command_line_name_the_option) {
  const auto of = [](const GivenOption& option) { return load_server_config("", {option}).error(); };
  EXPECT_EQ(of({"--durability", {"disk"}}),
            "--durability is \"disk\": write power (synced to disk) or process (survives kill -9, not power loss)");
  EXPECT_EQ(of({"--data", {""}}), "--data is \"\": write a path, or leave the setting out");
  EXPECT_EQ(of({"--listen", {"localhost"}}),
            "--listen is \"localhost\": the port is missing; write HOST:PORT, such as 127.0.0.1:2181 or [::1]:2181");
  EXPECT_EQ(of({"--log-dir", {"/a"}}), "log_dir is for what is kept in a directory: give --data, too");
  EXPECT_EQ(of({"--tls-cert", {"/a"}}), "tls_cert needs its key: give --tls-key, too");
  EXPECT_EQ(of({"--tls-key", {"/a"}}), "tls_key needs its certificate: give --tls-cert, too");
  EXPECT_EQ(of({"--listen-tls", {"[::1]:1"}}), "listening with TLS needs a certificate: give --tls-cert and --tls-key");
}

TEST_F(ServerConfigTest, the_least_session_timeout_is_not_more_than_the_most) {
  EXPECT_EQ(
      error("a.yaml", "tick_time: 1s\nmin_session_timeout: 21s\n"),
      "min_session_timeout is 21s (a.yaml:2) and max_session_timeout 20s (default): the least must not be more than "
      "the most");
  EXPECT_EQ(error("a.yaml", "tick_time: 1s\nmin_session_timeout: 20s\n"), "fine");
}

TEST_F(ServerConfigTest, listening_wider_without_tls_or_a_login_is_warned_of) {
  const std::string open = "warning: 0.0.0.0:1 can be reached from other machines and ";
  const auto users = write("users", kBob);
  const GivenOption wide{"--listen", {"0.0.0.0:1", "127.0.0.1:2"}};
  const GivenOption tls{"--listen-tls", {"0.0.0.0:1"}};
  const std::vector<GivenOption> pem{tls, {"--tls-cert", {"/c"}}, {"--tls-key", {"/k"}}};
  const auto notes_of = [](const std::vector<GivenOption>& given) { return load_server_config("", given)->notes; };

  EXPECT_EQ(notes_of({wide}),
            (Lines{open + "is not encrypted; prefer --listen-tls", open + "lets every client in; use --require-auth"}));
  EXPECT_EQ(notes_of({wide, {"--require-auth", {users}}}), Lines{open + "is not encrypted; prefer --listen-tls"});
  EXPECT_EQ(notes_of(pem), Lines{open + "lets every client in; use --require-auth or --tls-client-ca"});
  auto certified = pem;
  certified.push_back({"--tls-client-ca", {"/ca"}});
  EXPECT_EQ(notes_of(certified), Lines{});
  EXPECT_EQ(notes_of({{"--listen", {"[::1]:1"}}}), Lines{});
}

TEST_F(ServerConfigTest, certificates_that_nobody_uses_are_warned_of) {
  const auto config = load_server_config("", {{"--tls-client-ca", {"/ca"}}});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->notes,
            Lines{"warning: the certificates are not used, as nothing listens with TLS; give --listen-tls"});
}

TEST_F(ServerConfigTest, data_of_apache_zookeeper_is_refused_and_not_touched) {
  std::filesystem::create_directories(dir_ / "zk/version-2");
  const std::string why =
      " holds data of Apache ZooKeeper (version-2), whose format is not read here; nothing was touched; name "
      "another directory with ";
  const auto of = [&](const std::string& data, const std::string& log) {
    return without_dir(load_server_config("", {{"--data", {data}}, {"--log-dir", {log}}}).error());
  };
  EXPECT_EQ(of(dir_ / "zk", dir_ / "new"), "zk" + why + "--data");
  EXPECT_EQ(of(dir_ / "zk/version-2/", dir_ / "new"), "zk/version-2/" + why + "--data");
  EXPECT_EQ(of(dir_ / "new", dir_ / "zk"), "zk" + why + "--log-dir");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "new"));
}

TEST_F(ServerConfigTest, a_file_that_cannot_be_read_is_one_sentence) {
  EXPECT_EQ(without_dir(load_server_config(dir_ / "gone.yaml", {}).error()),
            "cannot read gone.yaml: No such file or directory");
  EXPECT_EQ(load_server_config(dir_.path(), {}).error(), "cannot read " + dir_.path().string() + ": Is a directory");
  EXPECT_EQ(error("a.yaml", std::string("data: a\0b\n", 10)), "a.yaml has a zero byte in it: that is not text");
  EXPECT_EQ(error("a.yaml", std::string((1 << 20) + 1, '#')),
            "a.yaml is larger than 1MiB: that is not a configuration");
}

TEST_F(ServerConfigTest, which_kind_of_file_it_is_shows_in_its_name_or_its_first_line) {
  EXPECT_EQ(load("conf", "# x=y\n\ndata: /a=b\n").options.data_dir, "/a=b");
  EXPECT_EQ(load("conf", "# x: y\n\ndataDir=/a:b\n").options.data_dir, "/a:b");
  EXPECT_EQ(load("zoo.cfg", "dataDir: /a\n").options.data_dir, "/a");
  EXPECT_EQ(load("zoo.properties", "dataDir /a\n").options.data_dir, "/a");
  EXPECT_EQ(error("a.yml", "data=/a\n"), "a.yml:1:1: write settings, one per line, such as tick_time: 2s");
}

TEST_F(ServerConfigTest, who_may_log_in_is_read_from_a_file_of_ones_own) {
  const auto of = [&](const std::string& text) {
    const auto config = load_server_config("", {{"--require-auth", {write("users", text)}}});
    return config ? "fine" : without_dir(config.error());
  };
  EXPECT_EQ(of(std::string("# staff\n\n  ") + kBob + "ann:abcdefghijklmnopqrstuvwxyz0=\r\n"), "fine");
  EXPECT_EQ(of(""), "users names no user: write user:base64(sha1(user:password)) lines");
  EXPECT_EQ(of(std::string(kBob) + "ann:s3cret\n"),
            "users:2: write user:base64(sha1(user:password)), the hash being 28 characters with one = at the end");
  EXPECT_EQ(without_dir(load_server_config("", {{"--require-auth", {dir_ / "gone"}}}).error()),
            "cannot read gone: No such file or directory");
}

TEST_F(ServerConfigTest, a_login_file_that_others_can_read_is_refused) {
  const auto users = write("users", kBob);
  using std::filesystem::perms;
  std::filesystem::permissions(users, perms::others_read, std::filesystem::perm_options::add);
  EXPECT_EQ(without_dir(load_server_config("", {{"--require-auth", {users}}}).error()),
            "users has passwords in it and is open to all users: chmod o= users");
}

}  // namespace
}  // namespace holdfast::cli
