// tls.h -- who we are to clients that come by TLS, and which of them we believe.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "holdfast/engine.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace holdfast::server {

class TlsStream;

// Certificate, key and authorities, read once. TLS 1.2 and newer.
class TlsContext {
 public:
  // Fails with one sentence that names the file.
  static tl::expected<std::shared_ptr<const TlsContext>, std::string> read(const Tls& files);

  // The server's side of one connection.
  std::unique_ptr<TlsStream> accept() const;

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Handle = std::unique_ptr<ssl_ctx_st, Free>;

  explicit TlsContext(Handle handle) : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace holdfast::server
