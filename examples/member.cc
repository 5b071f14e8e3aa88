// member.cc -- the lock of member 123, for which clients A to E wait up to five minutes. C leaves while it waits; from
// then on D listens to B, the one that was before C. No other client notices.
//
//   holdfast_member [URL] [--step]      memory: (default) or, for example, zk://127.0.0.1:2181
//
// --step waits for Enter before each change, so that there is time to look at the queue from outside, for example with
// `ls /member-123` in zkCli.sh.
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 5min;
constexpr auto kBusiness = 50ms;

void say(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

class Waiter {
 public:
  Waiter(const std::string& url, std::string name)
      : name_(std::move(name)), client_(holdfast::Client::connect(url, {.purpose = name_})) {}

  void queue_up() {
    done_ = std::async(std::launch::async, [this] { wait_and_work(); });
  }
  // As when its machine is switched off in good order: the session ends, and with it the ticket.
  void leave() {
    client_.close();
    done_.get();
  }
  void finish() { done_.get(); }

  const std::string& name() const { return name_; }

 private:
  void wait_and_work() {
    auto mutex = client_.mutex("member-123");
    auto result = mutex.try_acquire_for(kPatience);
    if (!result) {
      say(name_ + " leaves: " + result.error().message());
      return;
    }
    say(name_ + " holds, token " + std::to_string(result.lease().token()));
    std::this_thread::sleep_for(kBusiness);
    say(name_ + " releases");
  }

  std::string name_;
  holdfast::Client client_;
  std::future<void> done_;
};

// Until `count` are in the queue, the holder included. A try that gives up tells how many were ahead of it.
void wait_for_queue(holdfast::Mutex& visitor, std::size_t count) {
  const auto deadline = holdfast::Clock::now() + 30s;
  while (holdfast::Clock::now() < deadline) {
    if (visitor.try_acquire_for(100ms).ahead() == count) return;
  }
  throw std::runtime_error("the queue did not grow to " + std::to_string(count));
}

void step(bool wanted) {
  std::string line;
  if (wanted) std::getline(std::cin, line);
}

void run(const std::string& url, bool steps) {
  auto client = holdfast::Client::connect(url, {.purpose = "A"});
  auto mutex = client.mutex("member-123");
  auto visitors_client = holdfast::Client::connect(url, {.purpose = "visitor"});
  auto visitor = visitors_client.mutex("member-123");
  std::array<Waiter, 4> waiters{Waiter{url, "B"}, Waiter{url, "C"}, Waiter{url, "D"}, Waiter{url, "E"}};
  auto& [b, c, d, e] = waiters;

  auto held = mutex.try_acquire_for(kPatience);
  if (!held) throw std::runtime_error("A: " + held.message());
  say("A holds, token " + std::to_string(held.lease().token()));
  std::size_t queued = 1;
  for (auto& waiter : waiters) {
    waiter.queue_up();
    wait_for_queue(visitor, ++queued);
    say(waiter.name() + " waits");
  }

  step(steps);
  c.leave();
  wait_for_queue(visitor, --queued);
  say("D still waits");

  step(steps);
  say("A releases");
  held.lease().release();
  for (auto* waiter : {&b, &d, &e}) waiter->finish();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string url = "memory:";
    bool steps = false;
    for (const std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
      if (argument == "--step") {
        steps = true;
      } else {
        url = argument;
      }
    }
    run(url, steps);
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "holdfast_member: " << failure.what() << '\n';
    return 1;
  }
}
