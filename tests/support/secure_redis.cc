#include "secure_redis.h"

#include <fmt/format.h>

namespace holdfast::testing {

SecureRedis::SecureRedis() : server_({.config_lines = config_lines(secure_port_)}) {}

std::vector<std::string> SecureRedis::config_lines(std::uint16_t port) const {
  return {fmt::format("tls-port {}", port), "tls-cert-file " + certificate_.certificate,
          "tls-key-file " + certificate_.key, "tls-ca-cert-file " + authority_.certificate};
}

}  // namespace holdfast::testing
