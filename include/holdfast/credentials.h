// credentials.h -- how a client shows a server who it is, and how it knows the server.
#pragma once

#include <string>

#include "holdfast/language.h"

namespace holdfast {

// TLS 1.2 or newer, for zks:// URLs. Files are PEM, and are read again when they have changed: for the next connection, without a restart.
struct TlsOptions {
  // The authorities whose servers are believed; several may stand in one file. Empty: those of the system.
  std::string ca{};
  // What the client shows a server that asks for a certificate; both or neither. A key with a passphrase is refused.
  std::string certificate{};
  std::string key{};
  // The name that the server's certificate must have. Empty: the host, as the URL has it, a name or an address.
  std::string server_name{};
  // False: any server is believed, so that a machine on the way can read and change what is said. For trying things out.
  bool verify = true;

  bool operator==(const TlsOptions&) const = default;
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

}  // namespace holdfast
