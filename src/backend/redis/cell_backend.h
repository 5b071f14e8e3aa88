// cell_backend.h -- the SPI on locks of one key each: the classic lock of Redis, with an owner and a time to live, and Redisson's.
//
//   SPI            requests                                        round trips
//   open           HELLO, SELECT, SCRIPT LOAD; hello, extend       2
//   enqueue        acquire; none if this client has a ticket there  1
//   list, find     acquire if a ticket of ours waits, or look      1; none for what this client knows
//   listen         none, but acquire again and again               -
//   dequeue        remove, if the cell is or may be ours           1, not waited for by the lock
//   beat           extend, for all cells that are or may be ours   1
//   everything of the SPI that is not a mutex answers `unsupported`
//
// The session is this client's alone: it lasts as long as the client, and its validity is that of the cells. A beat gives all of them their
// whole time again, from a moment after it was sent; so does hello on the next connection. Nothing else moves the validity: an acquire says
// nothing about the other cells.
//
// The time to live runs by the server's wall clock. If that is set forwards, a cell ends early, and its holder learns it with the next beat:
// unlike mode=queue, this mode cannot promise that a holder knows before its rival. See docs/adr/0027.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/redis/cell_tickets.h"
#include "holdfast/spi/queue_backend.h"
#include "net/client_tls.h"
#include "net/reactor.h"
#include "redis/client.h"

namespace holdfast::redis {

// Where the cells are.
struct CellStore {
  Client::Options client{};  // its `silence`, `scripts` and `connection_timeout` are set here
  CellLayout layout{};
  std::string called{};  // for people: "Redis at 10.0.0.1:6379"
};

class CellBackend final : public spi::QueueBackend {
 public:
  // `time`: to live, of a cell that is not renewed.
  CellBackend(net::Reactor& reactor, CellStore store, std::chrono::milliseconds time,
              std::shared_ptr<net::ClientTls> tls = nullptr);

  void open(spi::Observer& observer) override;
  void enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) override;
  void find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) override;
  void list(const std::string& queue, spi::Callback<spi::Listing> done) override;
  void dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  bool shows_waiters() const override { return false; }
  Token token_of(const std::string& queue, const spi::Place& place) const override;
  void read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) override;
  ListenerId listen(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override;
  ListenerId listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override;
  void ignore(ListenerId listener) override;
  void beat(spi::Callback<spi::Nothing> done) override;
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  std::string mark_of(const std::string& ticket) const override { return "mark of " + ticket; }
  void abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) override;
  void make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) override;
  void read_count(const std::string& name, spi::Callback<std::int32_t> done) override;
  void set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) override;
  ListenerId listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                             spi::CountListener told) override;
  void examine(const std::string& queue, spi::Callback<spi::Examination> done) override;
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
              spi::Callback<spi::Nothing> done) override;
  std::function<void()> close() override;
  std::string where() const override { return store_.called; }
  std::string trouble() const override;
  std::string path(const std::string& queue) const override { return store_.layout.key_of(queue); }
  spi::SemaphoreQueues semaphore(const std::string& name) const override {
    return {.turns = name + "/turns", .permits = name + "/permits"};
  }

 private:
  using Answer = spi::Reply<resp::Value>;
  using Answered = std::function<void(const Answer&)>;
  using Settled = std::function<void(const spi::Reply<spi::Nothing>&)>;

  // An acquire that may still be executed although its ticket is gone: beats remove what it leaves.
  struct Stray {
    std::string key;
    std::string owner;
    std::string channel;
    Clock::time_point until{};
  };
  // What one extend asks about.
  struct Extension {
    CellTicketPtr ticket;
    std::string queue;
    std::string key;
    bool held = false;  // when it was asked
  };

  void say_hello();
  void greeted(const Answer& answer, Clock::time_point sent);
  void session_begins(Clock::time_point sent);
  void lost();
  void refused(const std::string& why);
  void told(const std::string& channel);

  // Sends a script, connected or only about to be; `done` is called later, with `ok` for whatever is not an error.
  void call(CellScript script, resp::Command words, Answered done);
  // The same for a request of the lock, which is a sign of life, too.
  void request(CellScript script, resp::Command words, Answered done);
  Answer answer_of(const std::optional<resp::Value>& value);
  // Answers without a request, later.
  template <class T>
  void reply_later(spi::Callback<T> done, spi::Reply<T> reply);
  // Nothing can be asked now.
  struct NoConnection {
    spi::Status status;
    std::string detail;
    template <class T>
    operator spi::Reply<T>() const {  // NOLINT(google-explicit-constructor): of any request
      return {status, detail, {}};
    }
  };
  NoConnection no_connection() const;
  template <class T>
  void unsupported(const spi::Callback<T>& done, std::string_view what);
  void look(const std::string& queue, std::function<void(const spi::Reply<std::optional<Stored>>&)> done);
  void remove(const std::string& key, const std::string& id, const std::string& channel,
              spi::Callback<spi::Nothing> done);
  // All cells that are or may be ours live on. The holders of those that do not are told. `done` comes after that.
  void extend_all(Settled done);
  void extended(const std::vector<Extension>& asked, const resp::Value& answer);
  std::vector<std::string> goodbye() const;

  Cell* cell_of(const std::string& queue);
  CellTicketPtr ticket_of(const std::string& queue, const std::string& id);
  // Tries to get the cell for its first ticket, or joins the attempt that is under way.
  void acquire(Cell& cell, Settled done = {});
  void acquired(const std::string& queue, const std::shared_ptr<CellAttempt>& attempt, const Answer& answer);
  // Takes a ticket out of its queue; the next one has its turn.
  void take_out(Cell& cell, const CellTicketPtr& ticket);
  void tell(std::map<ListenerId, spi::TicketListener>& listeners, spi::Status status, const std::string& detail);
  // Begins or ends to wait for the cell, as its first ticket wants.
  void settle(Cell& cell);
  void wait_a_while(Cell& cell);
  spi::Enqueued enqueued(const Cell& cell, const CellTicket& ticket) const;

  net::Reactor& reactor_;
  const CellStore store_;
  const std::chrono::milliseconds time_;
  const std::string uuid_;  // of this client
  Client client_;
  spi::Observer* observer_ = nullptr;
  spi::Session session_;
  bool connected_ = false;  // and greeted
  bool closed_ = false;
  std::string not_yet_;                // why there is no session although there is a connection
  std::map<std::string, Cell> cells_;  // by queue: those in which this client has a ticket
  std::map<std::string, std::string> queue_of_channel_;
  std::vector<Stray> strays_;
  std::map<ListenerId, std::weak_ptr<CellTicket>> listening_;
  ListenerId last_listener_ = 0;
  std::int64_t last_sequence_ = 0;
};

template <class T>
void CellBackend::reply_later(spi::Callback<T> done, spi::Reply<T> reply) {
  reactor_.post([this, done = std::move(done), reply = std::move(reply)]() mutable {
    if (closed_) reply = {spi::Status::closed, "the client was closed", {}};
    done(std::move(reply));
  });
}

template <class T>
void CellBackend::unsupported(const spi::Callback<T>& done, std::string_view what) {
  reply_later<T>(done, {spi::Status::unsupported,
                        fmt::format("{}: mode={} has mutexes only, one key for each; mode=queue has the rest", what,
                                    store_.layout.mode()),
                        {}});
}

}  // namespace holdfast::redis
