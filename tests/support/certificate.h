// certificate.h -- a key and a certificate signed with it, made on the spot.
#pragma once

#include <filesystem>
#include <string>

namespace holdfast::testing {

struct CertificateFiles {
  std::string certificate;  // PEM; its own authority
  std::string key;
};

// <directory>/<name>.pem and <name>.key, valid for an hour. With a passphrase the key is encrypted.
// Throws std::runtime_error.
CertificateFiles make_certificate(const std::filesystem::path& directory, const std::string& name,
                                  const std::string& passphrase = {});

}  // namespace holdfast::testing
