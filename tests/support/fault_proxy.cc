#include "fault_proxy.h"

#include <algorithm>
#include <asio.hpp>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include "free_port.h"
#include "proxy_connection.h"

namespace holdfast::testing {
namespace {

using asio::ip::tcp;

constexpr std::size_t kMaxTrace = 1'000'000;
// Losing the race for a port this often is no accident.
constexpr int kPortAttempts = 5;

}  // namespace

// All members below run on the proxy's thread, unless they say otherwise.
class FaultProxy::Core final : public ProxyHost, public std::enable_shared_from_this<Core> {
 public:
  explicit Core(std::uint16_t server_port) : target_(server_port) { listen(); }

  // From the thread that owns the proxy, before and after everything else.
  void start() {
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }
  void stop() {
    run([this] {
      asio::error_code ignored;
      acceptor_.close(ignored);
      for (const auto& connection : std::set(connections_)) connection->close();
      work_.reset();
    });
    io_.stop();
    thread_.join();
  }

  // From any thread: does `work` on the proxy's thread and waits for the result. At once if called there,
  // so that hooks may use the proxy.
  template <typename Work>
  std::invoke_result_t<Work> run(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    // Inside a lambda, because Asio itself would take the future of a bare packaged_task.
    asio::dispatch(io_, [task = std::move(task)]() mutable { task(); });
    return result.get();
  }

  // From any thread.
  std::uint16_t port() const noexcept { return port_; }
  Rule add_rule(RequestMatch match, Verdict verdict);

  Decision decide(const Request& request) override;
  bool dark(Direction direction) const override {
    return direction == Direction::to_server ? dark_to_server_ : dark_to_client_;
  }
  void fall_dark() override { dark_to_server_ = dark_to_client_ = true; }
  void record(Seen seen) override {
    if (trace_.size() < kMaxTrace) {
      trace_.push_back(std::move(seen));
    } else {
      trace_overflowed_ = true;
    }
  }
  void gone(const std::shared_ptr<ProxyConnection>& connection) override { connections_.erase(connection); }

  const std::vector<Seen>& trace() const {
    if (trace_overflowed_) throw std::length_error("FaultProxy: more to trace than fits; clear() more often");
    return trace_;
  }
  void clear_trace() {
    trace_.clear();
    trace_overflowed_ = false;
  }
  void heal();
  template <typename Visit>
  void for_each_connection(Visit visit) {
    // A copy, because visiting may end a connection, which takes it out of the set.
    for (const auto& connection : std::set(connections_)) visit(*connection);
  }

  std::uint16_t target_;
  bool dark_to_server_ = false;
  bool dark_to_client_ = false;
  bool refusing_ = false;
  std::size_t accepted_ = 0;
  std::function<Verdict(const Request&)> hook_;

 private:
  void listen();
  void accept();
  void welcome(tcp::socket client);

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;
  std::set<std::shared_ptr<ProxyConnection>> connections_;
  std::vector<std::shared_ptr<Rule::State>> rules_;
  std::vector<Seen> trace_;
  bool trace_overflowed_ = false;
  std::thread thread_;
};

void FaultProxy::Core::listen() {
  for (int attempt = 1;; ++attempt) {
    port_ = free_port();
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port_);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    asio::error_code error;
    acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return;
    acceptor_.close();
    if (attempt == kPortAttempts) throw asio::system_error(error, "FaultProxy");
  }
}

void FaultProxy::Core::accept() {
  acceptor_.async_accept([this](const asio::error_code& error, tcp::socket client) {
    if (!acceptor_.is_open()) return;
    if (!error) welcome(std::move(client));
    accept();
  });
}

void FaultProxy::Core::welcome(tcp::socket client) {
  ++accepted_;
  if (refusing_) return;  // closed with its handle
  const auto connection = std::make_shared<ProxyConnection>(*this, std::move(client), accepted_);
  connections_.insert(connection);
  if (dark_to_server_ || dark_to_client_) {
    connection->start_swallowed();
  } else {
    connection->start(target_);
  }
}

