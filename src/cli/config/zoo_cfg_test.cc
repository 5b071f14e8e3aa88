#include "cli/config/zoo_cfg.h"

#include "cli/config_file.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ZooCfg : public ConfigFile {
 protected:
  ServerConfig of(const std::string& text, const std::vector<GivenOption>& given = {}) const {
    return load("zoo.cfg", "dataDir=/zk\n" + text, given);
  }
  std::string error_of(const std::string& text, const std::vector<GivenOption>& given = {}) const {
    return error("zoo.cfg", "dataDir=/zk\n" + text, given);
  }
};

TEST_F(ZooCfg, honours_the_settings_of_a_single_server) {
  const auto config =
      of("tickTime=1000\ndataLogDir=/log\nclientPort=2182\nclientPortAddress=127.0.0.2\n"
         "maxClientCnxns=7\nminSessionTimeout=100\nmaxSessionTimeout=90000\nsnapCount=5000\n"
         "autopurge.snapRetainCount=9\n4lw.commands.whitelist=ruok, mntr\njute.maxbuffer=0x1fffff\n"
         "extendedTypesEnabled=true\nznode.container.checkIntervalMs=500\nforceSync=no\n"
         "DigestAuthenticationProvider.superDigest=super:2ahk0AqdFR1jfzPlt1QZP+tZe7E=\n");
  const auto& options = config.options;
  EXPECT_EQ(options.data_dir, "/zk");
  EXPECT_EQ(options.log_dir, "/log");
  EXPECT_EQ(options.tick_time, 1s);
  ASSERT_EQ(options.listen.size(), 1U);
  EXPECT_EQ(show_listen(options.listen[0]), "127.0.0.2:2182");
  EXPECT_EQ(options.limits.connections_per_address, 7U);
  EXPECT_EQ(options.min_session_timeout, 100ms);
  EXPECT_EQ(options.max_session_timeout, 90s);
  EXPECT_EQ(options.snapshot_after, 5000U);
  EXPECT_EQ(options.snapshots_kept, 9U);
  EXPECT_EQ(options.four_letter_words, (Lines{"ruok", "mntr"}));
  EXPECT_EQ(options.limits.frame, 0x1fffffU);
  EXPECT_TRUE(options.ttl_nodes);
  EXPECT_EQ(options.container_check_interval, 500ms);
  EXPECT_EQ(options.durability, Durability::process);
  EXPECT_EQ(options.super_digest, "super:2ahk0AqdFR1jfzPlt1QZP+tZe7E=");
  EXPECT_EQ(config.notes, Lines{});
  EXPECT_EQ(printed(config, "tick_time"), "tick_time: 1s # zoo.cfg:2 tickTime");
}

TEST_F(ZooCfg, system_properties_have_their_prefix_or_not) {
  const auto config =
      of("zookeeper.snapCount=77\nzookeeper.extendedTypesEnabled=true\nzookeeper.4lw.commands.whitelist=*\n"
         "zookeeper.DigestAuthenticationProvider.superDigest=super:2ahk0AqdFR1jfzPlt1QZP+tZe7E=\n");
  EXPECT_EQ(config.options.snapshot_after, 77U);
  EXPECT_TRUE(config.options.ttl_nodes);
  EXPECT_EQ(config.options.four_letter_words, Lines{"*"});
  EXPECT_FALSE(config.options.super_digest.empty());
  EXPECT_EQ(config.notes, Lines{});
}

TEST_F(ZooCfg, a_port_without_an_address_is_for_loopback_and_that_is_said) {
  const auto config = of("clientPort=2181\n");
  ASSERT_EQ(config.options.listen.size(), 1U);
  EXPECT_EQ(show_listen(config.options.listen[0]), "127.0.0.1:2181");
  EXPECT_EQ(notes(config),
            Lines{"zoo.cfg:2: clientPort has no clientPortAddress: listening on 127.0.0.1 only, where ZooKeeper "
                  "would listen on every address; write clientPortAddress=0.0.0.0 for that"});
  EXPECT_EQ(of("clientPort=2181\n", {{"--listen", {"127.0.0.1:5"}}}).notes, Lines{})
      << "nothing to say about an option";
}

