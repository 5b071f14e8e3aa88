#include "net/tls_trouble.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace holdfast::net {
namespace {

// If a certificate has more names, the rest is left out.
constexpr std::size_t kMostNames = 4;

template <auto function>
struct Call {
  template <typename T>
  void operator()(T* object) const {
    function(object);
  }
};

std::string text_of(const ASN1_STRING* string) {
  const auto* data = reinterpret_cast<const char*>(ASN1_STRING_get0_data(string));
  return base::printable(std::string_view(data, static_cast<std::size_t>(ASN1_STRING_length(string))));
}

std::string address_of(const ASN1_OCTET_STRING* bytes) {
  const int size = ASN1_STRING_length(bytes);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = size == 4 ? AF_INET : AF_INET6;
  if (size != 4 && size != 16) return "?";
  return ::inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size()) != nullptr ? text.data() : "?";
}

// The names that a certificate is for.
std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, Call<GENERAL_NAMES_free>> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) names.push_back(text_of(name->d.dNSName));
    if (name->type == GEN_IPADD) names.push_back(address_of(name->d.iPAddress));
  }
  if (!names.empty()) return names;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  if (const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0) {
    names.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  }
  return names;
}

std::string day_of(const ASN1_TIME* time) {
  std::tm day{};
  if (ASN1_TIME_to_tm(time, &day) != 1) return "a day that cannot be read";
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

std::string wrong_name(const X509* certificate, const TlsExpectation& expected) {
  auto names = names_of(certificate);
  const bool more = names.size() > kMostNames;
  if (more) names.resize(kMostNames);
  const auto list = names.empty() ? "no host" : fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
  return fmt::format("its certificate is for {}, and not for {}; {} one of its names{}", list, expected.name,
                     expected.name_is_given ? "set tls.server_name to" : "write it in the URL by",
                     expected.name_is_given ? "" : ", or set tls.server_name to one");
}

std::string explain_disbelief(int why, const X509* certificate, int depth, const TlsExpectation& expected) {
  const auto* whose = depth == 0 ? "its certificate" : "the certificate of its authority";
  switch (why) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return fmt::format(
          "its certificate is not signed by an authority {}; name the file of its authority with tls.ca (--tls-ca)",
          expected.ca.empty() ? "of this system" : "in " + expected.ca);
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return wrong_name(certificate, expected);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("{} has expired on {}; renew it on the server, if this machine's clock is right", whose,
                         day_of(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("{} is not valid before {}; is this machine's clock right?", whose,
                         day_of(X509_get0_notBefore(certificate)));
    default: return fmt::format("{} is not believed: {}", whose, X509_verify_cert_error_string(why));
  }
}

// The server has sent an alert about the certificate that the client has shown, or has not.
std::string explain_refusal(std::string_view alert, const TlsExpectation& expected) {
  if (expected.certificate.empty()) {
    return "the server wants a certificate of the client; name one with tls.certificate and tls.key (--tls-cert, "
           "--tls-key)";
  }
  return fmt::format(
      "the server does not accept the certificate in {} ({}); use one of an authority that the server knows, and that "
      "has not expired",
      expected.certificate, alert);
}

}  // namespace

int note_disbelief(int believed, x509_store_ctx_st* store) {
  if (believed == 1) return believed;
  const auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* expected = static_cast<TlsExpectation*>(SSL_get_app_data(ssl));
  const X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (expected->disbelief.empty() && certificate != nullptr) {
    expected->disbelief = explain_disbelief(X509_STORE_CTX_get_error(store), certificate,
                                            X509_STORE_CTX_get_error_depth(store), *expected);
  }
  return believed;
}

std::string explain_tls_failure(ssl_st* ssl, unsigned long error, const TlsExpectation& expected) {
  const char* text = ERR_reason_error_string(error);
  const std::string_view words = text != nullptr ? text : "unknown reason";
  switch (ERR_GET_REASON(error)) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      if (!expected.disbelief.empty()) return expected.disbelief;
      break;
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_LENGTH:
      if (SSL_is_init_finished(ssl) == 0) {
        return "what listens there does not speak TLS; take the s out of zks:// or rediss://, or name the server's "
               "secure port";
      }
      break;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "the server knows only versions of TLS that are no longer safe; allow TLS 1.2 there";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED: return explain_refusal(words, expected);
    // With TLS 1.2 it says no more than that.
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      if (SSL_get0_peer_certificate(ssl) != nullptr && SSL_get_client_CA_list(ssl) != nullptr) {
        return explain_refusal(words, expected);
      }
      break;
    default: break;
  }
  return fmt::format("TLS failed: {}", words);
}

}  // namespace holdfast::net
