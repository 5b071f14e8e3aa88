// faulty_service.h -- a storage service inside a test, that fails when it is told to: what does my code do when lost() fires?
//
//   holdfast::testing::FaultyService service;
//   auto client = service.connect("worker");
//   ...
//   service.expire("worker");   // its session has ended: no lease of it is held when this returns, and lost() fires
//
// A fault happens when it is told and at no other time, and has happened when the call returns: no test has to wait for one. The service ends no
// session by itself, however long it hears nothing; expire() does. What the client does by its own clock, it does: after cut() or pause() its
// leases are lost at valid_until(), which is real time, so a test that wants to see that gives its client a short session_timeout.
//
//              requests                                  holds and waiters                           ends with
//   pause      none is answered (all clients)            lost at valid_until()                       resume: they are answered, in order
//   cut        `not_connected`; those under way unknown  jeopardy, then lost at valid_until()        mend: the session goes on
//   expire     -                                         lost immediately; tickets are gone          a new session, by itself
//   lose       the next one ends without a reply         jeopardy for a moment                       the connection is back, by itself
//
// In a library of its own: find_package(holdfast COMPONENTS testing), target holdfast::testing. docs/testing.md has an example.
#pragma once

#include <memory>
#include <string>

#include "holdfast/client.h"
#include "holdfast/language.h"

namespace holdfast::testing {

// What a client asks of a service; spi/queue_backend.h has more about each.
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

// Clients are called by the names that they are given here. Of several with one name, all have the fault.
//
// Thread safety: all members from any thread, but not from a callback of one of its clients. Clients may outlive it; then no fault comes.
class FaultyService {
 public:
  FaultyService();
  ~FaultyService();
  FaultyService(const FaultyService&) = delete;
  FaultyService& operator=(const FaultyService&) = delete;

  // A client of this service. Throws Error as Client::connect() does: not_connected while it is paused, or cut.
  Client connect(const std::string& name, ClientOptions options = {});
  // The same for code that connects by itself: Client::connect(service.backend("worker"), options).
  Client::BackendFactory backend(const std::string& name,
                                 std::chrono::milliseconds session_timeout = ClientOptions().session_timeout);

  // The service stands still, for all its clients, and goes on. Twice is once.
  void pause();
  void resume();
  // The connection of a client breaks, and comes back. Before it connects, too. Twice is once.
  void cut(const std::string& name);
  void mend(const std::string& name);
  // The service ends the session of a client, and removes its tickets. One that is cut, or a service that is paused, tells it when that ends.
  // Throws std::invalid_argument if there is no such client.
  void expire(const std::string& name);
  // The connection breaks when the client has made the next request of that kind, and is back. The request has taken effect (its reply is
  // lost), or has not. Throws std::invalid_argument if there is no such client.
  void lose_next_reply(const std::string& name, Operation operation = Operation::any);
  void lose_next_request(const std::string& name, Operation operation = Operation::any);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::testing
