#include "server/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cctype>

#include "server/tls_stream.h"

namespace holdfast::server {
namespace {

// Why the last call failed, in OpenSSL's words or the system's. The first error of the queue is the cause of the others.
std::string reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const char* text = ERR_reason_error_string(code);
  return text != nullptr ? text : fmt::format("error {:x}", code);
}

tl::unexpected<std::string> cannot(std::string_view what, std::string_view file) {
  std::string why = reason();
  if (!why.empty()) why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
  return tl::unexpected(fmt::format("cannot use the TLS {} in {}: {}", what, file, why));
}

// A key behind a passphrase is refused. OpenSSL would ask the terminal for it, and a server has nobody there.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

tl::expected<std::shared_ptr<const TlsContext>, std::string> TlsContext::read(const Tls& files) {
  if (files.certificate.empty() || files.key.empty()) {
    return tl::unexpected<std::string>("listening with TLS needs a certificate and a key");
  }
  ERR_clear_error();
  Handle handle(SSL_CTX_new(TLS_server_method()));
  if (!handle) return tl::unexpected(fmt::format("cannot set up TLS: {}", reason()));
  SSL_CTX* context = handle.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // Renegotiation lets a client make us compute for nothing.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  // Sessions of this protocol last; taking up a TLS session again saves little, and would skip the check of the certificate.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // Ten thousand idle connections do not keep 32 KiB of buffers each.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);

  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return cannot("certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) return cannot("key", files.key);
  if (SSL_CTX_check_private_key(context) != 1) return cannot("key", files.key);
  if (!files.client_ca.empty()) {
    if (SSL_CTX_load_verify_file(context, files.client_ca.c_str()) != 1) return cannot("client CA", files.client_ca);
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(files.client_ca.c_str());
    if (names == nullptr) return cannot("client CA", files.client_ca);
    SSL_CTX_set_client_CA_list(context, names);  // takes them
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(handle)));
}

std::unique_ptr<TlsStream> TlsContext::accept() const { return std::make_unique<TlsStream>(handle_.get()); }

}  // namespace holdfast::server
