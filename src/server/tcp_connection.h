// tcp_connection.h -- one client behind a socket, with TLS or without.
//
//               close()       the client is gone,    all is sent    the client closes,
//                             or breaks a rule                      or kLinger is over
//   open        -> draining   -> closed, host told   -              -
//   draining    nothing       -> closed              -> lingering   -
//   lingering   nothing       -                      -              -> closed
//   closed      nothing       -                      -              -
//
// Owned by its pending operations and by the owner of the Peer. Nothing here calls the host from inside a call of the host:
// what send() or hold_back() lead to happens in a later turn of the loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/tls_stream.h"
#include "server/connection_context.h"
#include "server/frame_reader.h"
#include "server/peer.h"

namespace holdfast::server {

class TcpConnection final : public Peer,
                            public TimeoutList::Handler,
                            public Account::Owner,
                            public std::enable_shared_from_this<TcpConnection> {
 public:
  // `tls` is empty for a plain connection. `source` has been entered.
  TcpConnection(std::shared_ptr<ConnectionContext> shared, Socket socket, std::shared_ptr<Address> source,
                std::unique_ptr<net::TlsStream> tls);
  ~TcpConnection() override;
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  // Introduces itself to the host and begins to read.
  void start(Origin origin);

  void send(std::string frame) override;
  void close() override;
  void hold_back(bool held) override;
  void look_for_the_end(bool look) override;
  std::size_t unsent() const override { return gathered_bytes_ + flight_bytes_; }
  bool has_unread() const override;
  std::shared_ptr<Account> account() override { return account_; }

 private:
  enum class State { open, draining, lingering, closed };

  void read();
  // Memory may end in `step`: then so does the connection.
  template <class Step>
  void or_lose(Step step);
  void received(const std::error_code& error, std::size_t size);
  void take(std::size_t size);
  void unwrap(std::string_view bytes);
  FrameReader::Found next_frame();
  void deliver();
  void answer(std::string_view word);
  void choose_buffer(std::size_t last_read);

  void flush_soon();
  void flush();
  void load();
  void written(const std::error_code& error);
  void drained();

  void timed_out() override;
  void over_budget(std::size_t bytes) override;
  // Brings the account up to date.
  void count();
  void wait(TimeoutList& timeouts);
  void stop_waiting();

  // The client is gone or not worth another word.
  void lose();
  // The same, by our decision: the log says so. `what` it did.
  void refuse(Refusal why, std::string_view what);
  // finish(), and the host is told in a later turn of the loop.
  void finish_inside_host();
  // The same, but what is still to be sent is: a last word of TLS, the answer to a word.
  void part();
  void finish();
  void tell_host();

  const std::shared_ptr<ConnectionContext> shared_;
  Socket socket_;
  const std::shared_ptr<Address> source_;
  std::string client_;  // "10.0.0.1:40312"
  const std::unique_ptr<net::TlsStream> tls_;

  State state_ = State::open;
  ConnectionId id_ = 0;  // 0: the host does not know us, or not any more
  bool held_ = false;
  bool looking_for_the_end_ = false;
  bool reading_ = false;
  bool flush_due_ = false;
  bool stream_over_ = false;  // TLS has ended, but for what is in pending_

  FrameReader frames_;
  std::string buffer_;        // for what is read
  std::string plain_;         // what TLS made of it
  std::string_view pending_;  // what the host has not got yet: the end of buffer_ or of plain_

  std::vector<std::string> gathered_;
  std::vector<std::string> flight_;  // given to the kernel until all of it is out
  std::size_t gathered_bytes_ = 0;
  std::size_t flight_bytes_ = 0;

  std::shared_ptr<Account> account_;
  std::size_t counted_ = 0;  // of what this connection keeps itself

  TimeoutList* timeouts_ = nullptr;  // whose wait_ is
  TimeoutList::Wait wait_{};
};

}  // namespace holdfast::server
