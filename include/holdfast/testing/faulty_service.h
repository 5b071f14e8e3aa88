// faulty_service.h -- a storage service inside a test, which fails when it is told to: what does my code do when lost() fires?
//
// Example:
//
//   holdfast::testing::FaultyService service;
//   auto client = service.connect("worker");
//   const auto lease = client.mutex("orders/123").acquire();
//   service.expire("worker");  // its session has ended: no lease of it is held when this returns, and lost() fires
//   EXPECT_FALSE(lease.is_held());
//
// A fault happens when a test calls for it and at no other time, and has happened when the call returns: no test has to wait for one. The
// service ends no session on its own, however long it hears nothing; expire() does. The client's own clock is real: after cut() or pause() its
// leases are lost at valid_until(), so a test that wants to see that gives its client a short session_timeout.
//
//   fault     requests                                   holds and waiters                     ends with
//   pause     of all clients, none is answered           lost at valid_until()                 resume: they are answered, in order
//   cut       not_connected; those under way unknown     jeopardy, then lost at valid_until()  mend: the session goes on
//   expire    -                                          lost immediately; tickets are gone    a new session, without a call
//   lose      the next one ends without a reply          jeopardy for a moment                 a new connection, without a call
//
// It is a library of its own: find_package(holdfast COMPONENTS testing), target holdfast::testing. docs/testing.md tests a small program with it.
#pragma once

#include <memory>
#include <string>

#include "holdfast/client.h"
#include "holdfast/language.h"

namespace holdfast::testing {

// What a client asks of a service, one for each call of spi/queue_backend.h.
enum class Operation {
  any,
  enqueue,
  find,
  list,
  dequeue,
  read,
  listen,
  beat,
  check,
  write,
  mark,
  count,
  examine,
  commit
};

// Clients have the names that are given to them here. If several have one name, all of them have the fault.
//
// Thread safety: all members from any thread, but not from a callback of one of its clients. Clients may outlive it, and then have no faults.
class FaultyService {
 public:
  FaultyService();
  ~FaultyService();
  FaultyService(const FaultyService&) = delete;
  FaultyService& operator=(const FaultyService&) = delete;

  // A client of this service. Throws Error as Client::connect() does: not_connected while the service is paused, or the client cut.
  Client connect(const std::string& name, ClientOptions options = {});
  // The same for code that connects by itself: Client::connect(service.backend("worker"), options).
  Client::BackendFactory backend(const std::string& name,
                                 std::chrono::milliseconds session_timeout = ClientOptions().session_timeout);

  // The service stands still for all its clients, and goes on. A second call in a row has no effect.
  void pause();
  void resume();
  // The connection of a client breaks, and comes back; also before it has connected. A second call in a row has no effect.
  void cut(const std::string& name);
  void mend(const std::string& name);
  // The service ends the session of a client, and removes its tickets. A client that is cut, or whose service is paused, hears of it when that
  // ends. Throws std::invalid_argument if there is no such client.
  void expire(const std::string& name);
  // When the client makes the next request of that kind, the connection breaks, and is then back. The request has taken effect (only its reply
  // is lost), or has not. Throws std::invalid_argument if there is no such client.
  void lose_next_reply(const std::string& name, Operation operation = Operation::any);
  void lose_next_request(const std::string& name, Operation operation = Operation::any);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::testing
