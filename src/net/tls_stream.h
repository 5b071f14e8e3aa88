// tls_stream.h -- TLS without a socket: takes bytes from the wire, and makes bytes for the wire. Both the engine's server and every client
// use it.
//
//               receive()                         seal()
//   handshake   answers wait in take_wire()       nothing yet, false
//   open        what was said                     into take_wire()
//   over        nothing more, false               false
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;

namespace holdfast::net {

class TlsStream {
 public:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  using Handle = std::unique_ptr<ssl_st, Free>;  // OpenSSL's SSL
  // Why the handshake, or what came after it, failed, for people. `error` is the cause in OpenSSL's queue of errors.
  using Explain = std::function<std::string(ssl_st* ssl, unsigned long error)>;

  // `ssl` says which side of the connection it is. A client has its greeting in take_wire() immediately. Without an `explain`,
  // trouble() has OpenSSL's words. Throws std::bad_alloc.
  explicit TlsStream(Handle ssl, Explain explain = {});
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Takes all of `bytes`, and appends the decrypted bytes to `plain`. False once the stream has ended: the other side ended it, it
  // broke the rules, or its certificate is not trusted. take_wire() may then have a last message.
  bool receive(std::string_view bytes, std::string& plain);
  bool seal(std::string_view plain);
  // Tells the other side that nothing more will come.
  void say_goodbye();

  // Why it has ended, unless the other side ended it properly: "no certificate". Empty: no reason.
  const std::string& trouble() const noexcept { return trouble_; }

  bool open() const noexcept { return state_ == State::open; }
  bool has_wire() const noexcept { return !wire_.empty(); }
  // The bytes to send.
  std::string take_wire();

 private:
  enum class State { handshake, open, over };
  struct Plug;  // where OpenSSL reads and writes

  bool shake_hands();
  bool read_all(std::string& plain);
  // After a call that did not succeed: true if it only needs more bytes.
  bool wants_more(int result);

  std::string_view arrived_;
  std::string wire_;
  std::string trouble_;
  State state_ = State::handshake;
  const Explain explain_;
  const Handle ssl_;
};

}  // namespace holdfast::net
