// connection_work.h -- work that came over a connection.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "server/client_connection.h"
#include "server/flow_control.h"
#include "server/work.h"

namespace holdfast::server {

// To read a request and do what it says, as far as its length tells. Where most of it is data it takes less.
inline constexpr engine::Moment kPerByte = std::chrono::nanoseconds(20);

inline engine::Moment by_length(std::size_t bytes, engine::Moment each) {
  return kLittle + static_cast<engine::Moment::rep>(bytes) * each;
}

class ConnectionWork : public Work {
 protected:
  // `size`: of the frame, which came at `received`.
  ConnectionWork(FlowControl& flow, std::shared_ptr<ClientConnection> connection, std::size_t size,
                 engine::Moment received)
      : flow_(flow), connection_(std::move(connection)), size_(size), received_(received) {}

  // No longer kept by the connection for us.
  void served() { flow_.served(*connection_, size_); }

  FlowControl& flow_;
  std::shared_ptr<ClientConnection> connection_;
  std::size_t size_;
  engine::Moment received_;
};

}  // namespace holdfast::server
