#include "backend/zookeeper/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "holdfast/error.h"

namespace holdfast::zookeeper {
namespace {

using std::chrono::milliseconds;

// The protocol carries times as signed 32-bit milliseconds.
constexpr milliseconds kLongest{std::numeric_limits<std::int32_t>::max()};

[[noreturn]] void wrong(std::string sentence) { throw Error(Errc::invalid_argument, std::move(sentence)); }

void check_auth(const std::vector<Auth>& all) {
  for (const auto& auth : all) {
    if (auth.scheme.empty()) wrong("an auth entry has no scheme; use {\"digest\", \"user:password\"}");
    const auto colon = auth.credentials.find(':');
    if (auth.scheme == "digest" && (colon == 0 || colon == std::string::npos)) {
      wrong("digest credentials must have the form user:password");  // never shown: they are a secret
    }
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

void check(const ZooKeeperOptions& options) {
  if (const auto tick = options.ensemble_tick_time; tick < milliseconds(1) || tick > kLongest) {
    wrong(fmt::format("the ensemble's tick time is {} ms; it must be between 1 and {} ms", tick.count(),
                      kLongest.count()));
  }
  check_auth(options.auth);
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
}

}  // namespace holdfast::zookeeper
