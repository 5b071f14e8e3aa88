// tls_trouble.h -- why a TLS connection failed, and what to do about it.
#pragma once

#include <string>

struct ssl_st;             // OpenSSL's SSL
struct x509_store_ctx_st;  // OpenSSL's X509_STORE_CTX

namespace holdfast::net {

// What the client expects of the server, and why it does not trust it.
struct TlsExpectation {
  std::string name{};          // that the server's certificate must have
  std::string ca{};            // file; empty: the system's
  std::string certificate{};   // file of its own; empty: none
  bool name_is_given = false;  // by tls.server_name, not by the URL
  std::string disbelief{};     // why the server's certificate was not trusted
};

// For SSL_set_verify(): notes the first fault of a certificate in the TlsExpectation that is the app data of the SSL. When the handshake has
// failed, OpenSSL does not have the certificate any more.
int note_disbelief(int believed, x509_store_ctx_st* store);

// A clause such as "its certificate has expired on 2026-03-01; renew it on the server". `error`: the cause in OpenSSL's queue.
std::string explain_tls_failure(ssl_st* ssl, unsigned long error, const TlsExpectation& expected);

}  // namespace holdfast::net
