// service_file.h -- the file with the settings of commands that use a storage service.
//
//   url: zk://10.0.0.1:2181,10.0.0.2:2181/app
//   namespace: billing
//   session_timeout: 15s
//   connect_timeout: 5s
//   auth: password            # a file with user:password, beside this one
//   sentinel_auth: sentinels  # the same for the Sentinels of redis+sentinel://, if they want one
//   tls: {ca: ca.pem, certificate: me.pem, key: me.key, server_name: zk.example, verify: true}
//   sasl: {mechanism: DIGEST-MD5, user: ann, password_file: secret, service: zookeeper}
//   purpose: nightly billing
//
// It is that of programs (holdfast/settings.h), whose `retry` and `locks` commands pass over.
//
// The first of these that is there: --config or HOLDFAST_CONFIG (which must be), $XDG_CONFIG_HOME/holdfast/config.yaml,
// /etc/holdfast/config.yaml. The current directory is not searched: what is in it may come from a stranger (a checkout, an archive), and would
// choose the service that all locks are asked of, and which file's first line is sent there as a password. One that other users may have
// written is refused, and with it the command: without it the command would lock elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"
#include "settings/client_file.h"

namespace holdfast::cli {

struct ServiceFile {
  std::string path{};    // empty: there is none
  std::string origin{};  // "--config", "HOLDFAST_CONFIG", "found"
  ClientFile read{};
  std::vector<std::string> notes{};  // what there is to say, a line each

  const ClientFile::Entry* find(std::string_view key) const { return read.find(key); }
};

// `option` is what --config says, or empty. Or one sentence with file, line and column.
Parsed<ServiceFile> load_service_file(const std::string& option);

}  // namespace holdfast::cli
