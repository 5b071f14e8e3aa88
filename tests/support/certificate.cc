#include "certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace holdfast::testing {
namespace {

template <auto function>
struct Call {
  template <typename T>
  void operator()(T* object) const {
    function(object);
  }
};
using File = std::unique_ptr<std::FILE, Call<std::fclose>>;

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

using Key = std::unique_ptr<EVP_PKEY, Call<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Call<X509_free>>;

File open(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  must(file != nullptr, path.c_str());
  return file;
}

void extend(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Call<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  must(extension && X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

long seconds(std::chrono::hours time) { return static_cast<long>(std::chrono::seconds(time).count()); }

}  // namespace

CertificateFiles make_certificate(const std::filesystem::path& directory, const std::string& name,
                                  const CertificateOptions& options) {
  static std::atomic<long> serial{1};
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  must(key && certificate, "out of memory");
  X509* x = certificate.get();
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
  X509_gmtime_adj(X509_getm_notBefore(x), seconds(options.from));
  X509_gmtime_adj(X509_getm_notAfter(x), seconds(options.until));
  X509_NAME* subject = X509_get_subject_name(x);
  must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                                  -1, 0) == 1,
       "name");
  must(X509_set_pubkey(x, key.get()) == 1, "key");
  if (options.signs_others) extend(x, NID_basic_constraints, "critical,CA:TRUE");
  std::string names;
  for (const auto& each : options.names) names += (names.empty() ? "" : ",") + each;
  if (!names.empty()) extend(x, NID_subject_alt_name, names);

  if (options.authority.certificate.empty()) {
    must(X509_set_issuer_name(x, subject) == 1 && X509_sign(x, key.get(), EVP_sha256()) > 0, "signature");
  } else {
    const Certificate issuer(PEM_read_X509(open(options.authority.certificate, "r").get(), nullptr, nullptr, nullptr));
    const Key issuers_key(PEM_read_PrivateKey(open(options.authority.key, "r").get(), nullptr, nullptr, nullptr));
    must(issuer && issuers_key, "authority");
    must(X509_set_issuer_name(x, X509_get_subject_name(issuer.get())) == 1 &&
             X509_sign(x, issuers_key.get(), EVP_sha256()) > 0,
         "signature");
  }

  CertificateFiles files{directory / (name + ".pem"), directory / (name + ".key")};
  must(PEM_write_X509(open(files.certificate, "w").get(), x) == 1, "file");
  const auto& passphrase = options.passphrase;
  const auto* phrase = reinterpret_cast<const unsigned char*>(passphrase.data());
  must(PEM_write_PrivateKey(open(files.key, "w").get(), key.get(), passphrase.empty() ? nullptr : EVP_aes_256_cbc(),
                            phrase, static_cast<int>(passphrase.size()), nullptr, nullptr) == 1,
       "key file");
  return files;
}

}  // namespace holdfast::testing
