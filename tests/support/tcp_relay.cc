#include "tcp_relay.h"

#include <array>
#include <asio.hpp>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "free_port.h"

namespace holdfast::testing {
namespace {

using asio::ip::tcp;

// Losing the race for a port this often is no accident.
constexpr int kPortAttempts = 5;
// How often, and how many times, a target that refuses is asked.
constexpr std::chrono::milliseconds kAskAgainAfter{10};
constexpr int kAsked = 500;

struct Way {
  tcp::socket& from;
  tcp::socket& to;
  TcpRelay::Direction direction;
  std::array<char, 16'384> buffer{};
};

struct Link {
  explicit Link(tcp::socket accepted) : near(std::move(accepted)) {}

  tcp::socket near;  // whoever connected to us
  tcp::socket far{near.get_executor()};
  Way there{near, far, TcpRelay::Direction::to_target};
  Way back{far, near, TcpRelay::Direction::from_target};
  int ways_ended = 0;
  asio::steady_timer ask_again{near.get_executor()};
};
using LinkPtr = std::shared_ptr<Link>;

}  // namespace

// Everything private on the relay's thread, but for listen().
class TcpRelay::Core {
 public:
  explicit Core(std::uint16_t target) : target_(asio::ip::address_v4::loopback(), target) {
    listen();
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Core() {
    run([this] { acceptor_.close(); });
    io_.stop();
    thread_.join();
  }
  std::uint16_t port() const noexcept { return port_; }

  void stall(bool requests) {
    run([this, requests] {
      stalled_ = requests;
      answers_stalled_ = true;
    });
  }
  void heal() {
    run([this] {
      stalled_ = answers_stalled_ = false;
      for (auto& go_on : std::exchange(waiting_, {})) go_on();
    });
  }
  void cut_all() {
    run([this] {
      waiting_.clear();
      for (const auto& link : std::set(links_)) end(link);
    });
  }

  void cut_after(Direction direction, std::size_t bytes) {
    run([&] {
      cut_direction_ = direction;
      left_ = bytes;
      cut_ = false;
    });
  }
  bool cut() {
    bool is_cut = false;
    run([&] { is_cut = cut_; });
    return is_cut;
  }
  std::size_t passed(Direction direction) {
    std::size_t bytes = 0;
    run([&] { bytes = passed_[static_cast<std::size_t>(direction)]; });
    return bytes;
  }

 private:
  template <typename Work>
  void run(Work work) {
    std::packaged_task<void()> task(std::move(work));
    auto done = task.get_future();
    // Inside a lambda, because Asio itself would take the future of a bare packaged_task.
    asio::post(io_, [task = std::move(task)]() mutable { task(); });
    done.get();
  }
  void listen() {
    for (int attempt = 1;; ++attempt) {
      port_ = free_port();
      try {
        acceptor_ = tcp::acceptor(io_, {asio::ip::address_v4::loopback(), port_});
        return;
      } catch (const asio::system_error&) {
        if (attempt == kPortAttempts) throw;
      }
    }
  }
  void accept() {
    acceptor_.async_accept([this](const asio::error_code& error, tcp::socket accepted) {
      if (!acceptor_.is_open()) return;
      if (!error) {
        const LinkPtr link = *links_.insert(std::make_shared<Link>(std::move(accepted))).first;
        unless(stalled_, [this, link] { connect(link, 1); });
      }
      accept();
    });
  }
  void connect(const LinkPtr& link, int attempt) {
    link->far.async_connect(target_, [this, link, attempt](const asio::error_code& error) {
      if (!error) return pass(link, link->there), pass(link, link->back);
      if (error != asio::error::connection_refused || attempt == kAsked) return end(link);
      link->far.close();
      link->ask_again.expires_after(kAskAgainAfter);
      link->ask_again.async_wait([this, link, attempt](const asio::error_code& cancelled) {
        if (!cancelled) connect(link, attempt + 1);
      });
    });
  }
  void pass(const LinkPtr& link, Way& way) {
    way.from.async_read_some(asio::buffer(way.buffer),
                             [this, link, &way](const asio::error_code& error, std::size_t n) {
                               const bool answer = &way == &link->back;
                               unless(answer ? answers_stalled_ : stalled_, [this, link, &way, error, n] {
                                 if (error) return source_ended(link, way, error);
                                 write(link, way, n);
                               });
                             });
  }
  void write(const LinkPtr& link, Way& way, std::size_t n) {
    const bool last = left_ && cut_direction_ == way.direction && n > *left_;
    if (last) n = *left_;
    if (left_ && cut_direction_ == way.direction) *left_ -= n;
    passed_[static_cast<std::size_t>(way.direction)] += n;
    if (last) left_.reset();
    asio::async_write(way.to, asio::buffer(way.buffer, n),
                      [this, link, &way, last](const asio::error_code& failed, std::size_t) {
                        if (last) {
                          cut_ = true;
                          for (const auto& each : std::set(links_)) end(each);
                        } else {
                          failed ? end(link) : pass(link, way);
                        }
                      });
  }
  void source_ended(const LinkPtr& link, Way& way, const asio::error_code& how) {
    if (how != asio::error::eof || ++link->ways_ended == 2) return end(link);
    asio::error_code reset_meanwhile;
    way.to.shutdown(tcp::socket::shutdown_send, reset_meanwhile);
  }
  void end(const LinkPtr& link) {
    asio::error_code ignored;
    link->ask_again.cancel();
    link->near.close(ignored);
    link->far.close(ignored);
    links_.erase(link);
  }
  void unless(bool stalled, std::function<void()> go_on) { stalled ? waiting_.push_back(std::move(go_on)) : go_on(); }

  const tcp::endpoint target_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;
  bool stalled_ = false;
  std::array<std::size_t, 2> passed_{};
  Direction cut_direction_{};
  std::optional<std::size_t> left_;  // until the connections are cut; none: they are not
  bool cut_ = false;
  bool answers_stalled_ = false;
  std::vector<std::function<void()>> waiting_;  // for heal(), in order
  std::set<LinkPtr> links_;
  std::thread thread_;
};

TcpRelay::TcpRelay(std::uint16_t target_port) : core_(std::make_unique<Core>(target_port)) {}
TcpRelay::~TcpRelay() = default;

std::uint16_t TcpRelay::port() const noexcept { return core_->port(); }
void TcpRelay::stall() { core_->stall(true); }
void TcpRelay::stall_answers() { core_->stall(false); }
void TcpRelay::heal() { core_->heal(); }
void TcpRelay::cut_all() { core_->cut_all(); }
void TcpRelay::cut_after(Direction direction, std::size_t bytes) { core_->cut_after(direction, bytes); }
bool TcpRelay::cut() const { return core_->cut(); }
std::size_t TcpRelay::passed(Direction direction) const { return core_->passed(direction); }

}  // namespace holdfast::testing
