// proxy_connection.h -- one client's way through a FaultProxy. Not for tests.
//
//   passing --cut(), or an end closed its side--> ending --both sockets closed--> gone
//
// Two streams of frames, one per direction. A stream may be held: then its frames, and its end, queue up
// behind the one that is held. While ending, what was passed on before is still written, everything else
// is dropped; towards the server only our half is closed, and the rest read until the server closes, because
// a reset could make it overlook requests it has received but not read.
//
// Lives on the proxy's thread, kept alive by its pending operations.
#pragma once

#include <array>
#include <asio.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fault_rule_state.h"
#include "proxy_trace.h"
#include "zk_frame.h"

namespace holdfast::testing {

class ProxyConnection;

// What a connection asks of its proxy.
class ProxyHost {
 public:
  struct Decision {
    Verdict verdict;
    std::shared_ptr<Rule::State> rule;  // none: nobody to tell
  };

  virtual Decision decide(const Request& request) = 0;
  virtual bool dark(Direction direction) const = 0;
  virtual void fall_dark() = 0;
  virtual void record(Seen seen) = 0;
  virtual void gone(const std::shared_ptr<ProxyConnection>& connection) = 0;

 protected:
  ~ProxyHost() = default;
};

class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
 public:
  ProxyConnection(ProxyHost& host, asio::ip::tcp::socket client, std::size_t number);

  void start(std::uint16_t server_port);
  // There is no server behind this one: it was accepted in a black hole.
  void start_swallowed();

  void cut();
  // At once and for both sides; for the end of the proxy.
  void close();
  // Lets go what is held for `rule`; replies held for whatever rule if it is null.
  void release(const Rule::State* rule);

  // Nothing can be resumed on it.
  bool lost_something() const noexcept { return lost_something_; }
  bool client_open() const noexcept { return !ending_ && client_.socket.is_open(); }

 private:
  struct End {
    asio::ip::tcp::socket socket;
    std::array<char, 65'536> in{};
    std::deque<std::string> out{};
    std::size_t out_bytes = 0;
    bool connected = false;
    bool writing = false;
  };
  struct Held {
    std::string frame;
    Seen seen;
    std::shared_ptr<Rule::State> rule;
    std::shared_ptr<asio::steady_timer> timer;  // none: until release()
  };
  struct Stream {
    FrameSplitter splitter{};
    bool handshaken = false;
    bool source_ended = false;
    std::optional<Held> held{};
  };
  // A request on its way, for its reply to be recognised.
  struct Pending {
    std::int32_t xid;
    Op op;
    std::string path;
    Action action;  // what is to happen to the reply
    std::shared_ptr<Rule::State> rule;
  };

  End& source(Direction d) { return d == Direction::to_server ? client_ : server_; }
  End& sink(Direction d) { return d == Direction::to_server ? server_ : client_; }
  Stream& stream(Direction d) { return d == Direction::to_server ? to_server_ : to_client_; }
  bool dark(Direction d) const { return swallowed_ || host_.dark(d); }

  void read(Direction d);
  void pump(Direction d);
  void handle_request(std::string_view frame);
  void handle_reply(std::string_view frame);
  std::optional<Pending> take_pending(std::int32_t xid);
  void hold(Direction d, Held held);
  void let_go(Direction d);
  // Records, then passes on, unless it is dark.
  void pass(Direction d, std::string_view frame, Seen seen);
  void drop(Seen seen);
  void drop_held();
  void send(End& end, std::string_view bytes);
  void write(End& end);
  void close_if_flushed(End& end);
  void close_socket(End& end);

  ProxyHost& host_;
  const std::size_t number_;
  End client_;
  End server_;
  Stream to_server_;
  Stream to_client_;
  std::deque<Pending> pending_;
  std::set<std::string> created_;  // nodes
  bool swallowed_ = false;
  bool lost_something_ = false;
  bool ending_ = false;
};

}  // namespace holdfast::testing
