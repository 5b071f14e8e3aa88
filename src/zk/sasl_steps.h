// sasl_steps.h -- a login by SASL at a server of ZooKeeper's protocol, one token after the other, for a thread that may wait: a password file or a KDC
// may be slow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "holdfast/clock.h"
#include "holdfast/zookeeper_options.h"
#include "net/frame_socket.h"
#include "net/sasl_client.h"
#include "wire/jute.h"
#include "wire/protocol.h"

namespace holdfast::zk {

class SaslSteps {
 public:
  struct Step {
    std::string token{};  // to be sent to the server, as a request `sasl`
    bool done = false;    // there is nothing more to send
  };
  struct Failure {
    std::string why{};      // a clause with the server as its subject. Empty: it did not answer
    bool for_good = false;  // the server has refused it, or it can never work
  };
  using Result = tl::expected<Step, Failure>;

  // `host`: the server's name, as it was written. `wanted`: see net::SaslClient::Login.
  SaslSteps(SaslOptions options, std::string host, std::function<bool()> wanted = {});

  Result start();
  // The server's answer to the last token.
  Result answered(wire::Code code, const wire::Buffer& challenge);

 private:
  Result next(const tl::expected<net::SaslClient::Step, std::string>& step);
  std::string refusal() const;
  std::string not_offered() const;

  const SaslOptions options_;
  const std::string host_;
  const std::function<bool()> wanted_;
  std::optional<net::SaslClient> client_;
  int sent_ = 0;           // tokens
  bool complete_ = false;  // our side of it
};

// All steps, over a connection whose session has begun, until the deadline. The xids from `xid` on are used.
tl::expected<void, SaslSteps::Failure> log_in_by_sasl(net::FrameSocket& socket, const SaslOptions& options,
                                                      const std::string& host, std::int32_t xid,
                                                      Clock::time_point deadline);

}  // namespace holdfast::zk
