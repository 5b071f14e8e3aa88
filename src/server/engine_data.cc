#include "holdfast/engine_data.h"

#include <fmt/format.h>

#include "holdfast/error.h"
#include "store/inspection.h"
#include "store/posix_disk.h"
#include "store/store.h"

namespace holdfast {
namespace {

// What the records mean is for the next start to judge.
class Unread final : public store::Recovery {
 public:
  tl::expected<void, std::string> snapshot_record(std::string_view) override { return {}; }
  tl::expected<void, std::string> log_record(store::Index, std::string_view) override { return {}; }
};

}  // namespace

EngineDataReport check_engine_data(const std::string& data_dir, const std::string& log_dir) {
  store::PosixDisk disk;
  auto found = store::inspect(disk, {.data_directory = data_dir, .log_directory = log_dir});
  return {found.whole, std::move(found.lines)};
}

EngineDataReport accept_engine_data_loss(const std::string& data_dir, const std::string& log_dir) {
  store::PosixDisk disk;
  Unread unread;
  // A directory that is not there is a mistake of the caller's, and not a store without anything in it.
  if (const auto listed = disk.list(data_dir); !listed) {
    throw Error(Errc::invalid_argument, fmt::format("{}: {}", data_dir, listed.error().message()));
  }
  const auto opened =
      store::Store::open(disk, {.data_directory = data_dir, .log_directory = log_dir, .accept_loss = true}, unread);
  if (!opened) throw Error(Errc::invalid_argument, opened.error().message);
  EngineDataReport report{true, {}};
  for (const auto& loss : (*opened)->recovered().losses) report.lines.push_back("lost: " + loss);
  if (report.lines.empty()) report.lines.emplace_back("nothing is damaged or missing");
  report.lines.push_back(
      fmt::format("kept: everything up to index {}; from now on tokens are larger than any that were given out",
                  (*opened)->last_index()));
  return report;
}

}  // namespace holdfast
