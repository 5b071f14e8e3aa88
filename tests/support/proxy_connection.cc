#include "proxy_connection.h"

#include <algorithm>
#include <utility>

namespace holdfast::testing {
namespace {

using asio::ip::tcp;

// What one connection may have waiting, held or unwritten. Far above any test; a bug that floods a stream
// which nobody reads ends that connection instead of the machine.
constexpr std::size_t kMaxQueued = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kLengthBytes = 4;

}  // namespace

ProxyConnection::ProxyConnection(ProxyHost& host, tcp::socket client, std::size_t number)
    : host_(host), number_(number), client_{std::move(client)}, server_{tcp::socket(client_.socket.get_executor())} {
  asio::error_code ignored;
  client_.socket.set_option(tcp::no_delay(true), ignored);
  client_.connected = true;
}

void ProxyConnection::start(std::uint16_t server_port) {
  read(Direction::to_server);
  server_.socket.async_connect(
      tcp::endpoint(asio::ip::address_v4::loopback(), server_port),
      [this, self = shared_from_this()](const asio::error_code& error) {
        if (error) {
          close();  // what the client would see without a proxy, but for the moment of being accepted
          return;
        }
        asio::error_code ignored;
        server_.socket.set_option(tcp::no_delay(true), ignored);
        server_.connected = true;
        write(server_);
        read(Direction::to_client);
        if (ending_) close_if_flushed(server_);
      });
}

void ProxyConnection::start_swallowed() {
  swallowed_ = true;
  lost_something_ = true;
  read(Direction::to_server);
}

void ProxyConnection::read(Direction d) {
  End& from = source(d);
  from.socket.async_read_some(asio::buffer(from.in),
                              [this, d, self = shared_from_this()](const asio::error_code& error, std::size_t size) {
                                Stream& s = stream(d);
                                if (error) {
                                  s.source_ended = true;
                                  if (ending_) close_socket(source(d));
                                  pump(d);
                                  return;
                                }
                                if (!ending_) {
                                  s.splitter.add({source(d).in.data(), size});
                                  pump(d);
                                  if (s.splitter.rest().size() > kMaxQueued) cut();
                                }
                                if (source(d).socket.is_open()) read(d);
                              });
}

void ProxyConnection::pump(Direction d) {
  Stream& s = stream(d);
  while (!ending_ && !s.held) {
    const auto frame = s.splitter.next();
    if (!frame) break;
    if (d == Direction::to_server) {
      handle_request(*frame);
    } else {
      handle_reply(*frame);
    }
  }
  if (ending_ || s.held) return;

  // Not the protocol (a four-letter word): bytes are passed as they are. The answer to one is not made of
  // frames either, but need not look wrong at once; so one broken direction means both.
  if (to_server_.splitter.broken() || s.splitter.broken()) {
    if (dark(d)) {
      lost_something_ = true;
    } else {
      send(sink(d), s.splitter.rest());
    }
    s.splitter.clear();
  }

  if (!s.source_ended) return;
  if (dark(d)) {
    // The other side of a partition does not learn that a connection ended.
    lost_something_ = true;
    close_socket(source(d));
  } else {
    if (d == Direction::to_client && !s.splitter.rest().empty()) send(client_, s.splitter.rest());
    cut();
  }
}

void ProxyConnection::handle_request(std::string_view frame) {
  const std::string_view body = frame.substr(kLengthBytes);
  Request request = to_server_.handshaken ? decode_request(body) : decode_connect_request(body);
  to_server_.handshaken = true;
  request.connection = number_;
  Seen seen{.connection = number_,
            .kind = Seen::Kind::request,
            .op = request.op,
            .path = request.path,
            .xid = request.xid,
            .watch = request.watch,
            .own_node = created_.contains(request.path)};
  if (dark(Direction::to_server)) {
    drop(std::move(seen));
    lost_something_ = true;
    return;
  }

  auto [verdict, rule] = host_.decide(request);
  const auto fire = [&rule = rule] {
    if (rule) rule->fire();
  };
  switch (verdict.action) {
    case Action::cut_before:
      drop(std::move(seen));
      fire();  // first: whoever sees the connection end may ask at once why
      cut();
      return;
    case Action::black_hole_before:
      host_.fall_dark();
      pass(Direction::to_server, frame, std::move(seen));  // into the dark
      fire();
      return;
    case Action::delay: {
      pending_.push_back({request.xid, request.op, request.path, Action::pass, nullptr});
      auto timer = std::make_shared<asio::steady_timer>(client_.socket.get_executor(), verdict.delay);
      timer->async_wait([this, timer = timer.get(), self = shared_from_this()](const asio::error_code&) {
        if (to_server_.held && to_server_.held->timer.get() == timer) let_go(Direction::to_server);
      });
      hold(Direction::to_server, {std::string(frame), std::move(seen), rule, std::move(timer)});
      return;
    }
    case Action::pass:
    case Action::cut_after:
    case Action::hold_reply:
    case Action::black_hole_after:
      pending_.push_back({request.xid, request.op, request.path, verdict.action, rule});
      pass(Direction::to_server, frame, std::move(seen));
      return;
  }
}

void ProxyConnection::handle_reply(std::string_view frame) {
  const std::string_view body = frame.substr(kLengthBytes);
  const bool handshake = !std::exchange(to_client_.handshaken, true);
  Seen seen{.connection = number_, .kind = Seen::Kind::reply};
  if (const auto event = handshake ? std::nullopt : decode_event(body)) {
    seen.kind = Seen::Kind::event;
    seen.op = Op::notification;
    seen.path = event->path;
    seen.xid = kEventXid;
    seen.event_type = event->type;
    pass(Direction::to_client, frame, std::move(seen));
    return;
  }

  const Reply reply = handshake ? decode_connect_reply(body) : decode_reply(body);
  const auto request = take_pending(reply.xid);
  seen.xid = reply.xid;
  seen.err = reply.err;
  seen.zxid = reply.zxid;
  if (request) {
    seen.op = request->op;
    seen.path = request->path;
    if (creates_a_node(request->op) && reply.err == 0) {
      seen.created = reply.first_string;
      created_.insert(seen.created);
    }
  }
  const Action action = request && !dark(Direction::to_client) ? request->action : Action::pass;
  const auto fire = [&request] {
    if (request->rule) request->rule->fire();
  };
  if (action == Action::cut_after) {
    drop(std::move(seen));
    fire();  // first, as above
    cut();
  } else if (action == Action::black_hole_after) {
    host_.fall_dark();
    pass(Direction::to_client, frame, std::move(seen));  // into the dark
    fire();
  } else if (action == Action::hold_reply) {
    hold(Direction::to_client, {std::string(frame), std::move(seen), request->rule, nullptr});
  } else {
    pass(Direction::to_client, frame, std::move(seen));
  }
}

std::optional<ProxyConnection::Pending> ProxyConnection::take_pending(std::int32_t xid) {
  // Nearly always the first; pings share one xid, so the oldest of several is meant.
  const auto found = std::find_if(pending_.begin(), pending_.end(), [xid](const Pending& p) { return p.xid == xid; });
  if (found == pending_.end()) return std::nullopt;
  Pending request = std::move(*found);
  pending_.erase(found);
  return request;
}

void ProxyConnection::hold(Direction d, Held held) {
  const auto rule = held.rule;
  stream(d).held = std::move(held);
  if (rule) rule->fire();
}

void ProxyConnection::let_go(Direction d) {
  Held held = std::move(*stream(d).held);
  stream(d).held.reset();
  pass(d, held.frame, std::move(held.seen));
  pump(d);
}

void ProxyConnection::release(const Rule::State* rule) {
  if (to_client_.held && (rule == nullptr || to_client_.held->rule.get() == rule)) let_go(Direction::to_client);
  if (to_server_.held && rule != nullptr && to_server_.held->rule.get() == rule) let_go(Direction::to_server);
}

void ProxyConnection::pass(Direction d, std::string_view frame, Seen seen) {
  if (dark(d)) {
    drop(std::move(seen));
    lost_something_ = true;
    return;
  }
  // Recorded first: whoever sees the effect must find the cause in the trace.
  seen.at = std::chrono::steady_clock::now();
  host_.record(std::move(seen));
  send(sink(d), frame);
}

void ProxyConnection::drop(Seen seen) {
  seen.at = std::chrono::steady_clock::now();
  seen.delivered = false;
  host_.record(std::move(seen));
}

void ProxyConnection::drop_held() {
  for (Stream* s : {&to_server_, &to_client_}) {
    if (s->held) drop(std::move(s->held->seen));
    s->held.reset();
  }
}

void ProxyConnection::send(End& end, std::string_view bytes) {
  if (bytes.empty() || (end.connected && !end.socket.is_open())) return;
  end.out.emplace_back(bytes);
  end.out_bytes += bytes.size();
  if (end.out_bytes > kMaxQueued) {
    close();
  } else {
    write(end);
  }
}

void ProxyConnection::write(End& end) {
  if (end.writing || end.out.empty() || !end.connected) return;
  end.writing = true;
  asio::async_write(end.socket, asio::buffer(end.out.front()),
                    [this, &end, self = shared_from_this()](const asio::error_code& error, std::size_t) {
                      end.writing = false;
                      end.out_bytes -= end.out.front().size();
                      end.out.pop_front();
                      if (error) {
                        // The reading side learns of it too, in order, and decides what follows.
                        end.out.clear();
                        end.out_bytes = 0;
                      }
                      write(end);
                      if (ending_) close_if_flushed(end);
                    });
}

void ProxyConnection::cut() {
  if (ending_) return;
  ending_ = true;
  drop_held();
  close_if_flushed(client_);
  // A server that is not connected yet is taken care of when it is.
  if (server_.connected || !server_.socket.is_open()) close_if_flushed(server_);
}

void ProxyConnection::close_if_flushed(End& end) {
  if (!end.out.empty() && end.socket.is_open()) return;
  if (&end == &server_ && server_.socket.is_open() && !to_client_.source_ended) {
    asio::error_code ignored;
    server_.socket.shutdown(tcp::socket::shutdown_send, ignored);  // and read on until the server closes
    return;
  }
  close_socket(end);
}

void ProxyConnection::close_socket(End& end) {
  asio::error_code ignored;
  end.socket.close(ignored);
  if (!client_.socket.is_open() && !server_.socket.is_open()) {
    ending_ = true;
    host_.gone(shared_from_this());
  }
}

void ProxyConnection::close() {
  ending_ = true;
  drop_held();
  close_socket(client_);
  close_socket(server_);
}

}  // namespace holdfast::testing
