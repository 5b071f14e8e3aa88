// zookeeper_options.h -- settings for services that speak ZooKeeper's protocol: permissions and logins.
//
// For zk:// and zks://, and for the engines of local: and embedded:. Other stores ignore them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

// Who may do what with the nodes that the client creates. ZooKeeper's schemes and permission bits: 1 read, 2 write, 4 create, 8 delete, 16
// administer.
struct AclEntry {
  std::string scheme;  // "world", "auth", "digest", "ip"
  std::string id;      // "anyone", "", "user:hash", "10.0.0.0/8"
  std::uint32_t permissions = 31;
};

// An identity that the client proves on every connection, before any request.
struct Auth {
  std::string scheme;       // "digest"
  std::string credentials;  // "user:password"
};

// A login by SASL, with TLS or without: ZooKeeper's JAAS users, and Kerberos. It takes place on every connection, before any request. Nodes can
// then have permissions with the scheme "sasl".
struct SaslOptions {
  // "DIGEST-MD5" or "GSSAPI". Empty: no login.
  std::string mechanism{};
  // For DIGEST-MD5. GSSAPI uses the ticket in the credential cache (kinit, KRB5CCNAME).
  std::string user{};
  // A file whose first line is the password; refused if every user of the machine may read or write it. It is read for every login.
  std::string password_file{};
  // The first part of the server's principal, service/host.
  std::string service = "zookeeper";

  bool operator==(const SaslOptions&) const = default;
};

// Example:
//
//   const std::string login = "billing:secret";
//   holdfast::ClientOptions options{.zookeeper = {.auth = {{"digest", login}}, .acl = {{"auth", "", 31}}}};
//   auto client = holdfast::Client::connect("embedded:orders", options);
//
// Errors: an option that makes no sense is invalid_argument; a login or a password that the server does not accept is refused.
struct ZooKeeperOptions {
  std::vector<Auth> auth{};
  // The permissions of every node that the client creates. Empty: world:anyone may do everything, as with Curator.
  std::vector<AclEntry> acl{};
  // For zk:// and zks:// only.
  SaslOptions sasl{};
  // tickTime of the ensemble's servers; it must not be smaller than theirs. A follower tells the leader every half tick which sessions it has
  // heard, so leases end that much earlier. With a value that is too small, a holder that is cut off may learn too late that it has lost its
  // lock. Not used on a single server.
  std::chrono::milliseconds ensemble_tick_time{2'000};
};

}  // namespace holdfast
