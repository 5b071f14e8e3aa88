// loop.h -- the seam through which time, order and threads reach the service: it asks no clock and starts no thread itself.
//
//                  ThreadedLoop                      a simulation
//   time           of the machine                    virtual: jumps to the next thing to happen
//   post(), at()   asio, in one thread at a time     a list of things to happen
//   step_out()     the disk may take its time        the disk answers immediately
//   background()   a thread                          the same list
//
// What is posted and what a timer runs is never run inside another handler: one handler at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/moment.h"

namespace holdfast::server {

// A second thread for long writes, of one part of the service.
class Background {
 public:
  // Waits for what is under way. What has not begun is dropped.
  virtual ~Background() = default;
  // Once the one before is done.
  virtual void run(std::function<void()> work) = 0;
  // Until all that was given is done. Blocks; in the loop.
  virtual void wait() = 0;
};

class Loop {
 public:
  using Function = std::function<void()>;
  // Done in the loop, after what was slow.
  using Rest = std::function<void()>;

  virtual ~Loop() = default;

  // Of a clock that never goes back and never jumps.
  virtual engine::Moment now() const noexcept = 0;
  // Of the wall clock since the epoch. Nodes carry it in milliseconds.
  virtual std::chrono::microseconds wall_clock() const noexcept = 0;
  std::int64_t wall_time() const noexcept { return wall_clock() / std::chrono::milliseconds(1); }
  // The wall clock as it was when this process first asked, carried on by now(): steps of the wall clock do not reach it.
  virtual std::chrono::microseconds growing_wall_clock() const noexcept = 0;

  // Runs `f` in the loop, after what was posted before; never inside this call.
  virtual void post(Function f) = 0;
  // Runs `f` in the loop at `when` or as soon after as possible. Cannot be taken back: `f` finds out whether it is still wanted.
  virtual void at(engine::Moment when, Function f) = 0;

  // The last thing that a handler does. `slow` may take its time and must touch nothing that belongs to the loop; what it returns
  // is called in the loop. One at a time.
  virtual void step_out(const std::function<Rest()>& slow) = 0;
  // In a handler: until `slow` is over, which was left behind in another thread. Its rest may still come.
  virtual void wait_for_slow() = 0;

  virtual std::unique_ptr<Background> background(const char* name) = 0;
};

}  // namespace holdfast::server
