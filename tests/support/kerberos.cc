#include "kerberos.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "eventually.h"
#include "free_port.h"

namespace holdfast::testing {
namespace {

// Losing the race for a port this often is no accident.
constexpr int kPortAttempts = 5;
// For a starved machine; each takes milliseconds.
constexpr std::chrono::milliseconds kPatience{30'000};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Kerberos::Kerberos() {
  // The database does not know the port.
  write_config();
  run({"/usr/sbin/kdb5_util", "create", "-s", "-P", "master"});
  for (int attempt = 1;; ++attempt) {
    try {
      start();
      return;
    } catch (const PortTaken&) {
      if (attempt == kPortAttempts) throw;
    }
  }
}

void Kerberos::write_config() const {
  // Names stand for themselves: without DNS, and by TCP, which a paused KDC accepts and does not answer.
  std::ofstream(client_config()) << fmt::format(
      "[libdefaults]\n default_realm = {0}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n"
      " dns_canonicalize_hostname = false\n rdns = false\n udp_preference_limit = 1\n"
      "[realms]\n {0} = {{\n  kdc = 127.0.0.1:{1}\n }}\n",
      kRealm, port_);
  std::ofstream(dir_ / "kdc.conf") << fmt::format(
      "[kdcdefaults]\n kdc_listen = \"\"\n kdc_tcp_listen = 127.0.0.1:{1}\n"
      "[realms]\n {0} = {{\n  database_name = {2}/principal\n  key_stash_file = {2}/stash\n }}\n",
      kRealm, port_, dir_.path().string());
}

void Kerberos::start() {
  port_ = free_port();
  write_config();
  const auto log = dir_ / "log";
  process_ = std::make_unique<Process>(
      ProcessOptions{.argv = {"/usr/sbin/krb5kdc", "-n", "-r", std::string(kRealm)},
                     .env = {{"KRB5_CONFIG", client_config().string()}, {"KRB5_KDC_PROFILE", dir_ / "kdc.conf"}},
                     .working_dir = dir_.path(),
                     .stdout_file = log,
                     .stderr_file = log});
  const bool told = eventually(
      kPatience, [&] { return content_of(log).find("starting...") != std::string::npos || !process_->running(); });
  if (told && process_->running()) return;
  const auto what = fmt::format("the KDC on port {} does not serve: {}", port_, content_of(log));
  if (what.find("Address already in use") != std::string::npos) throw PortTaken(what);
  throw std::runtime_error(what);
}

std::filesystem::path Kerberos::add_principal(const std::string& principal) {
  const auto keytab = dir_ / fmt::format("{}.keytab", std::hash<std::string>{}(principal));
  run({"/usr/sbin/kadmin.local", "addprinc", "-randkey", principal});
  run({"/usr/sbin/kadmin.local", "ktadd", "-k", keytab.string(), principal});
  return keytab;
}

void Kerberos::log_in(const std::string& principal, const std::filesystem::path& keytab,
                      const std::filesystem::path& cache) {
  run({"kinit", "-k", "-t", keytab.string(), "-c", cache.string(), principal});
}

void Kerberos::run(const std::vector<std::string>& argv) const {
  const auto said = dir_ / "said";
  Process process(ProcessOptions{
      .argv = argv,
      .env = {{"KRB5_CONFIG", client_config().string()}, {"KRB5_KDC_PROFILE", (dir_ / "kdc.conf").string()}},
      .working_dir = dir_.path(),
      .stdout_file = said,
      .stderr_file = said});
  if (process.wait(kPatience) != 0) {
    throw std::runtime_error(fmt::format("{} failed: {}", fmt::join(argv, " "), content_of(said)));
  }
}

}  // namespace holdfast::testing
