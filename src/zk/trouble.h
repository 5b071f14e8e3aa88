// trouble.h -- why there is no connection, server by server, for messages.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "net/frame_socket.h"
#include "net/server_address.h"
#include "net/stranger.h"

namespace holdfast::zk {

// Why a line was lost, in the words of the system and of net::FrameSocket.
inline constexpr std::string_view kRefused = "Connection refused";
inline constexpr std::string_view kReset = "Connection reset by peer";
inline constexpr std::string_view kBroken = "Broken pipe";  // we wrote after the server had closed
inline constexpr std::string_view kHungUp = net::FrameSocket::kHungUp;
inline constexpr std::string_view kNoLogin = "it has not answered the login yet";
inline constexpr auto kNotAsked = "what it answers was not asked";

class Trouble {
 public:
  // A line to that server was lost before the server answered.
  void failed(const net::ServerAddress& server, const std::string& why) {
    why_[server] = why;
    refusals_[server] = why == kRefused ? refusals_[server] + 1 : 0;
  }
  // What listens there; counts more than why a line was lost.
  void found(const net::ServerAddress& server, const net::Stranger& stranger) {
    if (!stranger.clause.empty()) found_[server] = stranger;
  }
  // The server turned out to be a ZooKeeper.
  void met(const net::ServerAddress& server) { found_.erase(server); }
  void clear() { *this = {}; }

  // For one server: "connection refused; is the server running?". For several, with their addresses.
  std::string text(const net::ServerAddresses& servers) const;
  // Whether each has refused the connection at least that often in a row.
  bool all_refuse(const net::ServerAddresses& servers, std::size_t times) const;
  // Whether each is known to be a server of another kind.
  bool all_are_strangers(const net::ServerAddresses& servers) const;

 private:
  std::string of(const net::ServerAddress& server) const;

  std::map<net::ServerAddress, std::string> why_;
  std::map<net::ServerAddress, net::Stranger> found_;
  std::map<net::ServerAddress, std::size_t> refusals_;
};

}  // namespace holdfast::zk
