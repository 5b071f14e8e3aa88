// tls_options.h -- which certificate a client expects of its server, and which one it shows.
#pragma once

#include <string>

#include "holdfast/language.h"

namespace holdfast {

// For zks:// URLs; TLS 1.2 or newer. With another URL of ZooKeeper they are refused, so that nothing travels as plain text by mistake. Files
// are PEM. A file that has changed is read again for the next connection, without a restart.
//
// Example:
//
//   holdfast::ClientOptions options{.tls = {.ca = "/etc/holdfast/ca.pem"}};
//   auto client = holdfast::Client::connect("zks://db1.example.com:2281", options);
//
// Errors: a file that cannot be used is invalid_argument, at connect; a server that is not trusted counts as one that cannot be reached, and
// the message says why.
struct TlsOptions {
  // The authorities whose servers are trusted; one file may have several. Empty: those of the system.
  std::string ca{};
  // What the client shows to a server that asks for a certificate; both or neither. A key with a passphrase is refused.
  std::string certificate{};
  std::string key{};
  // The name that the server's certificate must have. Empty: the host as in the URL, a name or an address.
  std::string server_name{};
  // False: every server is trusted, so that a machine on the way can read and change what is sent. Only for trying things out.
  bool verify = true;

  bool operator==(const TlsOptions&) const = default;
};

}  // namespace holdfast
