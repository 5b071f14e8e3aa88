// tls_options.h -- how a client knows its server, and shows who it is, by certificates.
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

}  // namespace holdfast
