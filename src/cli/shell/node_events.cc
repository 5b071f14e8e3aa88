#include "cli/shell/node_events.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "cli/shell/nodes.h"

namespace holdfast::cli::shell {
namespace {

// Between attempts to reach a service that is away.
constexpr int kPauseMilliseconds = 1'000;

int make_eventfd() {
  const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void signal(int fd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
}

void drain(int fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(fd, &count, sizeof count);
}

bool is_readable(int fd, int milliseconds) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, milliseconds) > 0;
}

}  // namespace

NodeEvents::NodeEvents(SessionOptions options, std::string path, std::function<void()> wake)
    : options_(std::move(options)),
      path_(std::move(path)),
      wake_(std::move(wake)),
      stop_(make_eventfd()),
      changed_(make_eventfd()),
      thread_([this] { run(); }) {}

NodeEvents::~NodeEvents() {
  signal(stop_);
  thread_.join();
  ::close(stop_);
  ::close(changed_);
}

std::vector<NodeEvent> NodeEvents::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void NodeEvents::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  settled_.wait_for(lock, time, [this] { return listening_ || unsupported_; });
}

// The watch is set once more: the answer to that comes after all events before it.
void NodeEvents::catch_up(std::chrono::milliseconds time) {
  if (!listening_.exchange(false)) return;
  signal(changed_);
  wait_for(time);
}

void NodeEvents::settle(std::atomic<bool>& state) {
  const std::lock_guard lock(mutex_);
  state = true;
  settled_.notify_all();
}

void NodeEvents::run() {
  const SessionNews news{
      .event = [](const std::string&) {},
      .connection =
          [this](const std::string&) {
            listening_ = false;
            signal(changed_);
          },
      .node =
          [this](wire::EventType type, const std::string& path) {
            if (type != wire::EventType::node_created && type != wire::EventType::node_deleted) return;
            {
              const std::lock_guard lock(mutex_);
              events_.push_back({std::chrono::system_clock::now(), type == wire::EventType::node_created, path});
            }
            wake_();
          }};
  Session session(options_, Interruption{.fd = stop_, .take = [] { return true; }}, news);
  while (!unsupported_ && !is_readable(stop_, 0)) {
    if (session.open()) listen(session);
    listening_ = false;
    if (is_readable(stop_, kPauseMilliseconds)) return;
  }
}

// Until the watch cannot be set, or it is to end.
void NodeEvents::listen(Session& session) {
  do {
    drain(changed_);
    const auto set = Nodes(session).add_watch(path_, wire::AddWatchMode::persistent_recursive);
    if (!set) {
      if (set.error().code == wire::Code::unimplemented) settle(unsupported_);
      return;
    }
    settle(listening_);
  } while (session.wait_readable(changed_));
}

}  // namespace holdfast::cli::shell
