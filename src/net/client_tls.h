// client_tls.h -- TLS of a client: which servers it trusts, and the certificate that it shows.
//
// The files are checked for every connection, and read again if they have changed. If they cannot be used (a certificate was renewed, and its
// key not yet), connections go on with what was read last, and the log says so.
//
// One thread at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "holdfast/tls_options.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"

namespace holdfast::net {

class ClientTls {
 public:
  explicit ClientTls(TlsOptions options) : options_(std::move(options)) {}

  // The client's side of one connection to `host`, a name or an address as the user wrote it. Fails with one sentence that names the file.
  // For later failures, trouble() of the stream says what to do. Throws std::bad_alloc.
  tl::expected<std::unique_ptr<TlsStream>, std::string> connect(const std::string& host);

 private:
  // Shows whether a file has changed.
  struct Stamp {
    dev_t device = 0;
    ino_t number = 0;  // 0: no such file
    off_t size = 0;
    std::timespec changed{};
    std::timespec modified{};
  };
  using Stamps = std::array<Stamp, 3>;

  static Stamp stamp_of(const std::string& file);
  static bool same(const Stamps& a, const Stamps& b);
  Stamps stamps() const;
  tl::expected<TlsContext, std::string> read() const;
  tl::expected<void, std::string> refresh();

  const TlsOptions options_;
  std::optional<TlsContext> context_;
  Stamps read_{};    // of the files in context_
  Stamps failed_{};  // of files that could not be used, which is logged once
};

}  // namespace holdfast::net
