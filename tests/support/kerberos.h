// kerberos.h -- one real KDC of one realm, HOLDFAST.TEST, with the files that servers and clients of it need.
//
// Debian's packages krb5-kdc and krb5-admin-server, run in a temporary directory on a loopback port.
//
// Start it from a thread that outlives it (see process.h). One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "process.h"
#include "temp_dir.h"

namespace holdfast::testing {

class Kerberos {
 public:
  // Returns once it serves; throws std::runtime_error with its log if it does not.
  Kerberos();

  static constexpr std::string_view kRealm = "HOLDFAST.TEST";

  // For KRB5_CONFIG, and java.security.krb5.conf.
  std::filesystem::path client_config() const { return dir_ / "krb5.conf"; }

  // Makes the principal, and returns a file with its key.
  std::filesystem::path add_principal(const std::string& principal);
  // Logs the principal in by the key in that file: `cache` has its ticket then, and none for a service.
  void log_in(const std::string& principal, const std::filesystem::path& keytab, const std::filesystem::path& cache);

  void pause() { process_->pause(); }  // SIGSTOP: connections are taken, and not answered
  void resume() { process_->resume(); }

 private:
  void write_config() const;
  void start();
  // Throws std::runtime_error with what the program said if it fails.
  void run(const std::vector<std::string>& argv) const;

  TempDir dir_{"kerberos"};
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace holdfast::testing
