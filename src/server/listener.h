// listener.h -- where clients come in: the sockets of a server.
//
// Accepts TCP, TLS and Unix sockets on the addresses of EngineOptions::listen, cuts the bytes of every client into frames for the Host,
// and answers four-letter words. Everything happens in the thread that runs the io_context: the constructor, the destructor and
// all members are called there, or while it does not run.
//
// Connections outlive the Listener: the service closes them, by Peer::close(). An owner of a Peer lets go of it before
// the io_context is destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/engine.h"
#include "server/peer.h"
#include "server/report.h"

namespace asio {
class io_context;
}

namespace holdfast::server {

class Listener {
 public:
  // Asked for the answer to one word, see four_letter_words.h.
  using ReportFor = std::function<Report(std::string_view word)>;

  // Reads listen, tls, four_letter_words and limits out of `options`. Fails with one sentence, for example
  // "cannot listen on 127.0.0.1:2181: address already in use". `host` outlives every connection.
  static tl::expected<std::unique_ptr<Listener>, std::string> open(asio::io_context& context, Host& host,
                                                                   const EngineOptions& options, ReportFor report);

  // Stops accepting; a client that the kernel had accepted already is reset.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // "127.0.0.1:2181", "[::1]:2181", "/run/a/socket", in the order of EngineOptions::listen.
  const std::vector<std::string>& addresses() const noexcept;
  // Of the first address with TLS, or without; -1 if there is none.
  int port(bool tls) const noexcept;

  // Sockets of clients that are open, those that only ask a word included.
  std::size_t connections() const noexcept;
  // How many were turned away because there were too many, in all or from one address.
  std::uint64_t rejected() const noexcept;

 private:
  class Impl;
  explicit Listener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
