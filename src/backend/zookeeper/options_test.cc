#include "backend/zookeeper/options.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;

// The sentence with which they are refused; empty, and a failure, if they are not.
std::string refusal_of(const ZooKeeperOptions& options) {
  try {
    check(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

bool says(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

TEST(ZooKeeperOptions, pass_by_default) { EXPECT_NO_THROW(check({})); }

TEST(ZooKeeperOptions, refuse_a_tick_time_of_zero_or_less) {
  EXPECT_TRUE(says(refusal_of({.ensemble_tick_time = 0ms}), "the ensemble's tick time is 0 ms"));
  EXPECT_TRUE(says(refusal_of({.ensemble_tick_time = -2s}), "the ensemble's tick time is -2000 ms"));
}

TEST(ZooKeeperOptions, refuse_auth_without_a_scheme) {
  const auto sentence = refusal_of({.auth = {{"", "user:hunter2"}}});
  EXPECT_TRUE(says(sentence, "an auth entry has no scheme")) << sentence;
  EXPECT_FALSE(says(sentence, "hunter2")) << sentence;
}

TEST(ZooKeeperOptions, refuse_digest_credentials_without_a_user_or_a_colon_and_never_show_them) {
  for (const auto* credentials : {"hunter2", ":hunter2"}) {
    const auto sentence = refusal_of({.auth = {{"digest", credentials}}});
    EXPECT_EQ(sentence, "digest credentials must have the form user:password");
  }
  EXPECT_EQ(refusal_of({.auth = {{"digest", ""}}}), "digest credentials must have the form user:password");
}

TEST(ZooKeeperOptions, refuse_any_bad_auth_entry_not_only_the_first) {
  EXPECT_TRUE(says(refusal_of({.auth = {{"digest", "user:password"}, {"digest", "nobody"}}}), "user:password"));
}

TEST(ZooKeeperOptions, allow_auth_of_any_scheme_with_its_own_form) {
  EXPECT_NO_THROW(check({.auth = {{"digest", "user:pass:word"}}}));
  EXPECT_NO_THROW(check({.auth = {{"sasl", "no colon"}}}));
}

TEST(ZooKeeperOptions, refuse_an_acl_scheme_that_zookeeper_does_not_know) {
  EXPECT_EQ(refusal_of({.acl = {{"word", "anyone", 31}}}),
            "\"word\" is not an ACL scheme; world, auth, digest, ip, x509 and sasl are");
  EXPECT_TRUE(says(refusal_of({.acl = {{"", "anyone", 31}}}), "is not an ACL scheme"));
}

TEST(ZooKeeperOptions, allow_every_acl_scheme_that_zookeeper_knows) {
  for (const auto* scheme : {"world", "auth", "digest", "ip", "x509", "sasl"}) {
    EXPECT_NO_THROW(check({.auth = {{"digest", "user:password"}}, .acl = {{scheme, "", 31}}})) << scheme;
  }
}

TEST(ZooKeeperOptions, refuse_permissions_that_are_no_sum_of_zookeepers_bits) {
  for (const unsigned permissions : {0U, 32U, 33U, 4'294'967'295U}) {
    EXPECT_EQ(refusal_of({.acl = {{"world", "anyone", permissions}}}),
              "the permissions of an ACL entry are " + std::to_string(permissions) +
                  "; they must be a sum of 1 read, 2 write, 4 create, 8 delete, 16 admin");
  }
  for (const unsigned permissions : {1U, 31U}) {
    EXPECT_NO_THROW(check({.acl = {{"world", "anyone", permissions}}})) << permissions;
  }
}

TEST(ZooKeeperOptions, refuse_the_acl_scheme_auth_without_any_auth) {
  EXPECT_EQ(refusal_of({.acl = {{"auth", "", 31}}}), "an ACL entry has the scheme auth, but there is no auth");
}

TEST(ZooKeeperOptions, refuse_a_login_by_sasl_that_cannot_work) {
  EXPECT_EQ(refusal_of({.sasl = {.mechanism = "PLAIN"}}),
            "\"PLAIN\" is not a mechanism of SASL here; DIGEST-MD5 and GSSAPI are");
  EXPECT_EQ(refusal_of({.sasl = {.mechanism = "DIGEST-MD5", .user = "ann"}}),
            "a login by DIGEST-MD5 needs a user and a file with the password: sasl.user and sasl.password_file");
  EXPECT_TRUE(says(refusal_of({.sasl = {.user = "ann"}}), "has no mechanism"));
  EXPECT_NO_THROW(check({.sasl = {.mechanism = "GSSAPI"}}));
}

}  // namespace
}  // namespace holdfast::zookeeper
