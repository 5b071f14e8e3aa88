// tls_context.h -- the TLS settings of either side of a connection: versions, and PEM files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace holdfast::net {

class TlsContext {
 public:
  enum class Side { server, client };

  // TLS 1.2 and newer. Fails with one sentence; so do the members below, whose sentences name the file.
  static tl::expected<TlsContext, std::string> make(Side side);

  // A certificate, followed by those of the authorities between it and the root, and its key, which has no passphrase.
  tl::expected<void, std::string> use_certificate(const std::string& certificate, const std::string& key);
  // Trusts the other side if an authority in that file has signed its certificate. `called`: "client CA".
  tl::expected<void, std::string> believe(const std::string& authorities, std::string_view called);

  ssl_ctx_st* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Handle = std::unique_ptr<ssl_ctx_st, Free>;

  explicit TlsContext(Handle handle) : handle_(std::move(handle)) {}

  Handle handle_;
};

// Why the last call of OpenSSL failed, in its words or the system's, with a small first letter. Empties the queue of errors.
std::string tls_reason();

}  // namespace holdfast::net