TEST_F(ZooCfg, every_address_is_listened_on_if_it_says_so_and_warned_of) {
  const auto config = of("clientPort=2181\nclientPortAddress=0.0.0.0\n");
  EXPECT_EQ(show_listen(config.options.listen.at(0)), "0.0.0.0:2181");
  EXPECT_EQ(config.notes.size(), 2U);
  EXPECT_EQ(show_listen(of("clientPort=2181\nclientPortAddress=::1\n").options.listen.at(0)), "[::1]:2181");
}

TEST_F(ZooCfg, the_defaults_are_zookeepers_where_they_differ) {
  const auto config = of("");
  EXPECT_EQ(config.options.tick_time, 3s);
  EXPECT_EQ(printed(config, "tick_time"), "tick_time: 3s # ZooKeeper's default");
  EXPECT_EQ(printed(config, "max_session_timeout"), "max_session_timeout: 1m # default");
  EXPECT_EQ(of("minSessionTimeout=-1\n").options.min_session_timeout, 0ms);
  EXPECT_EQ(of("minSessionTimeout=0\n").options.min_session_timeout, 1ms);
  EXPECT_EQ(of("maxClientCnxns=0\n").options.limits.connections_per_address, 0U);
}

TEST_F(ZooCfg, says_in_one_line_each_what_it_ignores) {
  const auto config =
      of("initLimit=10\nsyncLimit=5\nadmin.serverPort=8080\nmetricsProvider.className=a.B\n"
         "quorum.auth.enableSasl=false\nssl.quorum.keyStore.location=/a.jks\nfoo=bar\n");
  const std::string ensembles = " is ignored: it is for ensembles, this is a single server";
  EXPECT_EQ(
      notes(config),
      (Lines{
          "zoo.cfg:2: initLimit" + ensembles, "zoo.cfg:3: syncLimit" + ensembles,
          "zoo.cfg:4: admin.serverPort is ignored: there is no admin server; the four-letter words answer its "
          "questions",
          "zoo.cfg:5: metricsProvider.className is ignored: there is no such provider; the four-letter word mntr has "
          "the metrics",
          "zoo.cfg:6: quorum.auth.enableSasl" + ensembles, "zoo.cfg:7: ssl.quorum.keyStore.location" + ensembles,
          "zoo.cfg:8: foo is ignored: it is not known here"}));
}

TEST_F(ZooCfg, ensembles_are_refused_with_advice) {
  for (const std::string line : {"server.1=a:2888:3888", "group.1=1:2", "weight.1=1", "dynamicConfigFile=/a",
                                 "standaloneEnabled=false", "peerType=observer"}) {
    EXPECT_EQ(
        error_of("# a comment\n" + line + "\n"),
        "zoo.cfg:3: " + line.substr(0, line.find('=')) +
            " describes an ensemble, and this is a single server; run Apache ZooKeeper for an ensemble, clients stay "
            "the same (for one server, take the line out)");
  }
}

