// server_tls.h -- TLS of a server: the certificate that it shows, and which clients it trusts.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "holdfast/engine.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"

namespace holdfast::net {

// Certificate, key and authorities, read once.
class ServerTls {
 public:
  // Fails with one sentence that names the file.
  static tl::expected<std::shared_ptr<const ServerTls>, std::string> read(const Tls& files);

  // The server's side of one connection. Throws std::bad_alloc.
  std::unique_ptr<TlsStream> accept() const;

 private:
  explicit ServerTls(TlsContext context) : context_(std::move(context)) {}

  TlsContext context_;
};

}  // namespace holdfast::net
