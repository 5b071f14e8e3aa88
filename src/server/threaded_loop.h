// threaded_loop.h -- the thread of the service, and another one that takes its place while it waits for a disk that hangs.
//
//   thread one   handler  handler  sync------------------------------+ (back: stands by)
//   thread two   stands by            looks: still? takes the loop -> handler  handler  what the sync came to  handler
//
// A write is logged by the thread that executed it: waking another one for it, and being woken, would cost as much time as a good
// part of the sync. But no other client's ping may wait for a disk, so the second thread looks whether it takes long. At no time do two threads
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

#include "server/loop.h"

namespace holdfast::server {

class ThreadedLoop final : public Loop {
 public:
  ThreadedLoop() = default;
  // join() first, if it was started.
  ~ThreadedLoop() override = default;
  ThreadedLoop(const ThreadedLoop&) = delete;
  ThreadedLoop& operator=(const ThreadedLoop&) = delete;

  asio::io_context& context() { return context_; }

  void start();
  // Until context().stop().
  void join();

  engine::Moment now() const noexcept override;
  std::chrono::microseconds wall_clock() const noexcept override;
  std::chrono::microseconds growing_wall_clock() const noexcept override;
  void post(Function f) override;
  void at(engine::Moment when, Function f) override;
  void step_out(const std::function<Rest()>& slow) override;
  void wait_for_slow() override;
  std::unique_ptr<Background> background(const char* name) override;

 private:
  enum class StepOut {
    none,      // no thread is out
    out,       // the loop's thread is, and no thread runs the loop
    replaced,  // it is, and the other one runs the loop
  };

  void serve(bool begins);
  void run_handlers();
  // Until the loop has to be taken over (true) or has ended (false).
  bool stand_by();

  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> busy_{context_.get_executor()};
  std::atomic<StepOut> step_out_ = StepOut::none;
  std::atomic<std::uint64_t> times_out_ = 0;
  std::atomic<bool> looking_ = false;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread one_;
  std::thread two_;
};

}  // namespace holdfast::server
