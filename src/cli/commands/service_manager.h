// service_manager.h -- telling systemd how far we are (Type=notify), without its library: sd_notify(3) is one datagram.
#pragma once

#include <string>
#include <string_view>

#include "cli/config/setting_value.h"

namespace holdfast::cli {

class ServiceManager {
 public:
  // The process that started us waits at `socket`, the value of $NOTIFY_SOCKET: a path, or @name for an abstract one. Empty:
  // none waits, and everything below does nothing.
  explicit ServiceManager(std::string socket) : socket_(std::move(socket)) {}

  // Never fails for long: the error is for a log line, the server goes on.
  Parsed<void> ready(std::string_view status) const;
  Parsed<void> stopping(std::string_view status) const;

 private:
  Parsed<void> tell(const std::string& message) const;

  std::string socket_;
};

}  // namespace holdfast::cli
