// zookeeper_options.h -- settings that only services with ZooKeeper's protocol have: zk://, zks://, and the engines of local: and embedded:. Other
// stores do not look at them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

// Who may do what with the nodes we create. ZooKeeper's schemes and permission bits.
struct AclEntry {
  std::string scheme;  // "world", "auth", "digest", "ip"
  std::string id;      // "anyone", "", "user:hash", "10.0.0.0/8"
  std::uint32_t permissions = 31;
};

// An identity that is proven on every connection before anything else is asked.
struct Auth {
  std::string scheme;       // "digest"
  std::string credentials;  // "user:password"
};

// A login by SASL, over a connection with TLS or without: ZooKeeper's users of JAAS, and Kerberos. It happens on every connection before
// anything else is asked; nodes can then have permissions with the scheme "sasl".
struct SaslOptions {
  // "DIGEST-MD5" or "GSSAPI". Empty: no login.
  std::string mechanism{};
  // Of DIGEST-MD5. GSSAPI takes the ticket of the credential cache (kinit, KRB5CCNAME).
  std::string user{};
  // A file whose first line is the password; refused if every user of the machine may read or write it. Read for every login.
  std::string password_file{};
  // The first part of the server's principal, service/host.
  std::string service = "zookeeper";

  bool operator==(const SaslOptions&) const = default;
};

struct ZooKeeperOptions {
  std::vector<Auth> auth{};
  // Of every node that we create. Empty: world:anyone may do everything, as Curator does by default.
  std::vector<AclEntry> acl{};
  // For zk:// and zks:// only.
  SaslOptions sasl{};
  // tickTime of the ensemble's servers: must not be smaller than theirs. A follower reports the sessions it has heard to the
  // leader every half tick, so leases end that much earlier. Not used on a single server.
  std::chrono::milliseconds ensemble_tick_time{2'000};
};

}  // namespace holdfast
