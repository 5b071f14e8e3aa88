#include "secure_server.h"

#include <fstream>
#include <iterator>

namespace holdfast::testing {

SecureServer::SecureServer(const SecureServerOptions& options) : options_(options), server_(server_options(options)) {}

ZooKeeperOptions SecureServer::server_options(const SecureServerOptions& options) const {
  write_store(make_certificate(
      dir_.path(), "server",
      {.names = options.names, .authority = authority_, .from = std::chrono::hours(-48), .until = options.until}));
  ZooKeeperOptions made;
  made.make = options.make;
  made.config_lines = {"secureClientPort=" + std::to_string(secure_port_), "secureClientPortAddress=127.0.0.1",
                       "ssl.keyStore.location=" + (dir_ / "store.pem").string(),
                       "ssl.trustStore.location=" + authority_.certificate,
                       std::string("ssl.clientAuth=") + (options.wants_client_certificates ? "need" : "none")};
  // Apache's server has no TLS without it.
  if (made.make == ServerMake::apache) {
    made.config_lines.push_back("serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory");
  }
  made.config_lines.insert(made.config_lines.end(), options.config_lines.begin(), options.config_lines.end());
  made.java_options = options.java_options;
  return made;
}

// ZooKeeper wants key and certificate in one file.
void SecureServer::write_store(const CertificateFiles& server) const {
  std::ofstream store(dir_ / "store.pem");
  for (const auto& file : {server.key, server.certificate}) store << std::ifstream(file).rdbuf();
}

void SecureServer::renew_certificate(const CertificateFiles& authority) {
  write_store(make_certificate(dir_.path(), "renewed", {.names = options_.names, .authority = authority}));
}

}  // namespace holdfast::testing
