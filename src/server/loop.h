// loop.h -- the thread of the service, and another one that takes its place while it waits for a disk that hangs.
//
//   thread one   handler  handler  sync------------------------------+ (back: stands by)
//   thread two   stands by            looks: still? takes the loop -> handler  handler  what the sync came to  handler
//
// A write is logged by the thread that executed it: waking another one for it, and being woken, would cost as much time as a good
// part of the sync. But nobody else's ping may wait for a disk, so somebody looks whether it takes long. At no time do two threads
// run handlers.
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::server {

class Loop {
 public:
  // Done in the loop, after what was slow.
  using Rest = std::function<void()>;

  Loop() = default;
  // join() first, if it was started.
  ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  asio::io_context& context() { return context_; }

  void start();
  // Until context().stop().
  void join();

  // The last thing that a handler does. `slow` may take its time and must touch nothing that belongs to the loop; what it returns
  // is called in the loop. One at a time.
  void step_out(const std::function<Rest()>& slow);
  // In a handler: until `slow` is over, which was left behind in another thread. Its rest may still come.
  void wait_for_slow();

 private:
  enum class Place {
    loop,      // nobody is out
    out,       // the loop's thread is, and nobody runs the loop
    replaced,  // it is, and the other one runs the loop
  };

  void serve(bool begins);
  void run_handlers();
  // Until the loop has to be taken over (true) or has ended (false).
  bool stand_by();

  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> busy_{context_.get_executor()};
  std::atomic<Place> place_ = Place::loop;
  std::atomic<std::uint64_t> times_out_ = 0;
  std::atomic<bool> looking_ = false;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread one_;
  std::thread two_;
};

}  // namespace holdfast::server
