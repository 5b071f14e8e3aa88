// sasl_login.h -- a login by SASL on one connection of ZooKeeper's protocol.
//
// Each step runs on a thread of its own, because a password file or a KDC may be slow. Its result comes inside the Executor.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "holdfast/spi/executor.h"
#include "holdfast/zookeeper_options.h"
#include "wire/jute.h"
#include "wire/protocol.h"

namespace holdfast::zk {

class SaslLogin {
 public:
  // Called inside the Executor, and never after the login is destroyed.
  struct Events {
    std::function<void(std::string token)> say;  // to the server, as a request `sasl`
    std::function<void()> done;
    // A sentence. `for_good`: the server has refused it, or it can never work.
    std::function<void(std::string why, bool for_good)> failed;
  };

  // `host`: the server's name, as it was written.
  SaslLogin(spi::Executor& executor, const SaslOptions& options, const std::string& host, Events events);
  ~SaslLogin();
  SaslLogin(const SaslLogin&) = delete;
  SaslLogin& operator=(const SaslLogin&) = delete;

  // The server's answer to the last token.
  void answered(wire::Code code, const wire::Buffer& challenge);

 private:
  struct Job;

  const std::shared_ptr<Job> job_;
};

}  // namespace holdfast::zk
