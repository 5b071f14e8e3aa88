// session.h -- a client of either kind, with the few requests that are measured. All wait for the answer.
//
//   kind      is                                              costs per request
//   library   libzookeeper_mt, its blocking calls             most of a core's time: three threads pass it on
//   lean      a socket, one thread, a send and a receive      next to nothing, so that the server is what is measured
//
// Throw std::runtime_error when the server does not answer as it should. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::bench {

class Session {
 public:
  virtual ~Session() = default;
  // There may be one already.
  virtual void make_directory(const std::string& path) = 0;
  // Ephemeral and sequential. Its path.
  virtual std::string create_ticket(const std::string& prefix) = 0;
  // How many there are.
  virtual std::size_t children(const std::string& path) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void set(const std::string& path) = 0;
  virtual void get(const std::string& path) = 0;
};

enum class ClientKind { library, lean };
const char* to_string(ClientKind kind) noexcept;

// With 127.0.0.1:port.
std::unique_ptr<Session> connect(ClientKind kind, std::uint16_t port);

}  // namespace holdfast::bench
