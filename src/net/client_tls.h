// client_tls.h -- which servers a client believes by TLS, and who it is to them.
//
// The files are looked at for every connection, and read again if they have changed. If what is there by then cannot be used (a certificate
// that is renewed, and its key not yet), connections go on with what was read last, and the log says so.
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

  // The client's side of one connection to `host`, as the user wrote it: a name, or an address. Fails with one sentence that names the
  // file. Of what fails later trouble() of the stream says what to do about it. Throws std::bad_alloc.
  tl::expected<std::unique_ptr<TlsStream>, std::string> connect(const std::string& host);

 private:
  // What tells one content of a file from another.
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
  Stamps read_{};    // of what is in context_
  Stamps failed_{};  // of what could not be used, which is said once
};

}  // namespace holdfast::net
