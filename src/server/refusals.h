// refusals.h -- clients that are turned away or disconnected by our decision: each is counted, and the log says so.
//
// A client that is refused a thousand times a second must not fill the disk: of each kind the log gets kLines in every kWindow, then
// how many more there were. Everything happens in the service's thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace holdfast::server {

enum class Refusal {
  connections,  // too many, in all or from one address
  descriptors,  // the process has none left for another socket
  silence,      // no complete request in time
  tls,          // plain text on the port for TLS, a certificate that is missing or not believed
  frame,        // bytes that are not a request of this protocol, or are longer than allowed
  unread,       // it does not read its answers
  memory,       // its requests and answers are the most that the server keeps, and memory for them is short
  session,      // too many sessions, in all or from one address
  login,        // a wrong password, or none where one is required
  history,      // it has seen more than this server ever told
};
inline constexpr std::size_t kRefusals = static_cast<std::size_t>(Refusal::history) + 1;

// As in metrics: "login".
std::string_view name_of(Refusal why);

class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLines = 5;
  static constexpr std::chrono::seconds kWindow{10};

  // Into base::log(), as warnings.
  Refusals();
  // For tests.
  Refusals(std::function<void(const std::string& line)> write, std::function<Clock::time_point()> now);

  // `text` is a whole sentence that names the client: "10.0.0.1:40312 ...".
  void note(Refusal why, const std::string& text);

  // Says how many more there were, of kinds whose window is over. To be called now and then.
  void catch_up();

  std::uint64_t count(Refusal why) const { return of(why).count; }

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::size_t said = 0;  // in this window
    std::size_t more = 0;  // and not said
    std::string last{};
    Clock::time_point window_ends{};
  };
  Kind& of(Refusal why) { return kinds_[static_cast<std::size_t>(why)]; }
  const Kind& of(Refusal why) const { return kinds_[static_cast<std::size_t>(why)]; }
  void begin_window(Kind& kind, Clock::time_point now);

  std::function<void(const std::string& line)> write_;
  std::function<Clock::time_point()> now_;
  std::array<Kind, kRefusals> kinds_{};
};

}  // namespace holdfast::server
