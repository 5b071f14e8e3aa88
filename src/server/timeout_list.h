// timeout_list.h -- one timer for many waits that are all equally long.
//
// The wait that begins last is the last to end, so a list in the order of arrival is sorted: beginning and
// ending a wait cost the same with one connection and with ten thousand.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <list>
#include <memory>

namespace holdfast::server {

class TimeoutList {
  using Clock = asio::steady_timer::clock_type;

 public:
  class Handler {
   public:
    // Its wait is over and forgotten; it may begin another.
    virtual void timed_out() = 0;

   protected:
    ~Handler() = default;
  };

  struct Entry {
    Clock::time_point until;
    Handler* handler;
  };
  using Wait = std::list<Entry>::iterator;

  TimeoutList(asio::io_context& context, std::chrono::milliseconds wait) : timer_(context), wait_(wait) {}

  // The handler stays where it is until the wait is over or ended.
  Wait begin(Handler& handler);
  void end(Wait wait);

 private:
  void arm();
  void ring();

  asio::steady_timer timer_;
  std::chrono::milliseconds wait_;
  std::list<Entry> entries_;
  bool armed_ = false;
  // A handler that could not be cancelled any more finds out by this that there is nothing left to do.
  std::shared_ptr<TimeoutList*> self_ = std::make_shared<TimeoutList*>(this);
};

}  // namespace holdfast::server
