#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/text.h"
#include "holdfast/error.h"
#include "holdfast/handlers.h"

namespace holdfast {
namespace {

using std::chrono::milliseconds;

std::int64_t ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin).count();
}

// 2026-11-19T22:33:02.123Z
std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()) % std::chrono::seconds(1);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms.count());
}

std::string names_of(const LockRequest& request) { return fmt::format("{}", fmt::join(request.names(), ",")); }

}  // namespace

AccessLog::AccessLog() : AccessLog([](std::string_view line) { base::log().info("{}", line); }) {}
AccessLog::AccessLog(Sink sink) : sink_(std::move(sink)) {
  if (!sink_) throw Error(Errc::invalid_argument, "an access log needs a sink; give a function, or none at all");
}

std::shared_ptr<AccessLog> AccessLog::to_file(const std::string& path) {
  const auto file = std::make_shared<base::Descriptor>(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                                                              0666));  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (file->get() < 0) {
    throw Error(Errc::invalid_argument,
                fmt::format("the access log {} cannot be opened: {}; name a file that can be written",
                            base::printable(path, 512), std::strerror(errno)));
  }
  return std::make_shared<AccessLog>([file, path, said = std::make_shared<std::atomic<bool>>()](std::string_view line) {
    const auto text = fmt::format("{} {} {}\n", utc_now(), ::getpid(), line);
    if (::write(file->get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
    if (!said->exchange(true)) base::log().warn("the access log {} cannot be written: {}", path, std::strerror(errno));
  });
}

AcquireOutcome AccessLog::acquire(const AcquireRequest& request, const AcquireNext& next) {
  const auto begin = Clock::now();
  const auto write = [&](bool acquired) {
    sink_(fmt::format("acquire|{}|{}|{}", names_of(request), acquired, ms_since(begin)));
  };
  try {
    auto outcome = next(request);
    write(static_cast<bool>(outcome));
    return outcome;
  } catch (...) {
    write(false);
    throw;
  }
}

void AccessLog::release(const HeldLock& held, const ReleaseNext& next) {
  const auto begin = held.since();
  const bool was_held = !next();
  sink_(fmt::format("release|{}|{}|{}", names_of(held), was_held, ms_since(begin)));
}

void AccessLog::on_lost(const HeldLock& held) {
  sink_(fmt::format("lost|{}|{}", names_of(held), ms_since(held.since())));
}

}  // namespace holdfast
