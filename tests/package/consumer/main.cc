// The README's first program, as a user would write it: only installed headers, only installed libraries.
#include <holdfast/client.h>

#include <iostream>
#include <mutex>

int main(int count, char** arguments) {
  auto client = holdfast::Client::connect(count > 1 ? arguments[1] : "memory:");
  holdfast::Mutex mutex = client.mutex("orders/123");
  { std::scoped_lock hold(mutex); }

  holdfast::Fence fence;
  holdfast::Lease lease = mutex.acquire();
  if (!lease.is_held() || !fence.admit(lease.token())) {
    std::cerr << "acquired, and yet not held\n";
    return 1;
  }
  std::cout << "held with token " << lease.token() << "\n";
  return 0;  // said, because this is also built as a function of a plugin
}
