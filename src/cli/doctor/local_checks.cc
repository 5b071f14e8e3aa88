#include "cli/doctor/local_checks.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "cli/setting_value.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace holdfast::cli::doctor {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;
// A segment of the log is preallocated, and a snapshot is written beside the last one.
constexpr std::uint64_t kTooLittle = 16 * kMebibyte;
constexpr std::uint64_t kLittle = 256 * kMebibyte;

void check_disk(const std::string& directory, Findings& findings) {
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) {
    findings.push_back({"disk", State::wrong, fmt::format("{}: {}", directory, std::generic_category().message(errno)),
                        "make the directory accessible, or choose another one (XDG_STATE_HOME)"});
    return;
  }
  const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  Finding finding{"disk", State::ok, fmt::format("{} MiB free in {}", free / kMebibyte, directory)};
  if (free < kLittle) {
    finding.state = free < kTooLittle ? State::wrong : State::warning;
    finding.fix = "make room: without it, writes are refused";
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::optional<std::string> check_local(ServiceSettings& settings, Findings& findings) {
  try {
    const bool ran = find_local_engine().has_value();
    const auto engine = start_local_engine(settings.connect_timeout);
    findings.push_back({"local engine", State::ok,
                        fmt::format("{} as process {}; state in {}, which only this user can read",
                                    ran ? "runs" : "was started", engine.pid, engine.directory)});
    check_disk(engine.directory, findings);
    settings.auth.push_back(engine.auth);
    return engine.address;
  } catch (const Error& error) {
    findings.push_back(
        {"local engine", State::wrong, error.what(), "correct that, or use another service (--url zk://host:port)"});
    return std::nullopt;
  }
}

}  // namespace holdfast::cli::doctor
