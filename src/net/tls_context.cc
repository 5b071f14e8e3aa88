#include "net/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cctype>
#include <system_error>

namespace holdfast::net {
namespace {

tl::unexpected<std::string> cannot(std::string_view what, std::string_view file) {
  return tl::unexpected(fmt::format("cannot use the TLS {} in {}: {}", what, file, tls_reason()));
}

// A key with a passphrase is refused. OpenSSL would ask for it on the terminal, where no operator may be.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

// The first error of the queue is the cause of the others.
std::string tls_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  const char* text = ERR_SYSTEM_ERROR(code) ? nullptr : ERR_reason_error_string(code);
  std::string why = ERR_SYSTEM_ERROR(code) ? std::generic_category().message(ERR_GET_REASON(code))
                    : text != nullptr      ? text
                                           : fmt::format("error {:x}", code);
  if (!why.empty()) why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
  return why;
}

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

tl::expected<TlsContext, std::string> TlsContext::make(Side side) {
  // OpenSSL would clean up at exit(), while a client in a static object still uses it.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  ERR_clear_error();
  Handle handle(SSL_CTX_new(side == Side::server ? TLS_server_method() : TLS_client_method()));
  if (!handle) return tl::unexpected(fmt::format("cannot set up TLS: {}", tls_reason()));
  SSL_CTX* context = handle.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // With renegotiation the other side can make this one compute for nothing.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  // Connections of this protocol last. Resuming a TLS session would save little, and would skip the check of the certificate.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // So that ten thousand idle connections do not keep 32 KiB of buffers each.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  return TlsContext(std::move(handle));
}

tl::expected<void, std::string> TlsContext::use_certificate(const std::string& certificate, const std::string& key) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(get(), certificate.c_str()) != 1) return cannot("certificate", certificate);
  if (SSL_CTX_use_PrivateKey_file(get(), key.c_str(), SSL_FILETYPE_PEM) != 1) return cannot("key", key);
  if (SSL_CTX_check_private_key(get()) != 1) return cannot("key", key);
  return {};
}

tl::expected<void, std::string> TlsContext::believe(const std::string& authorities, std::string_view called) {
  ERR_clear_error();
  if (SSL_CTX_load_verify_file(get(), authorities.c_str()) != 1) return cannot(called, authorities);
  return {};
}

}  // namespace holdfast::net
