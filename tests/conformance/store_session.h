// store_session.h -- a session with the store under test, below the client: each request is made as the lock makes it, and its reply is
// held against the rules of spi/queue_backend.h that count for every request:
//
//  * the callback comes exactly once, and not before the request has returned;
//  * acknowledged() has been called before it, with a time that is not before the request.
//
// It runs in the Executor of a client that exists for that alone.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance.h"

namespace holdfast::testing {

class StoreSession final : private spi::Observer {
 public:
  // Waits for the session.
  explicit StoreSession(World& world, ClientOptions options = {});
  // close(); the backend goes when nothing runs in the Executor any more, and before that goes.
  ~StoreSession() override;

  // Runs `f` in the Executor and waits for it.
  void inside(const std::function<void()>& f);

  // A reply that is to come, or has come.
  template <class T>
  class Pending {
   public:
    bool is_answered_within(std::chrono::milliseconds time) const {
      return reply_.wait_for(time) == std::future_status::ready;
    }
    spi::Reply<T> get() const {
      if (is_answered_within(kSoon)) return reply_.get();
      ADD_FAILURE() << "the callback never came";
      return {spi::Status::unknown, "the callback never came", {}};
    }

   private:
    friend StoreSession;
    std::shared_future<spi::Reply<T>> reply_;
  };

  // Makes a request: request(backend, callback). From inside.
  template <class T, class Request>
  Pending<T> begin(Request request) {
    struct State {
      std::promise<spi::Reply<T>> promise;
      bool returned = false;
      int calls = 0;
    };
    const auto state = std::make_shared<State>();
    Pending<T> pending;
    pending.reply_ = state->promise.get_future().share();
    request(*backend_, [this, state, made = executor_->now()](spi::Reply<T> reply) {
      EXPECT_TRUE(state->returned) << "called back before the request had returned";
      ASSERT_EQ(++state->calls, 1) << "called back more than once";
      if (reply.status == spi::Status::ok || reply.status == spi::Status::absent) {
        EXPECT_GE(acknowledged_, made) << "the service answered, and acknowledged() was not called first";
      }
      state->promise.set_value(std::move(reply));
    });
    state->returned = true;
    return pending;
  }

  // The same from outside; waits for the reply.
  template <class T, class Request>
  spi::Reply<T> ask(Request request) {
    Pending<T> pending;
    inside([&] { pending = begin<T>(request); });
    return pending.get();
  }

  // The requests, one by one. They wait for the reply.
  spi::Reply<std::vector<spi::Enqueued>> enqueue(std::vector<spi::Request> requests);
  // One ticket; fails the test if there is none.
  spi::Enqueued enqueue(const std::string& queue, const std::string& uid, spi::Mode mode = spi::Mode::exclusive,
                        const std::string& card = {});
  spi::Reply<spi::Enqueued> find(const std::string& queue, const std::string& uid);
  spi::Listing list(const std::string& queue);
  spi::Reply<spi::Nothing> dequeue(const std::string& queue, const std::string& ticket);
  spi::Reply<spi::TicketText> read(const std::string& queue, const std::string& ticket);
  spi::Reply<spi::Nothing> write(const std::string& queue, const std::string& ticket, const spi::TicketText& text);
  spi::Reply<spi::Nothing> leave_mark(const std::string& queue, const std::string& ticket);
  std::vector<std::string> abandoned_marks(const std::string& queue);
  spi::Examination examine(const std::string& queue);
  spi::Reply<spi::Nothing> commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes);

  // For what has no reply: from inside, but for what is const.
  spi::QueueBackend& backend() { return *backend_; }
  const spi::QueueBackend& backend() const { return *backend_; }

  spi::Session session() const;
  // The sessions that the service has ended, by its own word.
  std::vector<spi::SessionId> expired_sessions() const;
  // As the client does it: inside, and then what may block outside. Idempotent.
  void close();

 private:
  void connected(const spi::Session& session) override;
  void disconnected() override {}
  void expired(spi::SessionId session) override;
  void acknowledged(spi::SessionId session, Clock::time_point sent, bool by_keeper) override;
  void refused(const std::string& why) override;

  spi::Executor* executor_ = nullptr;
  std::optional<Client> host_;  // whose Executor it is
  std::unique_ptr<spi::QueueBackend> backend_;
  Clock::time_point acknowledged_{};  // the last; from inside
  bool closed_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  spi::Session session_{};
  std::vector<spi::SessionId> expired_;
  std::string refused_;
};

}  // namespace holdfast::testing
