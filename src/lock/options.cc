#include "lock/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/name.h"
#include "base/text.h"
#include "holdfast/error.h"

namespace holdfast::lock {
namespace {

using std::chrono::milliseconds;

// The protocol carries timeouts as signed 32-bit milliseconds.
constexpr milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};
// A session that a busy machine cannot keep alive is no session.
constexpr milliseconds kShortestSession{200};
// A card is sent with every ticket and shown on one line.
constexpr std::size_t kMaxPurpose = 256;

[[noreturn]] void wrong(std::string sentence) { throw Error(Errc::invalid_argument, std::move(sentence)); }

void check_between(const char* what, milliseconds value, milliseconds low, milliseconds high) {
  if (value < low || value > high) {
    wrong(fmt::format("{} is {} ms; it must be between {} and {} ms", what, value.count(), low.count(), high.count()));
  }
}

void check_sasl(const SaslOptions& sasl) {
  if (sasl.mechanism.empty()) {
    if (!sasl.user.empty() || !sasl.password_file.empty()) {
      wrong("a login by SASL has no mechanism; write sasl.mechanism: DIGEST-MD5 or GSSAPI");
    }
    return;
  }
  if (sasl.mechanism != "DIGEST-MD5" && sasl.mechanism != "GSSAPI") {
    wrong(fmt::format("\"{}\" is not a mechanism of SASL here; DIGEST-MD5 and GSSAPI are",
                      base::printable(sasl.mechanism)));
  }
  if (sasl.mechanism == "DIGEST-MD5" && (sasl.user.empty() || sasl.password_file.empty())) {
    wrong("a login by DIGEST-MD5 needs a user and a file with the password: sasl.user and sasl.password_file");
  }
  if (sasl.service.empty()) wrong("sasl.service is empty; ZooKeeper's is zookeeper");
}

}  // namespace

ClientOptions checked(ClientOptions options) {
  check_between("the session timeout", options.session_timeout, kShortestSession, kLongest);
  check_between("the connection timeout", options.connection_timeout, milliseconds(1), kLongest);
  check_between("the ensemble's tick time", options.ensemble_tick_time, milliseconds(1), kLongest);
  check_between("the time bound of a hand-over", options.hand_over.time, milliseconds(0), kLongest);
  if (!options.name_space.empty()) {
    auto name_space = base::parse_name(options.name_space);
    if (!name_space) wrong("the name space: " + name_space.error());
    options.name_space = std::move(*name_space);
  }
  for (const auto& auth : options.auth) {
    if (auth.scheme.empty()) wrong("an auth entry has no scheme; use {\"digest\", \"user:password\"}");
    const auto colon = auth.credentials.find(':');
    if (auth.scheme == "digest" && (colon == 0 || colon == std::string::npos)) {
      wrong("digest credentials must have the form user:password");  // never shown: they are a secret
    }
  }
  check_sasl(options.sasl);
  constexpr std::array<std::string_view, 6> kSchemes{"world", "auth", "digest", "ip", "x509", "sasl"};
  for (const auto& entry : options.acl) {
    if (std::find(kSchemes.begin(), kSchemes.end(), entry.scheme) == kSchemes.end()) {
      wrong(fmt::format("\"{}\" is not an ACL scheme; world, auth, digest, ip, x509 and sasl are", entry.scheme));
    }
    if (entry.permissions == 0 || entry.permissions > 31) {
      wrong(fmt::format(
          "the permissions of an ACL entry are {}; they must be a sum of 1 read, 2 write, 4 create, 8 delete, "
          "16 admin",
          entry.permissions));
    }
    if (entry.scheme == "auth" && options.auth.empty() && options.sasl.mechanism.empty()) {
      wrong("an ACL entry has the scheme auth, but there is no auth");
    }
  }
  if (options.purpose.size() > kMaxPurpose) {
    wrong(fmt::format("the purpose has {} bytes; at most {} are allowed", options.purpose.size(), kMaxPurpose));
  }
  if (options.program.size() > kMaxPurpose) {
    wrong(fmt::format("the program's name has {} bytes; at most {} are allowed", options.program.size(), kMaxPurpose));
  }
  return options;
}

}  // namespace holdfast::lock
