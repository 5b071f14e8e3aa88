// sasl_client.h -- one login by SASL without a connection: challenges in, tokens out. Over libsasl2.
//
//   auto login = SaslClient::begin({.mechanism = "DIGEST-MD5", ...});
//   first token = login->start();  then for every challenge of the server: token = login->step(challenge)
//
// GSSAPI asks the KDC over the network during a call, and the first login loads libsasl2's modules: not for a thread that must not
// wait. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::net {

class SaslClient {
 public:
  struct Login {
    std::string mechanism;
    std::string service;  // of the server's principal, service/host
    std::string host;
    std::string user{};
    std::string password{};
    // Called before a call that may take long, once the mutex is free. False: nothing waits for the login any more, and the call is not made. May be empty.
    std::function<bool()> wanted{};
  };
  struct Step {
    std::string token;
    bool complete = false;  // no further challenge is expected; send the token if it is not empty
  };

  // All three fail with one sentence.
  static tl::expected<SaslClient, std::string> begin(const Login& login);
  tl::expected<Step, std::string> start();
  tl::expected<Step, std::string> step(std::string_view challenge);

  SaslClient(SaslClient&&) noexcept;
  SaslClient& operator=(SaslClient&&) noexcept;
  // Does not wait: a later call of another login frees what libsasl2 keeps for this one.
  ~SaslClient();

 private:
  struct State;
  struct Bury {
    void operator()(State* state) const noexcept;
  };
  using StatePtr = std::unique_ptr<State, Bury>;

  explicit SaslClient(StatePtr state);
  static void dispose_buried(std::string_view mechanism);

  StatePtr state_;
};

}  // namespace holdfast::net
