// family_holder -- a process that holds until it is killed.
//
//   holdfast_family_holder <host:port> permits|several <name> <session timeout in ms>
//
// Speaks the line protocol of tests/peers/README.md, of which it knows "acquire".
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "holdfast/holdfast.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    const std::string name = argv[3];
    auto client = holdfast::Client::connect(std::string("zk://") + argv[1],
                                            {.session_timeout = std::chrono::milliseconds(std::stol(argv[4]))});
    std::puts("ready");
    std::fflush(stdout);
    holdfast::Lease lease;
    for (std::string line; std::getline(std::cin, line) && line == "acquire";) {
      lease = std::string(argv[2]) == "permits" ? client.semaphore(name, 1).acquire()
                                                : client.multi_lock({{name + "/a"}, {name + "/b"}}).acquire();
      std::printf("acquired %s\n", std::to_string(lease.token()).c_str());
      std::fflush(stdout);
    }
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "family_holder: %s\n", failure.what());
    return 1;
  }
}
