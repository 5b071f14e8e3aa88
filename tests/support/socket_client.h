// socket_client.h -- a client that sends any bytes it likes, well-formed or not, with TLS or without.
//
// Blocks, at most kClientPatience at a time. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace holdfast::testing {

// Far beyond what an answer takes; only a failing test waits that long.
inline constexpr std::chrono::seconds kClientPatience{10};

// Four bytes of length and the body.
std::string framed(std::string_view body);

struct TlsClientOptions {
  std::string certificate{};  // PEM files; empty: none is shown
  std::string key{};
  int version = 0;  // TLS1_2_VERSION, ...; 0: the newest that both know
};

class SocketClient {
 public:
  // To 127.0.0.1. Throws std::system_error.
  explicit SocketClient(std::uint16_t port);
  // To a Unix socket, whose path must be short enough for an address. Throws the same.
  explicit SocketClient(const std::string& path);
  // Shakes hands, too; believes any server. Throws std::runtime_error if that fails.
  SocketClient(std::uint16_t port, const TlsClientOptions& options);
  ~SocketClient();
  SocketClient(SocketClient&& other) noexcept;
  SocketClient& operator=(SocketClient&&) = delete;

  // False if not all of it could be sent.
  bool send(std::string_view bytes);
  bool send_frame(std::string_view body) { return send(framed(body)); }
  // As many bytes; fewer if the other side closes before, or takes too long.
  std::string receive(std::size_t size);
  // The body of the next frame; empty if there is none.
  std::string receive_frame();
  // Everything up to the end of the connection, see ended().
  std::string receive_all();
  // The other side has closed or reset the connection; waits for it. What still arrives is thrown away.
  bool ended();
  // Nothing more will be sent; answers still arrive.
  void half_close();

 private:
  // As recv(): 0 is the end of the connection, -1 with errno EAGAIN that it took too long.
  long receive_some(char* data, std::size_t size);

  struct Free {
    void operator()(ssl_st* ssl) const;
    void operator()(ssl_ctx_st* context) const;
  };
  int socket_ = -1;
  bool ended_ = false;
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace holdfast::testing
