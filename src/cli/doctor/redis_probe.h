// redis_probe.h -- one Redis or Sentinel, looked at by itself: commands and their answers, one after the other.
//
// A client takes any server that is the master; this tells what is wrong with each. All calls end at their deadline.
#pragma once

#include <memory>
#include <string>

#include "cli/doctor/server_probe.h"
#include "holdfast/clock.h"
#include "net/client_tls.h"
#include "net/server_address.h"
#include "net/stream_socket.h"
#include "resp/command.h"
#include "resp/reader.h"

namespace holdfast::cli::doctor {

// A connection, closed with it.
class RedisProbe {
 public:
  // `tls`: none for plain text. Must outlive it.
  static Probed<RedisProbe> connect(const net::ServerAddress& address, net::ClientTls* tls, Clock::time_point deadline);

  Clock::duration connected_in() const noexcept { return connected_in_; }
  // The answer, which may be an error of Redis.
  Probed<resp::Value> ask(const resp::Command& command, Clock::time_point deadline);

 private:
  explicit RedisProbe(std::string name) : name_(std::move(name)) {}

  std::string name_;
  std::unique_ptr<net::StreamSocket> socket_;
  resp::Reader reader_;
  Clock::duration connected_in_{};
};

}  // namespace holdfast::cli::doctor
