// endpoint.h -- where a server is, as text: "10.0.0.1:2181", "::1:2181", or with the name that was looked up, "zk1.example/10.0.0.1:2181".
//
// The name stays for those who have to know it: a certificate of TLS is for a name, and so is a principal of Kerberos.
#pragma once

#include <string>

namespace holdfast::net {

struct Endpoint {
  std::string name;  // as the user wrote it; the number, if there is none
  std::string host;  // what to connect to: a number, or a name that is still to be looked up
  std::string port;

  // What is before the last colon is the host. Not for the path of a Unix socket.
  static Endpoint parse(const std::string& text) {
    const auto colon = text.rfind(':');
    const auto slash = text.find('/');
    const auto host = slash == std::string::npos ? text.substr(0, colon) : text.substr(slash + 1, colon - slash - 1);
    return {slash == std::string::npos ? host : text.substr(0, slash), host, text.substr(colon + 1)};
  }
};

}  // namespace holdfast::net
