// sasl_client.h -- one login by SASL without a connection: challenges in, tokens out. Over libsasl2.
//
//   auto login = SaslClient::begin({.mechanism = "DIGEST-MD5", ...});
//   first token = login->start();  then for every challenge of the server: token = login->step(challenge)
//
// GSSAPI asks the KDC by the network while it is called, and a first login loads libsasl2's modules: not for a thread that must not
// wait. One thread at a time.
#pragma once

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
  };
  struct Step {
    std::string token;
    bool complete = false;  // nothing more is expected; the token is to be sent if it is not empty
  };

  // All three fail with one sentence.
  static tl::expected<SaslClient, std::string> begin(const Login& login);
  tl::expected<Step, std::string> start();
  tl::expected<Step, std::string> step(std::string_view challenge);

  SaslClient(SaslClient&&) noexcept;
  SaslClient& operator=(SaslClient&&) noexcept;
  ~SaslClient();

 private:
  struct State;

  explicit SaslClient(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace holdfast::net
