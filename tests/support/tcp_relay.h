// tcp_relay.h -- a wire between two programs that can fall silent.
//
//   anybody --- [ relay ] --- 127.0.0.1:target
//
// Bytes, not messages: for what does not speak the clients' protocol (see fault_proxy.h for that).
//
//              stall()      heal()                        cut_all()
//   passing    -> stalled   nothing                       connections end
//   stalled    nothing      -> passing, nothing was lost  connections end, with what they had to say
//
// stall_answers() is stall() for what the target says only: requests still arrive there.
//
// While stalled, connections stay open and new ones are accepted, but nothing passes either way, not even the end of a
// connection. As in a network that loses packets for a while, everything arrives in order after heal().
//
// One difference to a wire: whoever connects is accepted before the target is asked. A target that refuses is asked
// again for a few seconds, then the connection ends.
//
// Thread safety: all members from any thread. They take effect before they return, but for bytes that are already in a
// socket's buffer behind the relay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace holdfast::testing {

class TcpRelay {
 public:
  explicit TcpRelay(std::uint16_t target_port);
  // Closes every connection.
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  std::uint16_t port() const noexcept;

  void stall();
  void stall_answers();
  void heal();
  void cut_all();

  enum class Direction { to_target, from_target };
  // Once that many bytes more have passed that way, over whichever connections, all connections end. Once. 0: with the next byte, which does not
  // pass.
  void cut_after(Direction direction, std::size_t bytes);
  // Whether the connections have ended by it.
  bool cut() const;
  // Bytes that have passed that way.
  std::size_t passed(Direction direction) const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace holdfast::testing
