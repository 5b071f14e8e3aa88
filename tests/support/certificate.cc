#include "certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

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

constexpr long kValidSeconds = 3'600;

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

}  // namespace

CertificateFiles make_certificate(const std::filesystem::path& directory, const std::string& name,
                                  const std::string& passphrase) {
  const std::unique_ptr<EVP_PKEY, Call<EVP_PKEY_free>> key(EVP_EC_gen("P-256"));
  const std::unique_ptr<X509, Call<X509_free>> certificate(X509_new());
  must(key && certificate, "out of memory");
  X509* x = certificate.get();
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -kValidSeconds);
  X509_gmtime_adj(X509_getm_notAfter(x), kValidSeconds);
  X509_NAME* subject = X509_get_subject_name(x);
  must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                                  -1, 0) == 1,
       "name");
  must(X509_set_issuer_name(x, subject) == 1 && X509_set_pubkey(x, key.get()) == 1, "key");
  must(X509_sign(x, key.get(), EVP_sha256()) > 0, "signature");

  CertificateFiles files{directory / (name + ".pem"), directory / (name + ".key")};
  const File pem(std::fopen(files.certificate.c_str(), "w"));
  must(pem && PEM_write_X509(pem.get(), x) == 1, "file");
  const File secret(std::fopen(files.key.c_str(), "w"));
  const auto* phrase = reinterpret_cast<const unsigned char*>(passphrase.data());
  must(secret && PEM_write_PrivateKey(secret.get(), key.get(), passphrase.empty() ? nullptr : EVP_aes_256_cbc(), phrase,
                                      static_cast<int>(passphrase.size()), nullptr, nullptr) == 1,
       "key file");
  return files;
}

}  // namespace holdfast::testing