Rule FaultProxy::Core::add_rule(RequestMatch match, Verdict verdict) {
  auto state = std::make_shared<Rule::State>();
  state->match = std::move(match);
  state->verdict = verdict;
  // Not waited for, because the proxy may be gone, or going, when a handle is used.
  state->release = [weak = weak_from_this(), rule = state.get()] {
    if (const auto core = weak.lock()) {
      asio::post(core->io_, [self = core.get(), rule] {
        self->for_each_connection([rule](ProxyConnection& connection) { connection.release(rule); });
      });
    }
  };
  run([&] { rules_.push_back(state); });
  return Rule(std::move(state));
}

ProxyHost::Decision FaultProxy::Core::decide(const Request& request) {
  for (const auto& rule : rules_) {
    if (rule->strikes(request)) return {rule->verdict, rule};
  }
  const bool work = request.op != Op::ping && request.op != Op::connect;
  return {hook_ && work ? hook_(request) : Verdict{}, nullptr};
}

void FaultProxy::Core::heal() {
  dark_to_server_ = dark_to_client_ = false;
  for_each_connection([](ProxyConnection& connection) {
    if (connection.lost_something()) {
      connection.cut();
    } else {
      connection.release(nullptr);
    }
  });
}

FaultProxy::FaultProxy(std::uint16_t server_port) : core_(std::make_shared<Core>(server_port)) { core_->start(); }

FaultProxy::~FaultProxy() { core_->stop(); }

std::uint16_t FaultProxy::port() const noexcept { return core_->port(); }

std::string FaultProxy::address() const { return "127.0.0.1:" + std::to_string(port()); }

void FaultProxy::set_target(std::uint16_t server_port) {
  core_->run([&] { core_->target_ = server_port; });
}

std::vector<Seen> FaultProxy::trace() const {
  return core_->run([&] { return core_->trace(); });
}

std::size_t FaultProxy::count(const std::function<bool(const Seen&)>& predicate) const {
  return core_->run([&] {
    const auto& trace = core_->trace();
    return static_cast<std::size_t>(std::count_if(trace.begin(), trace.end(), predicate));
  });
}

std::size_t FaultProxy::count_requests() const {
  return count([](const Seen& seen) { return seen.is_work(); });
}

std::size_t FaultProxy::count_requests(Op op) const {
  return count([op](const Seen& seen) { return seen.is_request() && seen.op == op; });
}

void FaultProxy::clear() {
  core_->run([&] { core_->clear_trace(); });
}

std::size_t FaultProxy::accepted() const {
  return core_->run([&] { return core_->accepted_; });
}

std::size_t FaultProxy::open() const {
  return core_->run([&] {
    std::size_t open = 0;
    core_->for_each_connection([&](const ProxyConnection& connection) { open += connection.client_open(); });
    return open;
  });
}

Rule FaultProxy::cut_before(RequestMatch match) {
  return core_->add_rule(std::move(match), {.action = Action::cut_before});
}

Rule FaultProxy::cut_after(RequestMatch match) {
  return core_->add_rule(std::move(match), {.action = Action::cut_after});
}

Rule FaultProxy::delay(RequestMatch match, std::chrono::milliseconds duration) {
  return core_->add_rule(std::move(match), {.action = Action::delay, .delay = duration});
}

Rule FaultProxy::hold_reply(RequestMatch match) {
  return core_->add_rule(std::move(match), {.action = Action::hold_reply});
}

Rule FaultProxy::black_hole_before(RequestMatch match) {
  return core_->add_rule(std::move(match), {.action = Action::black_hole_before});
}

Rule FaultProxy::black_hole_after(RequestMatch match) {
  return core_->add_rule(std::move(match), {.action = Action::black_hole_after});
}

void FaultProxy::on_request(std::function<Verdict(const Request&)> hook) {
  core_->run([&] { core_->hook_ = std::move(hook); });
}

void FaultProxy::black_hole() {
  core_->run([&] { core_->fall_dark(); });
}

void FaultProxy::black_hole_server_to_client() {
  core_->run([&] { core_->dark_to_client_ = true; });
}

void FaultProxy::black_hole_client_to_server() {
  core_->run([&] { core_->dark_to_server_ = true; });
}

void FaultProxy::heal() {
  core_->run([&] { core_->heal(); });
}

void FaultProxy::cut_all() {
  core_->run([&] { core_->for_each_connection([](ProxyConnection& connection) { connection.cut(); }); });
}

void FaultProxy::refuse(bool on) {
  core_->run([&] { core_->refusing_ = on; });
}

}  // namespace holdfast::testing
