// orders.cc -- five machines contend for the lock of order 1. Each does its business for a while and releases, in order.
//
//   holdfast_orders [URL]      memory: (default) or, for example, zk://127.0.0.1:2181
//
// Here a machine is a client with a session of its own. It makes no difference to the lock whether they live in one
// program or in five.
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"

namespace {

using namespace std::chrono_literals;

constexpr int kMachines = 5;
constexpr auto kBusiness = 50ms;

void say(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

void work(const std::string& url, int number) {
  const std::string machine = "machine " + std::to_string(number);
  auto client = holdfast::Client::connect(url, {.purpose = machine});
  auto mutex = client.mutex("orders/1");
  say(machine + " wants order 1");
  holdfast::Lease lease = mutex.acquire();
  // Tokens grow in the order of the queue: first come, first served.
  say(machine + " has order 1, token " + std::to_string(lease.token()));
  std::this_thread::sleep_for(kBusiness);
  // A client that writes now sends the token along; see docs/fencing.md.
  say(machine + (lease.is_held() ? " is done" : " lost it"));
}  // the lease ends here

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string url = argc > 1 ? argv[1] : "memory:";
    std::vector<std::future<void>> machines;
    for (int number = 1; number <= kMachines; ++number) {
      machines.push_back(std::async(std::launch::async, work, url, number));
    }
    for (auto& machine : machines) machine.get();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "holdfast_orders: " << failure.what() << '\n';
    return 1;
  }
}
