#include "measure/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "measure/library_session.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kPerDirectory = 1'000;
// Of one multi: far below the largest frame.
constexpr std::size_t kAtOnce = 1'000;
// Unanswered requests of a session: enough that server and client never wait for each other.
constexpr std::size_t kWindow = 256;
const std::string kData(16, 'x');

std::string directory_path(std::size_t number) { return fmt::format("/many/{}", number); }

void make(zhandle_t* handle, const std::string& path) {
  const int code = zoo_create(handle, path.c_str(), kData.data(), static_cast<int>(kData.size()), &ZOO_OPEN_ACL_UNSAFE,
                              0, nullptr, 0);
  if (code != ZNODEEXISTS) must(code, "create");
}

// How many requests are under way, and whether one has failed.
class Window {
 public:
  // Waits until there is room for one more.
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_ < kWindow; });
    ++open_;
  }
  void leave(int code) {
    const std::lock_guard lock(mutex_);
    if (code != ZOK) code_ = code;
    if (--open_ <= kWindow / 2) changed_.notify_one();
  }
  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_ == 0; });
    must(code_, "a request of many");
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t open_ = 0;
  int code_ = ZOK;
};

void left(int code, const void* window) {
  static_cast<Window*>(const_cast<void*>(window))->leave(code);  // NOLINT: the C library hands it back as const
}
void on_stat(int code, const Stat*, const void* window) { left(code, window); }
void on_data(int code, const char*, int, const Stat*, const void* window) { left(code, window); }
void on_void(int code, const void* window) { left(code, window); }
void on_string(int code, const char*, const void* window) { left(code, window); }
void on_event(zhandle_t*, int, int, const char*, void*) {}

}  // namespace

std::string node_path(std::size_t number) {
  return fmt::format("/many/{}/{}", number / kPerDirectory, number % kPerDirectory);
}

void populate(zhandle_t* handle, std::size_t from, std::size_t to) {
  make(handle, "/many");
  while (from < to) {
    make(handle, directory_path(from / kPerDirectory));
    const std::size_t end = std::min({to, from + kAtOnce, (from / kPerDirectory + 1) * kPerDirectory});
    std::vector<std::string> paths;
    for (; from < end; ++from) paths.push_back(node_path(from));
    std::vector<zoo_op_t> steps(paths.size());
    std::vector<zoo_op_result_t> results(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      zoo_create_op_init(&steps[i], paths[i].c_str(), kData.data(), static_cast<int>(kData.size()),
                         &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
    }
    must(zoo_multi(handle, static_cast<int>(steps.size()), steps.data(), results.data()), "multi");
  }
}

void set_many(zhandle_t* handle, std::size_t count, const NumberOf& number_of) {
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    window.enter();
    must(zoo_aset(handle, node_path(number_of(i)).c_str(), kData.data(), static_cast<int>(kData.size()), -1, on_stat,
                  &window),
         "setData");
  }
  window.finish();
}

void get_many(zhandle_t* handle, std::size_t count, bool watch, const NumberOf& number_of) {
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    window.enter();
    const std::string path = node_path(number_of(i));
    must(watch ? zoo_awget(handle, path.c_str(), on_event, nullptr, on_data, &window)
               : zoo_aget(handle, path.c_str(), 0, on_data, &window),
         "getData");
  }
  window.finish();
}

void create_and_remove_many(zhandle_t* handle, std::size_t count, const NumberOf& number_of) {
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string path = node_path(number_of(i)) + "-new";
    window.enter();
    must(zoo_acreate(handle, path.c_str(), kData.data(), static_cast<int>(kData.size()), &ZOO_OPEN_ACL_UNSAFE, 0,
                     on_string, &window),
         "create");
    window.enter();
    must(zoo_adelete(handle, path.c_str(), -1, on_void, &window), "delete");
  }
  window.finish();
}

}  // namespace holdfast::bench
