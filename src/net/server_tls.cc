#include "net/server_tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace holdfast::net {

tl::expected<std::shared_ptr<const ServerTls>, std::string> ServerTls::read(const Tls& files) {
  if (files.certificate.empty() || files.key.empty()) {
    return tl::unexpected<std::string>("listening with TLS needs a certificate and a key");
  }
  auto context = TlsContext::make(TlsContext::Side::server);
  if (!context) return tl::unexpected(context.error());
  if (const auto used = context->use_certificate(files.certificate, files.key); !used) {
    return tl::unexpected(used.error());
  }
  if (!files.client_ca.empty()) {
    if (const auto read = context->believe(files.client_ca, "client CA"); !read) return tl::unexpected(read.error());
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(files.client_ca.c_str());
    if (names == nullptr) {
      return tl::unexpected(fmt::format("cannot use the TLS client CA in {}: {}", files.client_ca, tls_reason()));
    }
    SSL_CTX_set_client_CA_list(context->get(), names);  // takes them
    SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const ServerTls>(new ServerTls(std::move(*context)));
}

std::unique_ptr<TlsStream> ServerTls::accept() const {
  TlsStream::Handle ssl(SSL_new(context_.get()));
  if (ssl) SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsStream>(std::move(ssl));
}

}  // namespace holdfast::net
