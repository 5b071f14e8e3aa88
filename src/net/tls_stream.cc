#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace holdfast::net {
namespace {

// The most that one TLS record carries.
constexpr std::size_t kRecord = std::size_t{16} << 10;
// SSL_write() takes an int.
constexpr std::size_t kMostAtOnce = 1 << 30;

}  // namespace

// A BIO on the stream's own strings. OpenSSL's memory BIO copies once more, and never frees its largest buffer.
struct TlsStream::Plug {
  static int write(BIO* bio, const char* data, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    stream.wire_.append(data, static_cast<std::size_t>(size));
    return size;
  }

  static int read(BIO* bio, char* data, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto part = stream.arrived_.substr(0, static_cast<std::size_t>(size));
    if (part.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(data, part.data(), part.size());
    stream.arrived_.remove_prefix(part.size());
    return static_cast<int>(part.size());
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static const BIO_METHOD* method() {
    static const auto made = [] {
      BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast");
      if (m == nullptr) throw std::bad_alloc();
      BIO_meth_set_write(m, &Plug::write);
      BIO_meth_set_read(m, &Plug::read);
      BIO_meth_set_ctrl(m, &Plug::control);
      BIO_meth_set_create(m, &Plug::create);
      return std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)>(m, &BIO_meth_free);
    }();
    return made.get();
  }
};

void TlsStream::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsStream::TlsStream(Handle ssl, Explain explain) : explain_(std::move(explain)), ssl_(std::move(ssl)) {
  BIO* bio = ssl_ ? BIO_new(Plug::method()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);  // takes it
  if (SSL_is_server(ssl_.get()) == 0 && !shake_hands()) state_ = State::over;
}

TlsStream::~TlsStream() = default;

bool TlsStream::receive(std::string_view bytes, std::string& plain) {
  if (state_ == State::over) return false;
  arrived_ = bytes;
  const bool going_on = shake_hands() && read_all(plain);
  arrived_ = {};
  if (!going_on) state_ = State::over;
  return going_on;
}

bool TlsStream::shake_hands() {
  if (state_ == State::open) return true;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) return wants_more(result);
  state_ = State::open;
  return true;
}

bool TlsStream::read_all(std::string& plain) {
  if (state_ != State::open) return true;
  std::array<char, kRecord> record;
  for (;;) {  // ends when `arrived_` does
    ERR_clear_error();
    const int result = SSL_read(ssl_.get(), record.data(), static_cast<int>(record.size()));
    if (result <= 0) return wants_more(result);
    plain.append(record.data(), static_cast<std::size_t>(result));
  }
}

bool TlsStream::wants_more(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_SSL) {
    const unsigned long cause = ERR_peek_error();
    const char* reason = ERR_reason_error_string(cause);
    trouble_ = explain_ ? explain_(ssl_.get(), cause) : reason != nullptr ? reason : "unknown reason";
  }
  ERR_clear_error();
  return error == SSL_ERROR_WANT_READ;
}

bool TlsStream::seal(std::string_view plain) {
  if (state_ != State::open) return false;
  while (!plain.empty()) {
    ERR_clear_error();
    const auto part = plain.substr(0, kMostAtOnce);
    const int result = SSL_write(ssl_.get(), part.data(), static_cast<int>(part.size()));
    if (result <= 0) {
      state_ = State::over;
      return false;
    }
    plain.remove_prefix(static_cast<std::size_t>(result));
  }
  return true;
}

void TlsStream::say_goodbye() {
  if (state_ != State::open) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  state_ = State::over;
}

std::string TlsStream::take_wire() { return std::exchange(wire_, {}); }

}  // namespace holdfast::net
