// sentinels.h -- asks Sentinels where the master is.
//
// All of them at the same time. The answer with the highest configuration epoch counts, once more than half have answered, or no more will: a
// Sentinel that was cut off during a failover still names the old master, with a lower one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "net/client_tls.h"
#include "net/reactor.h"
#include "net/resolver.h"
#include "redis/line.h"

namespace holdfast::redis {

class Sentinels {
 public:
  struct Options {
    net::ServerAddresses sentinels{};
    std::string master{};  // its name
    std::string user{};    // of the Sentinels
    std::string password{};
    Clock::duration patience = std::chrono::seconds(5);  // for an answer
  };
  struct Found {
    std::optional<net::ServerAddress> master{};
    std::string trouble{};  // of each Sentinel that did not say
    bool final = false;     // there is no master, and only people can help
  };
  // Called inside the Executor, never before find() has returned.
  using Done = std::function<void(const Found&)>;

  Sentinels(net::Reactor& reactor, Options options, std::shared_ptr<net::ClientTls> tls);
  ~Sentinels() { cancel(); }
  Sentinels(const Sentinels&) = delete;
  Sentinels& operator=(const Sentinels&) = delete;

  // One request at a time: an older one is dropped.
  void find(Done done);
  void cancel();

 private:
  struct Question {
    std::shared_ptr<Line> line{};
    std::size_t answers = 0;  // that are missing
    bool over = false;
    std::string trouble{};
    bool final = false;
    std::optional<net::ServerAddress> master{};
    std::int64_t epoch = -1;
  };

  void ask(const net::ServerAddresses& sentinels, const std::string& unresolved);
  void received(std::size_t number, const resp::Value& value);
  void failed(std::size_t number, std::string why, bool final);
  void count();

  net::Reactor& reactor_;
  const Options options_;
  const std::shared_ptr<net::ClientTls> tls_;
  net::Resolver resolver_;
  std::uint64_t round_ = 0;
  std::string unresolved_;
  net::ServerAddresses asked_;
  std::vector<Question> questions_;
  Done done_;
};

}  // namespace holdfast::redis
