// secure_redis.h -- one real Redis with TLS, which wants certificates of its clients.
//
// The plain port is there as well, for a look from the side.
#pragma once

#include <string>
#include <vector>

#include "certificate.h"
#include "free_port.h"
#include "redis_server.h"
#include "temp_dir.h"

namespace holdfast::testing {

class SecureRedis {
 public:
  SecureRedis();

  RedisServer& server() { return server_; }
  // "127.0.0.1:port", the secure one.
  std::string address() const { return "127.0.0.1:" + std::to_string(secure_port_); }
  std::uint16_t secure_port() const { return secure_port_; }
  const CertificateFiles& authority() const { return authority_; }
  const CertificateFiles& client() const { return client_; }

  // What makes a Redis one with TLS; a Sentinel, too. With `port`, in addition to its plain one.
  std::vector<std::string> config_lines(std::uint16_t port) const;

 private:
  TempDir dir_{"secure-redis"};
  CertificateFiles authority_ = make_certificate(dir_.path(), "authority", {.signs_others = true});
  CertificateFiles client_ = make_certificate(dir_.path(), "client", {.authority = authority_});
  CertificateFiles certificate_ = make_certificate(
      dir_.path(), "server", {.names = {"DNS:redis.example", "IP:127.0.0.1"}, .authority = authority_});
  std::uint16_t secure_port_ = free_port();
  RedisServer server_;
};

}  // namespace holdfast::testing
