// web_server.h -- a server of another kind: Python's, of HTTP, on loopback.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "process.h"
#include "temp_dir.h"

namespace holdfast::testing {

class WebServer {
 public:
  // 0: a port that the kernel chooses.
  explicit WebServer(std::uint16_t port = 0)
      : process_({.argv = {"python3", "-u", "-m", "http.server", std::to_string(port), "--bind", "127.0.0.1"},
                  .working_dir = directory_.path(),
                  .stderr_file = directory_ / "log"}) {
    // "Serving HTTP on 127.0.0.1 port 43211 (http://127.0.0.1:43211/) ..."
    const auto line = process_.read_line(std::chrono::seconds(60)).value_or("");
    const std::string before = " port ";
    const auto at = line.find(before);
    if (at == std::string::npos) throw std::runtime_error("no web server: " + line);
    port_ = static_cast<std::uint16_t>(std::stoul(line.substr(at + before.size())));
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const TempDir directory_{"web"};
  Process process_;
  std::uint16_t port_ = 0;
};

}  // namespace holdfast::testing
