#include "cli/shell/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/text.h"

namespace holdfast::cli::shell {
namespace {

// A screenful of hex: enough to recognise what it is.
constexpr std::size_t kMostHex = 1024;

std::string show_bytes(std::string_view bytes) {
  std::string hex = "0x";
  for (const char c : bytes.substr(0, kMostHex)) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("{}{} ({} byte{})", hex, bytes.size() > kMostHex ? "..." : "", bytes.size(),
                     bytes.size() == 1 ? "" : "s");
}

const char* event_name(wire::EventType type) {
  switch (type) {
    case wire::EventType::node_created: return "NodeCreated";
    case wire::EventType::node_deleted: return "NodeDeleted";
    case wire::EventType::node_data_changed: return "NodeDataChanged";
    case wire::EventType::node_children_changed: return "NodeChildrenChanged";
  }
  return "Unknown";
}

}  // namespace

std::string show_data(const wire::Buffer& data) {
  if (!data) return "null";
  std::string shown;
  std::uint32_t before = 0;
  for (std::string_view rest = *data; !rest.empty();) {
    const auto code = base::decode_utf8(rest);
    if (code.length == 0 || code.value == 0) return show_bytes(*data);
    const bool plain = code.value == '\n' || code.value == '\t' || !base::is_control(code.value);
    if (plain && !base::is_hidden(code.value, before)) {
      shown += rest.substr(0, code.length);
    } else {
      for (const char c : rest.substr(0, code.length)) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    before = code.value;
    rest.remove_prefix(code.length);
  }
  return shown;
}

std::string show_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  for (auto& name : names) name = show_path(name);
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string show_path(std::string_view path) { return base::printable(path, std::string::npos); }

std::string show_time(std::int64_t milliseconds) {
  auto seconds = static_cast<std::time_t>(milliseconds / 1000);
  auto rest = milliseconds % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  std::tm calendar{};
  if (::gmtime_r(&seconds, &calendar) == nullptr || calendar.tm_year < -1900 || calendar.tm_year > 9999 - 1900) {
    return fmt::format("{} ms", milliseconds);
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", calendar.tm_year + 1900, calendar.tm_mon + 1,
                     calendar.tm_mday, calendar.tm_hour, calendar.tm_min, calendar.tm_sec, rest);
}

std::string show_stat(const wire::Stat& stat) {
  const auto hex = [](std::int64_t value) { return fmt::format("{:#x}", static_cast<std::uint64_t>(value)); };
  return fmt::format(
      "cZxid = {}\nctime = {}\nmZxid = {}\nmtime = {}\npZxid = {}\ncversion = {}\ndataVersion = {}\naclVersion = {}\n"
      "ephemeralOwner = {}\ndataLength = {}\nnumChildren = {}",
      hex(stat.czxid), show_time(stat.ctime), hex(stat.mzxid), show_time(stat.mtime), hex(stat.pzxid), stat.cversion,
      stat.version, stat.aversion, hex(stat.ephemeral_owner), stat.data_length, stat.num_children);
}

std::string show_event(wire::EventType type, std::string_view path) {
  return fmt::format("WATCHER:: {} {}", event_name(type), show_path(path));
}

}  // namespace holdfast::cli::shell
