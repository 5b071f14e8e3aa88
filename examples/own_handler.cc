// own_handler.cc -- a handler of your own: here, one that says every wait that took long.
//
//   holdfast_own_handler [URL]      memory: (default) or, for example, zk://127.0.0.1:2181
#include <exception>
#include <iostream>
#include <memory>

#include "holdfast/holdfast.h"

namespace {

using namespace std::chrono_literals;

struct SlowWaits : holdfast::LockHandler {
  holdfast::AcquireOutcome acquire(const holdfast::AcquireRequest& request,
                                   const holdfast::AcquireNext& next) override {
    const auto begin = holdfast::Clock::now();
    auto outcome = next(request);
    if (holdfast::Clock::now() - begin < 20ms) return outcome;
    std::cout << request.name() << (outcome ? " took long" : " was not acquired: " + outcome.message()) << std::endl;
    return outcome;
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string url = argc > 1 ? argv[1] : "memory:own-handler";
    auto rival = holdfast::Client::connect(url);
    auto client = holdfast::Client::connect(url, {.program = "shop", .handlers = {std::make_shared<SlowWaits>()}});
    auto order = client.mutex("orders/1");
    { const holdfast::Lease lease = order.acquire(); }
    const holdfast::Lease held = rival.mutex("orders/1").acquire();
    return order.try_lock_for(50ms) ? 1 : 0;
  } catch (const std::exception& failure) {
    std::cerr << "holdfast_own_handler: " << failure.what() << '\n';
    return 1;
  }
}
