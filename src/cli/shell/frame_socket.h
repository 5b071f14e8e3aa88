// frame_socket.h -- frames over TCP, for a single thread that polls.
//
//                on_ready()                     send()          next_frame()
//   connecting   -> open, or closed             kept for later  nothing
//   open         reads and writes, or -> closed kept for later  the frames that are complete
//   closed       nothing                        nothing         those that came before
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/shell/hosts.h"

namespace holdfast::cli::shell {

class FrameSocket {
 public:
  // Begins to connect; a name is looked up before it returns. If even that fails it is closed.
  explicit FrameSocket(const Host& host);
  ~FrameSocket();
  FrameSocket(const FrameSocket&) = delete;
  FrameSocket& operator=(const FrameSocket&) = delete;

  int fd() const { return fd_; }  // -1 once closed
  short events() const;           // what to poll for
  bool connecting() const { return connecting_; }
  bool closed() const { return fd_ < 0; }
  // Why it is closed.
  const std::string& reason() const { return reason_; }

  void on_ready();
  // The length is put before it.
  void send(std::string_view frame);
  std::optional<std::string> next_frame();

  // Lists of children can be long, but past this it is no ZooKeeper that talks.
  static constexpr std::uint32_t kMostFrame = 64u << 20;

 private:
  void close(std::string reason);
  void finish_connecting();
  void flush();
  void receive();

  int fd_ = -1;
  bool connecting_ = false;
  std::string reason_;
  std::string to_send_;
  std::string received_;
};

}  // namespace holdfast::cli::shell