TEST_F(ZooCfg, bad_values_have_file_line_and_what_would_be_right) {
  const std::vector<std::pair<std::string, std::string>> all{
      {"tickTime=2s", "tickTime is \"2s\": write a whole number of milliseconds"},
      {"tickTime=", "tickTime is \"\": write a whole number of milliseconds"},
      {"tickTime=-1", "tickTime is \"-1\": write a whole number of milliseconds"},
      {"tickTime=99999999999", "tickTime is \"99999999999\": write a whole number of milliseconds"},
      {"tickTime=0",
       "tickTime is \"0ms\": write a time from 1ms to 1h, such as 2s or 500ms, here as a whole number of milliseconds"},
      {"minSessionTimeout=-2", "minSessionTimeout is \"-2\": write a whole number of milliseconds"},
      {"clientPort=zk", "clientPort is \"zk\": write a port up to 65535, such as 2181"},
      {"clientPort=65536", "clientPort is \"65536\": write a port up to 65535, such as 2181"},
      {"clientPort=-1", "clientPort is \"-1\": write a port up to 65535, such as 2181"},
      {"clientPortAddress=::1", "clientPortAddress is \"::1\": write clientPort, too"},
      {"secureClientPortAddress=::1", "secureClientPortAddress is \"::1\": write secureClientPort, too"},
      {"snapCount=1", "snapCount is \"1\": write a whole number from 2 to 1000000000"},
      {"snapCount=many", "snapCount is \"many\": write a whole number"},
      {"jute.maxbuffer=1",
       "jute.maxbuffer is \"1\": write a size from 64B to 1GiB, such as 1MiB or 64KiB; a plain number is bytes"},
      {"extendedTypesEnabled=1", "extendedTypesEnabled is \"1\": write true or false"},
      {"autopurge.snapRetainCount=x", "autopurge.snapRetainCount is \"x\": write a whole number from 3"},
      {"autopurge.purgeInterval=x",
       "autopurge.purgeInterval is \"x\": write a whole number of hours, 0 to keep every snapshot"},
      {"dataLogDir=", "dataLogDir is \"\": write a path, or leave the setting out"},
      {"DigestAuthenticationProvider.superDigest=super:s3cret",
       "DigestAuthenticationProvider.superDigest is not in order: write user:base64(sha1(user:password)), the hash "
       "being 28 "
       "characters with one = at the end"},
      {"a=\\u12", "a \\u needs four hexadecimal digits of a character"},
  };
  for (const auto& [line, why] : all) EXPECT_EQ(error_of("\n" + line + "\n"), "zoo.cfg:3: " + why) << line;
}

TEST_F(ZooCfg, a_bad_address_is_blamed_on_its_own_line) {
  EXPECT_EQ(
      error_of("clientPort=1\nclientPortAddress=a b\n"),
      "zoo.cfg:3: clientPortAddress is \"a b:1\": the host is neither an address nor a name; write HOST:PORT, such as "
      "127.0.0.1:2181 or [::1]:2181");
}

TEST_F(ZooCfg, without_a_data_directory_it_does_not_start_in_memory) {
  EXPECT_EQ(error("zoo.cfg", "clientPort=2181\n"), "zoo.cfg: dataDir is missing; write one, or give --data DIR");
  EXPECT_EQ(error("zoo.cfg", "clientPort=2181\n", {{"--data", {"/a"}}}), "fine");
}

TEST_F(ZooCfg, the_last_of_two_lines_counts_and_that_is_said) {
  const auto config = of("snapCount=5\nzookeeper.snapCount=6\n");
  EXPECT_EQ(config.options.snapshot_after, 6U);
  EXPECT_EQ(notes(config), Lines{"zoo.cfg:3: snapCount is there twice; line 2 does not count"});
}

TEST_F(ZooCfg, purging_is_as_zookeeper_has_it) {
  const auto low = of("autopurge.snapRetainCount=1\n");
  EXPECT_EQ(low.options.snapshots_kept, 3U);
  EXPECT_EQ(notes(low), Lines{"zoo.cfg:2: autopurge.snapRetainCount is raised to 3, as ZooKeeper does"});
  EXPECT_GE(of("autopurge.snapRetainCount=5\nautopurge.purgeInterval=0\n").options.snapshots_kept, 1'000'000U);
  EXPECT_EQ(of("autopurge.purgeInterval=1\nautopurge.snapRetainCount=5\n").options.snapshots_kept, 5U);
}

TEST_F(ZooCfg, four_letter_words_that_are_not_answered_are_said) {
  const auto config = of("4lw.commands.whitelist=ruok, gtmk ,nope,\n");
  EXPECT_EQ(config.options.four_letter_words, Lines{"ruok"});
  EXPECT_EQ(notes(config), (Lines{"zoo.cfg:2: the four-letter word \"gtmk\" is ignored: it is not answered here",
                                  "zoo.cfg:2: the four-letter word \"nope\" is ignored: it is not answered here"}));
}

