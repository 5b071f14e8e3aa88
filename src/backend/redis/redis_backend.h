// redis_backend.h -- the SPI on Redis: queues of tickets, one script for each request (scripts.h).
//
//   SPI            requests                             round trips
//   open           HELLO, SELECT, SCRIPT LOAD; hello    2
//   enqueue        enqueue, of one or of many           1
//   listen         listen                               1
//   dequeue        dequeue                              1, not waited for by the lock
//   everything else                                     1 each
//
// Every answered request is a sign of life, and each carries what this client knows about the session clock (session_clock.h).
//
// A connection that breaks: hello takes the session up again on the next one, with another number. What is still on its way over the
// old one then has the wrong number and does nothing, so that find() is final. What was published meanwhile is lost: every listener looks again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/redis/scripts.h"
#include "backend/redis/session_clock.h"
#include "holdfast/spi/queue_backend.h"
#include "net/client_tls.h"
#include "net/reactor.h"
#include "redis/client.h"

namespace holdfast::redis {

// Where the queues are.
struct Store {
  Client::Options client{};  // its `silence`, `scripts` and `connection_timeout` are set here
  std::string prefix = "holdfast";
  std::string called{};  // for people: "Redis at 10.0.0.1:6379"
};

class RedisBackend final : public spi::QueueBackend {
 public:
  RedisBackend(net::Reactor& reactor, Store store, std::chrono::milliseconds session_timeout,
               std::shared_ptr<net::ClientTls> tls = nullptr);

  void open(spi::Observer& observer) override;
  void enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) override;
  void find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) override;
  void list(const std::string& queue, spi::Callback<spi::Listing> done) override;
  void dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) override;
  ListenerId listen(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override;
  ListenerId listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override;
  void ignore(ListenerId listener) override;
  void beat(spi::Callback<spi::Nothing> done) override { beat_again(std::move(done)); }
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  std::string mark_of(const std::string& ticket) const override { return std::string(kMarkOf) + ticket; }
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
  std::string path(const std::string& queue) const override { return "/" + queue; }
  spi::SemaphoreQueues semaphore(const std::string& name) const override {
    return {.turns = fmt_name(name, kTurns), .permits = fmt_name(name, kPermits)};
  }

 private:
  struct Listener {
    std::string member{};  // as it is stored, without session and id
    // What asks for it again after a reconnect.
    Script script = Script::listen;
    std::vector<std::string> words{};
    spi::TicketListener told{};       // of a ticket or a queue
    spi::CountListener count_told{};  // of a count
    std::string last{};               // what was told last, so that nothing is told twice
    bool armed = false;
  };

  static std::string fmt_name(const std::string& name, std::string_view part) { return name + "/" + std::string(part); }

  void say_hello();
  void greeted(const std::optional<resp::Value>& answer, Clock::time_point sent);
  void session_begins(const resp::Value& answer, Clock::time_point sent);
  void session_is_over();
  void lost();
  void refused(const std::string& why);
  void told(const std::string& channel, const std::string& text);
  void tell(ListenerId id, char what, const std::string& text);
  void look_again();
  // A claim may not say more than a part of the shortest timeout of all sessions. While this client listens, it beats as often as that
  // session does, so that its end is not noticed late.
  void keep_pace(const resp::Value& shortest);
  SessionTime pace() const;
  void beat_again(spi::Callback<spi::Nothing> done);

  // The words of a script: keys, session, connection, claim, channel; and its own.
  resp::Command words_of(std::vector<std::string> words, Clock::time_point now) const;
  // Asks the store; `parse` makes a T of an answer that is OK.
  template <class T, class Parse>
  void request(Script script, std::vector<std::string> words, spi::Callback<T> done, Parse parse);
  template <class T>
  void answer(spi::SessionId session, Clock::time_point sent, const std::optional<resp::Value>& value,
              const spi::Callback<T>& done, const std::function<spi::Reply<T>(const resp::Value&)>& parse);
  template <class T, class Parse>
  ListenerId add_listener(Listener listener, spi::Callback<T> armed, Parse parse);
  std::string channel() const;

  // As often as every client beats (lock/validity.h): often enough to drive the session clock at full speed.
  static constexpr int kBeatsPerTimeout = 6;
  static constexpr std::chrono::milliseconds kShortestPause{20};

  net::Reactor& reactor_;
  const Store store_;
  const SessionTime asked_timeout_;
  const std::vector<std::string> keys_;
  Client client_;
  spi::Observer* observer_ = nullptr;
  ClockWitness witness_;
  spi::Session session_;    // id 0: none
  std::string connection_;  // its number
  bool connected_ = false;  // and greeted
  bool had_session_ = false;
  bool closed_ = false;
  std::string not_yet_;  // why there is no session although there is a connection
  net::Reactor::TimerId hello_timer_ = net::Reactor::kNoTimer;
  SessionTime shortest_timeout_{};  // of all sessions, as far as is known
  net::Reactor::TimerId pace_timer_ = net::Reactor::kNoTimer;
  std::map<ListenerId, Listener> listeners_;
  ListenerId last_listener_ = 0;
};

}  // namespace holdfast::redis
