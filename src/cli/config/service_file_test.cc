#include "cli/config/service_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "settings/client_keys.h"
#include "support/temp_dir.h"

namespace holdfast::cli {
namespace {

class ServiceFileTest : public ::testing::Test {
 protected:
  ServiceFileTest() {
    ::unsetenv("HOLDFAST_CONFIG");
    ::setenv("XDG_CONFIG_HOME", (dir_ / "config").c_str(), 1);
    std::filesystem::create_directories(dir_ / "config/holdfast");
    std::filesystem::create_directory(dir_ / "here");
    std::filesystem::current_path(dir_ / "here");
  }
  ~ServiceFileTest() override {
    std::filesystem::current_path("/");
    ::unsetenv("XDG_CONFIG_HOME");
    ::unsetenv("HOLDFAST_CONFIG");
  }

  std::string write(const std::string& name, std::string_view text, mode_t mode = 0600) const {
    const auto path = (dir_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }

  // Of a file with this text, without its directory; "fine" if there is none.
  std::string error(std::string_view text) const {
    const auto path = write("a.yaml", text);
    const auto loaded = load_service_file(path);
    if (loaded) return "fine";
    const auto at = loaded.error().find("a.yaml");
    return at == std::string::npos ? loaded.error() : loaded.error().substr(at);
  }

  const testing::TempDir dir_{"service"};
};

TEST_F(ServiceFileTest, has_every_setting_and_where_it_stands) {
  const auto path = write("a.yaml",
                          "# ours\nurl: zk://10.0.0.1:2181/app\nnamespace: billing\nsession_timeout: 10s\n"
                          "connect_timeout: 500ms\nauth: password\npurpose: \"nightly: billing\"\n");
  const auto file = load_service_file(path);
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->path, path);
  EXPECT_EQ(file->origin, "--config");
  EXPECT_EQ(file->find("url")->text, "zk://10.0.0.1:2181/app");
  EXPECT_EQ(file->find("url")->place.text(), path + ":2:6");
  EXPECT_EQ(file->find("session_timeout")->text, "10s");
  EXPECT_EQ(file->find("purpose")->text, "nightly: billing");
  EXPECT_EQ(file->find("auth")->text, (dir_ / "password").string()) << "beside the file that names it";
  EXPECT_EQ(load_service_file(write("b.yaml", "url: local\n"))->find("namespace"), nullptr);
  EXPECT_TRUE(load_service_file(write("empty.yaml", "# nothing yet\n"))->read.entries.empty());
}

TEST_F(ServiceFileTest, says_where_it_is_wrong_and_what_would_be_right) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"ulr: zk://a\n", "a.yaml:1:1: there is no setting \"ulr\"; did you mean url?"},
      {"url: local\nsesion-timeout: 3s\n",
       "a.yaml:2:1: there is no setting \"sesion-timeout\"; did you mean "
       "session_timeout?"},
      {"banana: 1\n",
       "a.yaml:1:1: there is no setting \"banana\"; there are url, namespace, session_timeout, "
       "connect_timeout, auth, sentinel_auth, tls, sasl, purpose, retry, locks, zk-lock"},
      {"tls: ca.pem\n", "a.yaml:1:6: tls is a map with ca, certificate, key, server_name, verify"},
      {"sasl: {usr: ann}\n", "a.yaml:1:8: there is no setting \"usr\"; did you mean user?"},
      {"listen: [a]\n",
       "a.yaml:1:1: listen is a setting of holdfast server, not of the commands that use one; the "
       "server reads its file with --config"},
      {"url:\n", "a.yaml:1:1: url has no value"},
      {"url: \"\"\n", "a.yaml:1:6: url is empty; write a value, or leave it out"},
      {"url: [a, b]\n", "a.yaml:1:6: url takes one value"},
      {"url: a\nurl: b\n", "a.yaml:2:1: \"url\" is there twice"},
      {"zk-lock: {address: a}\nurl: b\n", "a.yaml:2:6: url is there twice, the first time in line 1"},
      {"zk-lock: {adress: a}\n", "a.yaml:1:11: there is no setting \"adress\"; did you mean address?"},
      {"just text\n", "a.yaml:1:1: write settings, one per line, such as url: zk://10.0.0.1:2181"},
      {"a: {b: {c: {d: {e: 1}}}}\n", "a.yaml:1:16: settings are not that deep in each other"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
  EXPECT_EQ(error("url: [a\n").rfind("a.yaml:2:1: this is not YAML: ", 0), 0u) << error("url: [a\n");
  EXPECT_EQ(error("url: local:\n"),
            "a.yaml:1:11: this is not YAML: illegal map value; a text that ends with a colon needs quotes");
  EXPECT_EQ(error("\x1b[31m: 1\n").find('\x1b'), std::string::npos) << "it would act on the terminal";
}

TEST_F(ServiceFileTest, has_files_of_tls_and_sasl_beside_itself) {
  const auto file = load_service_file(write(
      "a.yaml",
      "url: zks://zk1.example\ntls: {ca: ca.pem, certificate: me.pem, key: /etc/me.key, server_name: zk, verify: no}\n"
      "sasl: {mechanism: DIGEST-MD5, user: ann, password_file: secret}\n"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->find("tls.ca")->text, (dir_ / "ca.pem").string());
  EXPECT_EQ(file->find("tls.certificate")->text, (dir_ / "me.pem").string());
  EXPECT_EQ(file->find("tls.key")->text, "/etc/me.key");
  EXPECT_EQ(file->find("tls.server_name")->text, "zk");
  EXPECT_EQ(file->find("tls.verify")->text, "no");
  EXPECT_EQ(file->find("sasl.user")->text, "ann");
  EXPECT_EQ(file->find("sasl.password_file")->text, (dir_ / "secret").string());
}

TEST_F(ServiceFileTest, local_needs_no_quotes_without_its_colon) {
  EXPECT_EQ(load_service_file(write("a.yaml", "url: local\n"))->find("url")->text, "local:");
  EXPECT_EQ(load_service_file(write("a.yaml", "url: 'local:'\n"))->find("url")->text, "local:");
}

TEST_F(ServiceFileTest, understands_what_java_services_call_it) {
  const auto file =
      load_service_file(write("a.yaml",
                              "zk-lock:\n  address: 10.0.0.1:2181,10.0.0.2:2181\n  connection-timeout: 3000\n"
                              "  session-timeout: 15000\n  retry-policy: retry-forever\n"
                              "  retry_forever: {retry-interval-ms: 100}\n"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->find("url")->text, "zk://10.0.0.1:2181,10.0.0.2:2181");
  EXPECT_EQ(file->find("connect_timeout")->text, "3000ms") << "whatever a plain number means elsewhere";
  EXPECT_EQ(file->find("session_timeout")->text, "15000ms");
  EXPECT_TRUE(file->notes.empty());
}

// Numbers that are in people's files: 17 days in milliseconds, and more than fits into any number.
TEST_F(ServiceFileTest, cuts_what_java_services_wait_for_ever_and_says_so) {
  const auto path = write("a.yaml",
                          "zk-lock:\n  address: 10.0.0.1:2181\n  connection-timeout: 1500000000\n"
                          "  session-timeout: 99999999999999999999\n");
  const auto file = load_service_file(path);
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->find("connect_timeout")->text, "1d");
  EXPECT_EQ(file->find("session_timeout")->text, "1d");
  EXPECT_EQ(file->notes,
            (std::vector{path + ":3:23: connection-timeout is 1500000000 ms, more than 1d; 1d is used",
                         path + ":4:20: session-timeout is 99999999999999999999 ms, more than 1d; 1d is used"}));
  EXPECT_EQ(load_service_file(write("a.yaml", "zk-lock: {session-timeout: 86400000}\n"))->notes.size(), 0U) << "1d";
}

TEST_F(ServiceFileTest, is_the_first_that_is_there) {
  // Nothing at all, unless this machine has a file of its own.
  if (!std::filesystem::exists("/etc/holdfast/config.yaml")) {
    EXPECT_EQ(load_service_file("")->path, "");
  }
  const auto users = write("config/holdfast/config.yaml", "namespace: users\n");
  EXPECT_EQ(load_service_file("")->path, users);
  const auto named = write("named.yaml", "namespace: named\n");
  ::setenv("HOLDFAST_CONFIG", named.c_str(), 1);
  EXPECT_EQ(load_service_file("")->origin, "HOLDFAST_CONFIG");
  const auto given = write("given.yaml", "namespace: given\n");
  EXPECT_EQ(load_service_file(given)->find("namespace")->text, "given");
}

TEST_F(ServiceFileTest, must_be_there_if_it_was_named) {
  const auto missing = (dir_ / "missing.yaml").string();
  EXPECT_EQ(load_service_file(missing).error(), "cannot read " + missing + ": No such file or directory");
}

TEST_F(ServiceFileTest, is_refused_if_others_may_have_written_it) {
  const auto path = write("config/holdfast/config.yaml", "namespace: theirs\n", 0666);
  const auto file = load_service_file("");
  ASSERT_FALSE(file) << "and the locks would be asked of local:";
  EXPECT_EQ(file.error(),
            path + " can be written by other users, so it may not be what you wrote; look at it and chmod go-w " +
                path + ", or name it with --config if it is");
  EXPECT_EQ(load_service_file(path)->find("namespace")->text, "theirs") << "it was named, so it is meant";
}

// On a disk that is not mounted, for one.
TEST_F(ServiceFileTest, that_is_there_but_cannot_be_reached_is_refused) {
  const auto path = dir_ / "config/holdfast/config.yaml";
  for (const auto& [target, why] : {std::pair{dir_ / "unmounted/config.yaml", "No such file or directory"},
                                    std::pair{path, "Too many levels of symbolic links"}}) {
    std::filesystem::remove(path);
    std::filesystem::create_symlink(target, path);
    const auto file = load_service_file("");
    ASSERT_FALSE(file) << "and the locks would be asked of local:";
    EXPECT_EQ(file.error(), "cannot look at " + path.string() + ": " + why +
                                "; make it readable, remove it, or name another one with --config");
  }
}

TEST_F(ServiceFileTest, of_the_current_directory_is_not_used_unless_it_is_named) {
  write("here/holdfast.yaml", "namespace: theirs\n");
  const auto users = write("config/holdfast/config.yaml", "namespace: users\n");
  auto file = load_service_file("");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, users);
  EXPECT_EQ(file->notes, std::vector<std::string>{
                             "./holdfast.yaml is not used, as it was not named; to use it: --config holdfast.yaml"});
  file = load_service_file("holdfast.yaml");
  EXPECT_EQ(file->find("namespace")->text, "theirs");
  EXPECT_TRUE(file->notes.empty());
}

TEST_F(ServiceFileTest, passwords_are_one_line_that_not_everybody_can_read) {
  EXPECT_EQ(*read_password_file(write("ok", "orders:secret: with a colon\n")), "orders:secret: with a colon");
  const auto open = write("open", "orders:secret\n", 0644);
  EXPECT_EQ(read_password_file(open).error(),
            open + " has a password in it and is open to all users: chmod o= " + open);
  for (const auto* text : {"", "orders", ":secret", "orders:secret\nmore:secrets\n"}) {
    const auto path = write("bad", text);
    EXPECT_EQ(read_password_file(path).error(), path + " is to be one line, user:password") << text;
  }
}

}  // namespace
}  // namespace holdfast::cli
