// patience.h -- one timer for many waits that are all equally long.
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

class Patience {
  using Clock = asio::steady_timer::clock_type;

 public:
  class Waiter {
   public:
    // Its wait is over and forgotten; it may begin another.
    virtual void waited_enough() = 0;

   protected:
    ~Waiter() = default;
  };

  struct Entry {
    Clock::time_point until;
    Waiter* waiter;
  };
  using Wait = std::list<Entry>::iterator;

  Patience(asio::io_context& context, std::chrono::milliseconds wait) : timer_(context), wait_(wait) {}

  // The waiter stays where it is until the wait is over or ended.
  Wait begin(Waiter& waiter);
  void end(Wait wait);

 private:
  void arm();
  void ring();

  asio::steady_timer timer_;
  std::chrono::milliseconds wait_;
  std::list<Entry> entries_;
  bool armed_ = false;
  // A handler that could not be cancelled any more finds out by this that there is nothing left to do.
  std::shared_ptr<Patience*> self_ = std::make_shared<Patience*>(this);
};

}  // namespace holdfast::server
