#include "cli/doctor/local_checks.h"

#include <fmt/format.h>

#include <cstdint>

#include "cli/commands/disk_room.h"
#include "cli/config/setting_value.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace holdfast::cli::doctor {
namespace {

constexpr std::uint64_t kLittle = 256 * kMebibyte;

void check_disk(const std::string& directory, Findings& findings) {
  const auto room = free_room(directory);
  if (!room) {
    findings.push_back({"disk", State::wrong, fmt::format("{}: {}", directory, room.error()),
                        "make the directory accessible, or choose another one (HOLDFAST_STATE_DIR)"});
    return;
  }
  Finding finding{"disk", State::ok, fmt::format("{} MiB free in {}", *room / kMebibyte, directory)};
  if (*room < kLittle) {
    finding.state = *room < kTooLittleRoom ? State::wrong : State::warning;
    finding.fix = "make room: without it, writes are refused";
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::optional<net::ServerAddresses> check_local(ServiceSettings& settings, Findings& findings) {
  try {
    const bool ran = find_local_engine().has_value();
    const auto engine = start_local_engine(settings.connect_timeout);
    findings.push_back({"local engine", State::ok,
                        fmt::format("{} as process {}; state in {}, which only this user can read",
                                    ran ? "runs" : "was started", engine.pid, engine.directory)});
    if (!engine.held_back.empty()) {
      findings.push_back({"local engine", State::warning, "it was started under " + engine.held_back,
                          "run a command without that, which replaces it; or holdfast local stop"});
    }
    check_disk(engine.directory, findings);
    return net::ServerAddresses{{engine.address, ""}};
  } catch (const Error& error) {
    findings.push_back(
        {"local engine", State::wrong, error.what(), "correct that, or use another service (--url zk://host:port)"});
    return std::nullopt;
  }
}

}  // namespace holdfast::cli::doctor
