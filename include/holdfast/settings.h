// settings.h -- a client's settings in a file: where the service is, how to reach it, and what counts for locks by their names.
//
//   url: zk://10.0.0.1:2181,10.0.0.2:2181/app     # any URL of Client::connect(); local: if there is none
//   namespace: billing
//   session-timeout: 15s
//   connect-timeout: 5s
//   auth: password                                # a file with user:password, beside this one
//   tls: {ca: ca.pem}
//   retry: {policy: forever, interval: 3s}
//   locks:
//     "**":     {slow-hold: 30s}
//     orders/*: {wait: 5s, max-hold: 1m}
//
// docs/settings.md has all of them, and `holdfast config check FILE` what is wrong with one. The command reads the same file. Files of Java
// services are read as they are (zk-lock: {address: …, session-timeout: …}).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/language.h"

namespace holdfast {

// What a client of a file tells while it lives, besides the log.
//
//   applied   the file has changed, and what it says about locks counts from now on
//   kept      the file has changed and is wrong, or is gone; what counted before still does. Once for every version of the file
//   note      what else there is to say: a value that was cut, a setting that counts after the next start, another session timeout than asked for
struct SettingsNews {
  enum class Kind { applied, kept, note };
  Kind kind = Kind::note;
  std::string sentence{};
};

// What a file says. Code may change it before it connects.
//
// Example:
//
//   holdfast::ClientSettings settings = holdfast::parse_settings("{url: 'memory:', locks: {jobs/*: {max-hold: 1m}}}");
//   settings.options.purpose = "monthly run";
//   auto client = holdfast::Client::connect(settings.url, settings.options);
struct ClientSettings {
  std::string url = "local:";
  ClientOptions options{};  // options.locks is never null
  // What there is to say although the file is right, a line each, with its place: a value that was cut, a default that the file leaves open.
  std::vector<std::string> notes{};
  // Called by a client of Client::from_file(): before that returns, and then on the thread of the client's listener, never concurrently with it.
  // May be empty, and may destroy the client. Must not throw.
  std::function<void(const SettingsNews&)> news{};
};

// Reads a file, at most 1 MiB of YAML. Nothing is connected to, and changes are not followed: see Client::from_file() for that.
//
// Throws Error(invalid_argument): what is wrong, with file, line and column, and what would be right.
ClientSettings load_settings(const std::string& path);

// As load_settings(), of a text; `called` stands where messages name the file. Files that it names are looked for in the current directory.
ClientSettings parse_settings(std::string_view text, const std::string& called = "settings");

}  // namespace holdfast
