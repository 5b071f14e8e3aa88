#include "cli/shell/node_events.h"

#include <poll.h>

#include <utility>

#include "cli/shell/nodes.h"

namespace holdfast::cli::shell {
namespace {

// Between attempts to reach a service that is away.
constexpr int kPauseMilliseconds = 1'000;

bool is_readable(int fd, int milliseconds) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, milliseconds) > 0;
}

}  // namespace

NodeEvents::NodeEvents(SessionOptions options, std::string path, std::function<void()> wake)
    : options_(std::move(options)), path_(std::move(path)), wake_(std::move(wake)), thread_([this] { run(); }) {}

NodeEvents::~NodeEvents() {
  stop_.set();
  thread_.join();
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
  changed_.set();
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
            changed_.set();
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
  PolledSession session(options_, Interruption{.fd = stop_.fd(), .take = [] { return true; }}, news);
  while (!unsupported_ && !is_readable(stop_.fd(), 0)) {
    if (session.open()) listen(session);
    listening_ = false;
    if (is_readable(stop_.fd(), kPauseMilliseconds)) return;
  }
}

// Until the watch cannot be set, or it is to end.
void NodeEvents::listen(PolledSession& session) {
  do {
    changed_.clear();
    const auto set = Nodes(session).add_watch(path_, wire::AddWatchMode::persistent_recursive);
    if (!set) {
      if (set.error().code == wire::Code::unimplemented) settle(unsupported_);
      return;
    }
    settle(listening_);
  } while (session.wait_readable(changed_.fd()));
}

}  // namespace holdfast::cli::shell
