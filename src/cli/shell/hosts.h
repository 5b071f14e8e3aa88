// hosts.h -- where servers may be: "10.0.0.1:2181,[::1]:2182,zoo".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/setting_value.h"

namespace holdfast::cli::shell {

struct Host {
  std::string name;  // or address, without []; or the path of a Unix socket, which has no port
  std::string port = "2181";

  // As zk::Client takes it: what is before the last colon is the host.
  std::string text() const { return name.starts_with('/') ? name : name + ':' + port; }
  std::string shown() const;
};

// Also the path of one Unix socket. Or what is wrong.
Parsed<std::vector<Host>> parse_hosts(std::string_view text);

}  // namespace holdfast::cli::shell
