// certificate.h -- keys and certificates, made on the spot.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::testing {

struct CertificateFiles {
  std::string certificate;  // PEM
  std::string key;
};

struct CertificateOptions {
  std::string passphrase{};          // of the key; empty: it is not encrypted
  std::vector<std::string> names{};  // subjectAltName: "DNS:zk1.example", "IP:127.0.0.1"
  CertificateFiles authority{};      // that signs it; none: it is its own authority
  bool signs_others = false;         // it is an authority
  std::chrono::hours from{-1};       // valid from now on; negative: since before
  std::chrono::hours until{1};       // negative: it has expired
};

// <directory>/<name>.pem and <name>.key. Throws std::runtime_error.
CertificateFiles make_certificate(const std::filesystem::path& directory, const std::string& name,
                                  const CertificateOptions& options = {});

}  // namespace holdfast::testing