TEST_F(ZooCfg, only_no_turns_syncing_off) {
  EXPECT_EQ(of("forceSync=no\n").options.durability, Durability::process);
  for (const auto* text : {"forceSync=yes\n", "forceSync=false\n", "forceSync=No\n"}) {
    EXPECT_EQ(of(text).options.durability, Durability::power) << text;
  }
}

TEST_F(ZooCfg, pem_stores_are_certificate_key_and_client_ca) {
  const auto config =
      of("secureClientPort=2281\nsecureClientPortAddress=127.0.0.1\nssl.keyStore.location=/s/key.pem\n"
         "ssl.trustStore.location=/s/trust.store\nssl.trustStore.type=PEM\n");
  ASSERT_EQ(config.options.listen.size(), 1U) << "no clientPort, so TLS only";
  EXPECT_EQ(show_listen(config.options.listen[0]), "127.0.0.1:2281");
  EXPECT_TRUE(config.options.listen[0].tls);
  EXPECT_EQ(config.options.tls.certificate, "/s/key.pem");
  EXPECT_EQ(config.options.tls.key, "/s/key.pem");
  EXPECT_EQ(config.options.tls.client_ca, "/s/trust.store");
  EXPECT_EQ(config.notes, Lines{});
}

TEST_F(ZooCfg, javas_key_stores_are_refused_unless_the_command_line_has_pem) {
  const std::string jks =
      "secureClientPort=2281\nsecureClientPortAddress=::1\nssl.keyStore.location=/k.jks\nssl.clientAuth=none\n";
  EXPECT_EQ(
      error_of(jks),
      "zoo.cfg:4: ssl.keyStore.location is \"/k.jks\", which is not PEM and is not read here; convert it (keytool "
      "-importkeystore to PKCS12, then openssl pkcs12 -nodes) or give --tls-cert and --tls-key; see docs/server.md");
  const auto config = of(jks, {{"--tls-cert", {"/c"}}, {"--tls-key", {"/k"}}});
  EXPECT_EQ(config.options.tls.certificate, "/c");
  EXPECT_EQ(config.options.tls.client_ca, "");
}

TEST_F(ZooCfg, asking_for_client_certificates_without_an_authority_is_refused) {
  const std::string tls = "secureClientPort=2281\nsecureClientPortAddress=::1\nssl.keyStore.location=/k.pem\n";
  EXPECT_EQ(
      error_of(tls),
      "zoo.cfg: secureClientPort asks clients for certificates, but ssl.trustStore.location does not say whose; name a "
      "PEM file there, or write ssl.clientAuth=none");
  EXPECT_EQ(error_of(tls + "ssl.clientAuth=none\n"), "fine");
  EXPECT_EQ(error_of(tls, {{"--tls-client-ca", {"/ca"}}}), "fine");
  EXPECT_NE(error_of(tls + "ssl.trustStore.location=/t.jks\n")
                .find("zoo.cfg:5: ssl.trustStore.location is \"/t.jks\", which is not"),
            std::string::npos);
  EXPECT_EQ(error_of(tls + "ssl.clientAuth=perhaps\n"),
            "zoo.cfg:5: ssl.clientAuth is \"perhaps\": write need, want or none");
}

TEST_F(ZooCfg, stores_without_a_secure_port_do_not_matter) {
  EXPECT_EQ(error_of("ssl.keyStore.location=/k.jks\nssl.trustStore.location=/t.jks\n"), "fine");
}

TEST_F(ZooCfg, what_keeps_clients_out_is_not_ignored) {
  for (const std::string key : {"sessionRequireClientSASLAuth", "enforce.auth.enabled"}) {
    EXPECT_EQ(error_of(key + "=true\n"),
              "zoo.cfg:2: " + key +
                  " keeps out clients without a login of a kind that is not offered here; give "
                  "--require-auth FILE, or take the line out");
    EXPECT_EQ(error_of(key + "=false\n"), "fine");
  }
}

}  // namespace
}  // namespace holdfast::cli
