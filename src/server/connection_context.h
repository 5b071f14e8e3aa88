// connection_context.h -- what all connections of one server share.
#pragma once

#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "holdfast/engine.h"
#include "server/four_letter_words.h"
#include "server/listener.h"
#include "server/peer.h"
#include "server/timeout_list.h"

namespace holdfast::server {

// Without Asio's type-erased executor, which costs an indirection and memory at every step.
using Executor = asio::io_context::executor_type;
// TCP, or a Unix socket.
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

// How long a connection that is closed waits for the other side to close, too: closing a socket with unread bytes resets it,
// and the reset may overtake the last answer.
inline constexpr std::chrono::milliseconds kLinger{500};

// How often a connection that is not read from is asked whether its client has gone.
inline constexpr std::chrono::milliseconds kLookForTheEnd{100};

struct ConnectionContext {
  ConnectionContext(asio::io_context& io, Host& service, const EngineOptions& options, Listener::ReportFor report_for)
      : context(io),
        host(service),
        limits(options.limits),
        words(options.four_letter_words),
        report(std::move(report_for)),
        quotas(service.quotas()),
        handshake(io, options.limits.handshake),
        linger(io, kLinger),
        look(io, kLookForTheEnd) {}

  asio::io_context& context;
  Host& host;
  const EngineLimits limits;
  const FourLetterWords words;
  const Listener::ReportFor report;
  const std::shared_ptr<Quotas> quotas;
  TimeoutList handshake;
  TimeoutList linger;
  TimeoutList look;
};

}  // namespace holdfast::server
