// run_environment.h -- what `holdfast run` tells its command about the service, and a `holdfast` in it takes up.
//
// Service, name space and login count together, and only if nothing else names a service. So a script that goes to a directory with a configuration file
// of its own uses that, and one without any settings uses ours.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace holdfast::cli {

inline constexpr auto kRunUrl = "HOLDFAST_RUN_URL";
inline constexpr auto kRunNamespace = "HOLDFAST_RUN_NAMESPACE";
// The file with user:password; never what is in it. Empty if there is none, so that one of a run further out, on another service, does not count.
inline constexpr auto kRunAuth = "HOLDFAST_RUN_AUTH";

// What there is about TLS, SASL and Sentinels, by the keys of a configuration file: "tls.ca" is HOLDFAST_RUN_TLS_CA. Files by their whole paths; never what is in
// them. Empty if not set, as above.
inline constexpr std::array<std::string_view, 10> kRunSecurity{
    "tls.ca",    "tls.certificate",    "tls.key",      "tls.server_name", "tls.verify", "sasl.mechanism",
    "sasl.user", "sasl.password_file", "sasl.service", "sentinel_auth"};
inline std::string run_variable(std::string_view key) {
  std::string name = "HOLDFAST_RUN_";
  for (const char c : key) name += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

// Ids of the runs that a process belongs to, outermost first, with colons between: by these the guardian finds a process that has left its tree
// (docs/adr/0012).
inline constexpr auto kRunIds = "HOLDFAST_RUN_IDS";

}  // namespace holdfast::cli
