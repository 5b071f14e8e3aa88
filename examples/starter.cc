// starter.cc -- what is an annotated method in Java: each call of it holds a lock, and its body does not show how.
//
//   holdfast_starter [URL]      memory: (default) or, for example, zk://127.0.0.1:2181
//
// Two machines export all orders at the same time. Java, with a starter:            Here:
//
//   @ZookeeperLock(requireTime = 60)                                                 void export_all() {
//   public void exportAll() { ... }                                                    HOLDFAST_LOCKED(client_, {.wait = 60s});
//
// The lock has the name of the function, unless it is given another; a call waits for it as long as it says, by default 3 s.
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "holdfast/holdfast.h"

namespace {

void say(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

}  // namespace

namespace shop {

using namespace std::chrono_literals;

class Machine {
 public:
  Machine(const std::string& url, std::string name)
      : name_(std::move(name)), client_(holdfast::Client::connect(url, {.purpose = name_})) {}

  void export_all() {
    HOLDFAST_LOCKED(client_, {.wait = 60s});
    say(name_ + " exports");
    std::this_thread::sleep_for(50ms);
    export_one(7);
    say(name_ + " has exported");
  }

  // Of one order, with the order's number in the name of the lock.
  void export_one(int order) {
    HOLDFAST_LOCKED(client_, holdfast::lock_name("orders/{}", order));
    for (const auto& lock : client_.inspect_all()) say(name_ + " holds " + lock.name);
  }

 private:
  std::string name_;
  holdfast::Client client_;
};

}  // namespace shop

int main(int argc, char** argv) {
  try {
    const std::string url = argc > 1 ? argv[1] : "memory:";
    shop::Machine a(url, "machine A");
    shop::Machine b(url, "machine B");
    auto first = std::async(std::launch::async, [&] { a.export_all(); });
    auto second = std::async(std::launch::async, [&] { b.export_all(); });
    first.get();
    second.get();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "holdfast_starter: " << failure.what() << '\n';
    return 1;
  }
}
