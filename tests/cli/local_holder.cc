// local_holder -- a program that has a lock: local_holder URL NAME [SESSION TIMEOUT in ms]
//
// Says "token N" when it has it, and "lost" when it has not any more. Gives it back at the end of its stdin, and then says "held" or
// "not held", whichever it was until then. Exit 1, and one line on stdout, if it cannot get it at all.
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <stop_token>
#include <string>

#include "holdfast/holdfast.h"

namespace {

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return 64;
  holdfast::ClientOptions options;
  if (argc > 3) options.session_timeout = std::chrono::milliseconds(std::stoi(argv[3]));
  auto client = holdfast::Client::connect(argv[1], options);
  auto mutex = client.mutex(argv[2]);
  auto lease = mutex.acquire();
  const std::stop_callback<std::function<void()>> on_loss(lease.lost(), [] { say("lost"); });
  say("token " + std::to_string(lease.token()));
  while (std::getchar() != EOF) {
  }
  say(lease.is_held() ? "held" : "not held");
  return lease.release_for(std::chrono::seconds(10)) ? 1 : 0;
} catch (const std::exception& error) {
  say(error.what());
  return 1;
}
