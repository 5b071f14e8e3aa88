#include "net/client_tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "net/tls_trouble.h"

namespace holdfast::net {

ClientTls::Stamp ClientTls::stamp_of(const std::string& file) {
  struct stat status {};
  if (file.empty() || ::stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size, status.st_ctim, status.st_mtim};
}

bool ClientTls::same(const Stamps& a, const Stamps& b) {
  const auto time = [](const std::timespec& t) { return std::pair(t.tv_sec, t.tv_nsec); };
  const auto tie = [&](const Stamp& s) {
    return std::tuple(s.device, s.number, s.size, time(s.changed), time(s.modified));
  };
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](const Stamp& one, const Stamp& other) { return tie(one) == tie(other); });
}

ClientTls::Stamps ClientTls::stamps() const {
  return {stamp_of(options_.ca), stamp_of(options_.certificate), stamp_of(options_.key)};
}

tl::expected<TlsContext, std::string> ClientTls::read() const {
  if (options_.certificate.empty() != options_.key.empty()) {
    return tl::unexpected<std::string>("a TLS certificate needs its key, and a key its certificate");
  }
  auto context = TlsContext::make(TlsContext::Side::client);
  if (!context) return context;
  if (!options_.certificate.empty()) {
    if (const auto used = context->use_certificate(options_.certificate, options_.key); !used) {
      return tl::unexpected(used.error());
    }
  }
  if (!options_.verify) return context;
  SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER, &note_disbelief);
  if (!options_.ca.empty()) {
    if (const auto believed = context->believe(options_.ca, "CA"); !believed) return tl::unexpected(believed.error());
  } else if (SSL_CTX_set_default_verify_paths(context->get()) != 1) {
    return tl::unexpected(fmt::format("cannot use the authorities of the system for TLS: {}", tls_reason()));
  }
  return context;
}

tl::expected<void, std::string> ClientTls::refresh() {
  // Before the files are read, so that a change meanwhile is found the next time.
  const auto there = stamps();
  if (context_ && same(there, read_)) return {};
  auto context = read();
  if (context) {
    context_ = std::move(*context);
    read_ = there;
    return {};
  }
  if (!context_) return tl::unexpected(context.error());
  if (!same(std::exchange(failed_, there), there)) {
    base::log().warn("{}; connections go on with what was read before", context.error());
  }
  return {};
}

tl::expected<std::unique_ptr<TlsStream>, std::string> ClientTls::connect(const std::string& host) {
  if (const auto ready = refresh(); !ready) return tl::unexpected(ready.error());
  TlsStream::Handle ssl(SSL_new(context_->get()));
  if (!ssl) throw std::bad_alloc();
  SSL_set_connect_state(ssl.get());
  const auto& name = options_.server_name.empty() ? host : options_.server_name;
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl.get());
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // A greeting may only ask for a name, not for an address (RFC 6066). With it, a server that has several certificates can choose.
  const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) == 1;
  if (!is_address && (X509_VERIFY_PARAM_set1_host(expected, name.c_str(), name.size()) != 1 ||
                      SSL_set_tlsext_host_name(ssl.get(), name.c_str()) != 1)) {
    return tl::unexpected(fmt::format("\"{}\" cannot be the name of a server with TLS", name));
  }
  // Shared, because OpenSSL has a pointer to it, and a function can be copied.
  const auto wanted = std::make_shared<TlsExpectation>(TlsExpectation{.name = name,
                                                                      .ca = options_.ca,
                                                                      .certificate = options_.certificate,
                                                                      .name_is_given = !options_.server_name.empty()});
  SSL_set_app_data(ssl.get(), wanted.get());
  return std::make_unique<TlsStream>(std::move(ssl), [wanted](ssl_st* stream, unsigned long error) {
    return explain_tls_failure(stream, error, *wanted);
  });
}

}  // namespace holdfast::net
