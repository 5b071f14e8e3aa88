// secure_server.h -- one real server with TLS: Apache's with secureClientPort, or the engine, both from one zoo.cfg.
//
// The plain port is there as well, for a look from the side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certificate.h"
#include "free_port.h"
#include "temp_dir.h"
#include "zookeeper_server.h"

namespace holdfast::testing {

struct SecureServerOptions {
  ServerMake make = server_make_under_test();
  bool wants_client_certificates = false;
  // Of its certificate.
  std::vector<std::string> names{"DNS:zk.example", "IP:127.0.0.1"};
  std::chrono::hours until{24};
  // Added to what the server gets.
  std::vector<std::string> config_lines{};
  std::vector<std::string> java_options{};
};

class SecureServer {
 public:
  explicit SecureServer(const SecureServerOptions& options = {});

  ZooKeeperServer& server() { return server_; }
  std::uint16_t secure_port() const { return secure_port_; }
  // "127.0.0.1:port", the secure one.
  std::string address() const { return "127.0.0.1:" + std::to_string(secure_port_); }
  const CertificateFiles& authority() const { return authority_; }
  // One that the server accepts, and one that it does not.
  const CertificateFiles& client() const { return client_; }
  const CertificateFiles& stranger() const { return stranger_; }
  const TempDir& directory() const { return dir_; }

  // From the next start on it has a certificate of this authority.
  void renew_certificate(const CertificateFiles& authority);

 private:
  ZooKeeperOptions server_options(const SecureServerOptions& options) const;
  void write_store(const CertificateFiles& server) const;

  const SecureServerOptions options_;
  TempDir dir_{"secure"};
  CertificateFiles authority_ = make_certificate(dir_.path(), "authority", {.signs_others = true});
  CertificateFiles client_ = make_certificate(dir_.path(), "client", {.authority = authority_});
  CertificateFiles stranger_ = make_certificate(dir_.path(), "stranger");
  std::uint16_t secure_port_ = free_port();
  ZooKeeperServer server_;
};

}  // namespace holdfast::testing
