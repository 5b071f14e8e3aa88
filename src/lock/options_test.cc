#include "lock/options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "holdfast/error.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// The sentence with which they are refused; empty, and a failure, if they are not.
std::string refusal_of(const ClientOptions& options) {
  try {
    checked(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

bool says(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

constexpr milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};

TEST(Options, pass_as_they_are_by_default) {
  const auto options = checked({});
  EXPECT_EQ(options.session_timeout, 15s);
  EXPECT_EQ(options.connection_timeout, 5s);
  EXPECT_EQ(options.name_space, "");
}

TEST(Options, refuse_a_session_timeout_that_is_too_short_or_negative) {
  for (const auto timeout : {milliseconds::min(), milliseconds(-1), milliseconds(0), milliseconds(199)}) {
    EXPECT_EQ(refusal_of({.session_timeout = timeout}), "the session timeout is " + std::to_string(timeout.count()) +
                                                            " ms; it must be between 200 and 2147483647 ms");
  }
  EXPECT_EQ(checked({.session_timeout = 200ms}).session_timeout, 200ms);
}

TEST(Options, refuse_a_session_timeout_that_the_protocol_cannot_carry) {
  EXPECT_EQ(refusal_of({.session_timeout = kLongest + 1ms}),
            "the session timeout is 2147483648 ms; it must be between 200 and 2147483647 ms");
  EXPECT_EQ(checked({.session_timeout = kLongest}).session_timeout, kLongest);
}

TEST(Options, refuse_a_connection_timeout_of_zero_or_less_and_one_that_is_too_long) {
  EXPECT_EQ(refusal_of({.connection_timeout = 0ms}),
            "the connection timeout is 0 ms; it must be between 1 and 2147483647 ms");
  EXPECT_TRUE(says(refusal_of({.connection_timeout = -1ms}), "the connection timeout is -1 ms"));
  EXPECT_TRUE(says(refusal_of({.connection_timeout = milliseconds::max()}), "the connection timeout"));
  EXPECT_EQ(checked({.connection_timeout = 1ms}).connection_timeout, 1ms);
}

TEST(Options, refuse_a_tick_time_of_zero_or_less) {
  EXPECT_TRUE(says(refusal_of({.ensemble_tick_time = 0ms}), "the ensemble's tick time is 0 ms"));
  EXPECT_TRUE(says(refusal_of({.ensemble_tick_time = -2s}), "the ensemble's tick time is -2000 ms"));
}

TEST(Options, refuse_a_negative_time_of_a_hand_over) {
  EXPECT_EQ(refusal_of({.hand_over = {.count = 1, .time = -1ms}}),
            "the time bound of a hand-over is -1 ms; it must be between 0 and 2147483647 ms");
}

TEST(Options, allow_no_hand_over_at_all) {
  const auto options = checked({.hand_over = {.count = 0, .time = 0ms}});
  EXPECT_EQ(options.hand_over.count, 0u);
  EXPECT_EQ(options.hand_over.time, 0ms);
}

TEST(Options, bring_the_name_space_into_normal_form) {
  EXPECT_EQ(checked({.name_space = "/billing/eu"}).name_space, "billing/eu");
  EXPECT_EQ(checked({.name_space = "billing"}).name_space, "billing");
}

TEST(Options, refuse_a_bad_name_space_and_say_why) {
  EXPECT_EQ(refusal_of({.name_space = "billing//eu"}),
            "the name space: \"billing//eu\" is not a name: it has an empty part (//); "
            "a name is a path such as orders/123");
  for (const auto* bad : {"/", "a/", "..", "a\nb", "zookeeper"}) {
    EXPECT_TRUE(says(refusal_of({.name_space = bad}), "the name space: ")) << bad;
  }
}

TEST(Options, refuse_auth_without_a_scheme) {
  const auto sentence = refusal_of({.auth = {{"", "user:hunter2"}}});
  EXPECT_TRUE(says(sentence, "an auth entry has no scheme")) << sentence;
  EXPECT_FALSE(says(sentence, "hunter2")) << sentence;
}

TEST(Options, refuse_digest_credentials_without_a_user_or_a_colon_and_never_show_them) {
  for (const auto* credentials : {"hunter2", ":hunter2"}) {
    const auto sentence = refusal_of({.auth = {{"digest", credentials}}});
    EXPECT_EQ(sentence, "digest credentials must have the form user:password");
  }
  EXPECT_EQ(refusal_of({.auth = {{"digest", ""}}}), "digest credentials must have the form user:password");
}

TEST(Options, refuse_any_bad_auth_entry_not_only_the_first) {
  EXPECT_TRUE(says(refusal_of({.auth = {{"digest", "user:password"}, {"digest", "nobody"}}}), "user:password"));
}

TEST(Options, allow_auth_of_any_scheme_with_its_own_form) {
  EXPECT_EQ(checked({.auth = {{"digest", "user:pass:word"}}}).auth.size(), 1u);
  EXPECT_EQ(checked({.auth = {{"sasl", "no colon"}}}).auth.size(), 1u);
}

TEST(Options, refuse_an_acl_scheme_that_zookeeper_does_not_know) {
  EXPECT_EQ(refusal_of({.acl = {{"word", "anyone", 31}}}),
            "\"word\" is not an ACL scheme; world, auth, digest, ip, x509 and sasl are");
  EXPECT_TRUE(says(refusal_of({.acl = {{"", "anyone", 31}}}), "is not an ACL scheme"));
}

TEST(Options, allow_every_acl_scheme_that_zookeeper_knows) {
  for (const auto* scheme : {"world", "auth", "digest", "ip", "x509", "sasl"}) {
    EXPECT_EQ(checked({.auth = {{"digest", "user:password"}}, .acl = {{scheme, "", 31}}}).acl.size(), 1u) << scheme;
  }
}

TEST(Options, refuse_permissions_that_are_no_sum_of_zookeepers_bits) {
  for (const unsigned permissions : {0U, 32U, 33U, 4'294'967'295U}) {
    EXPECT_EQ(refusal_of({.acl = {{"world", "anyone", permissions}}}),
              "the permissions of an ACL entry are " + std::to_string(permissions) +
                  "; they must be a sum of 1 read, 2 write, 4 create, 8 delete, 16 admin");
  }
  for (const unsigned permissions : {1U, 31U}) {
    EXPECT_EQ(checked({.acl = {{"world", "anyone", permissions}}}).acl.front().permissions, permissions);
  }
}

TEST(Options, refuse_the_acl_scheme_auth_without_any_auth) {
  EXPECT_EQ(refusal_of({.acl = {{"auth", "", 31}}}), "an ACL entry has the scheme auth, but there is no auth");
}

TEST(Options, refuse_a_program_whose_name_is_too_long) {
  EXPECT_EQ(refusal_of({.program = std::string(257, 'x')}),
            "the program's name has 257 bytes; at most 256 are allowed");
}

TEST(Options, refuse_a_purpose_that_is_too_long) {
  EXPECT_EQ(refusal_of({.purpose = std::string(257, 'x')}), "the purpose has 257 bytes; at most 256 are allowed");
  EXPECT_EQ(checked({.purpose = std::string(256, 'x')}).purpose.size(), 256u);
}

TEST(Options, refuse_a_login_by_sasl_that_cannot_work) {
  EXPECT_EQ(refusal_of({.sasl = {.mechanism = "PLAIN"}}),
            "\"PLAIN\" is not a mechanism of SASL here; DIGEST-MD5 and GSSAPI are");
  EXPECT_EQ(refusal_of({.sasl = {.mechanism = "DIGEST-MD5", .user = "ann"}}),
            "a login by DIGEST-MD5 needs a user and a file with the password: sasl.user and sasl.password_file");
  EXPECT_TRUE(says(refusal_of({.sasl = {.user = "ann"}}), "has no mechanism"));
  EXPECT_EQ(checked({.sasl = {.mechanism = "GSSAPI"}}).sasl.service, "zookeeper");
}

}  // namespace
}  // namespace holdfast::lock
