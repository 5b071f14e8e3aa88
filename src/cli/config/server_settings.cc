#include "cli/config/server_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "settings/duration.h"
#include "settings/nearest.h"
#include "wire/four_letter_words.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

// Below: the clocks of clients and ours have no finer grain. Above: no waiter wants to wait that long for a dead holder.
constexpr Range<milliseconds> kTicks{1ms, 1h};
// The protocol carries them in 31 bits.
constexpr Range<milliseconds> kSessions{1ms, milliseconds(std::numeric_limits<std::int32_t>::max())};
constexpr Range<milliseconds> kContainerChecks{1ms, 24h};
// A client in another part of the world needs more than a few milliseconds for its first frame.
constexpr Range<milliseconds> kHandshakes{100ms, 10min};
// A frame's length is a signed 32-bit number; half of that leaves room for headers and the like.
constexpr std::size_t kLargestFrame = 1U << 30;
// Down to a handshake, which has no 64 bytes: ZooKeeper accepts any number, and below that one no client could connect.
constexpr Range<std::size_t> kRequests{64, kLargestFrame};
constexpr Range<std::size_t> kFrames{1U << 10, kLargestFrame};
constexpr Range<std::size_t> kQueuedBytes{1U << 10, std::size_t{16} << 30};
// Less is used by one client with one long request.
constexpr Range<std::size_t> kMemory{1U << 20, std::size_t{1} << 40};
constexpr Range<std::size_t> kManyThings{1, 1'000'000'000};
// Descriptors are the end of it: Linux lets one process have about a million.
constexpr Range<std::size_t> kConnections{1, 1'000'000};
constexpr Range<std::size_t> kConnectionsPerAddress{0, 1'000'000};
constexpr Range<std::size_t> kDepths{1, 100'000};
// ZooKeeper's least is 2, too: a snapshot for every write would only take snapshots.
constexpr Range<std::size_t> kSnapshotAfter{2, 1'000'000'000};
constexpr Range<std::size_t> kSnapshots{1, kMostSnapshots};
// Less would take a snapshot for every few writes of the largest size.
constexpr Range<std::size_t> kSnapshotAfterBytes{std::size_t{1} << 20, std::size_t{1} << 40};
// More are a mistake: each has its own socket.
constexpr std::size_t kMostListeners = 64;

using wire::kFourLetterWords;

// `field` finds it in the settings, const or not; `parse` and `show` are for one text.
template <typename Field, typename Parse, typename Show>
ServerSetting scalar(std::string_view key, Field field, Parse parse, Show show) {
  const auto assign = [=](ServerSettings& settings, const Texts& texts) -> Parsed<void> {
    if (texts.size() != 1) return tl::unexpected(std::string("write one value"));
    auto value = parse(texts.front());
    if (!value) return tl::unexpected(value.error());
    field(settings) = *std::move(value);
    return {};
  };
  return {.key = key, .assign = assign, .show = [=](const ServerSettings& settings) -> Texts {
            return show(field(settings));
          }};
}

template <typename Field>
ServerSetting duration(std::string_view key, Field field, Range<milliseconds> range) {
  return scalar(
      key, field, [=](std::string_view text) { return parse_duration(text, range); },
      [](milliseconds value) { return Texts{show_duration(value)}; });
}

template <typename Field>
ServerSetting size(std::string_view key, Field field, Range<std::size_t> range) {
  return scalar(
      key, field, [=](std::string_view text) { return parse_size(text, range); },
      [](std::size_t value) { return Texts{show_size(value)}; });
}

template <typename Field>
ServerSetting count(std::string_view key, Field field, Range<std::size_t> range) {
  return scalar(
      key, field, [=](std::string_view text) { return parse_count(text, range); },
      [](std::size_t value) { return Texts{std::to_string(value)}; });
}

// Empty is refused: --data "$UNSET" must not mean "in memory".
template <typename Field>
ServerSetting path(std::string_view key, Field field) {
  return scalar(
      key, field,
      [](std::string_view text) -> Parsed<std::string> {
        if (text.empty()) return tl::unexpected(std::string("write a path, or leave the setting out"));
        return std::string(text);
      },
      [](const std::string& value) { return value.empty() ? Texts{} : Texts{value}; });
}

template <typename Field>
ServerSetting listeners(std::string_view key, Field field, bool tls) {
  const auto assign = [=](ServerSettings& settings, const Texts& texts) -> Parsed<void> {
    std::vector<Listen> parsed;
    for (const auto& text : texts) {
      auto one = parse_listen(text, tls);
      if (!one) return tl::unexpected(one.error());
      parsed.push_back(*std::move(one));
    }
    if (parsed.empty() || parsed.size() > kMostListeners) {
      return tl::unexpected(fmt::format("write 1 to {} addresses, such as 127.0.0.1:2181", kMostListeners));
    }
    field(settings) = std::move(parsed);
    return {};
  };
  const auto show = [=](const ServerSettings& settings) {
    Texts shown;
    for (const auto& one : field(settings)) shown.push_back(show_listen(one));
    return shown;
  };
  return {.key = key, .list = true, .assign = assign, .show = show};
}

ServerSetting durability() {
  return scalar(
      "durability", [](auto& s) -> auto& { return s.engine.durability; },
      [](std::string_view text) -> Parsed<Durability> {
        if (text == "power") return Durability::power;
        if (text == "process") return Durability::process;
        return tl::unexpected(
            std::string("write power (synced to disk) or process (survives kill -9, not power loss)"));
      },
      [](Durability value) { return Texts{value == Durability::power ? "power" : "process"}; });
}

ServerSetting ttl_nodes() {
  return scalar(
      "ttl_nodes", [](auto& s) -> auto& { return s.engine.ttl_nodes; }, parse_flag,
      [](bool value) { return Texts{value ? "true" : "false"}; });
}

ServerSetting super_digest() {
  auto setting = scalar(
      "super_digest", [](auto& s) -> auto& { return s.engine.super_digest; },
      [](std::string_view text) -> Parsed<std::string> {
        if (!text.starts_with("super:")) return tl::unexpected(std::string("write super:base64(sha1(super:password))"));
        return parse_digest(text);
      },
      [](const std::string& value) { return value.empty() ? Texts{} : Texts{value}; });
  setting.secret = true;
  return setting;
}

ServerSetting four_letter_words() {
  const auto assign = [](ServerSettings& settings, const Texts& texts) -> Parsed<void> {
    for (const auto& text : texts) {
      if (text != "*" && !is_four_letter_word(text)) {
        return tl::unexpected(fmt::format("write \"*\" or some of {}", fmt::join(kFourLetterWords, ", ")));
      }
    }
    settings.engine.four_letter_words = texts;
    return {};
  };
  return {.key = "four_letter_words", .list = true, .assign = assign, .show = [](const ServerSettings& settings) {
            return settings.engine.four_letter_words;
          }};
}

// Zero is the engine's share of what the process may have. It is shown as such: another machine has another number.
ServerSetting memory() {
  auto setting = size(
      "limits.memory", [](auto& s) -> auto& { return s.engine.limits.memory; }, kMemory);
  const auto assign_size = setting.assign;
  setting.assign = [=](ServerSettings& settings, const Texts& texts) -> Parsed<void> {
    if (texts != Texts{"auto"}) return assign_size(settings, texts);
    settings.engine.limits.memory = 0;
    return {};
  };
  setting.show = [](const ServerSettings& settings) {
    const auto set = settings.engine.limits.memory;
    return Texts{set == 0 ? "auto" : show_size(set)};
  };
  return setting;
}

// Zero is the engine's "so many ticks".
template <typename Field>
ServerSetting session_timeout(std::string_view key, Field field, int ticks) {
  auto setting = duration(key, field, kSessions);
  setting.show = [=](const ServerSettings& settings) {
    const auto set = field(settings);
    return Texts{show_duration(set > 0ms ? set : settings.engine.tick_time * ticks)};
  };
  return setting;
}

std::vector<ServerSetting> make_settings() {
  return {
      listeners(
          "listen", [](auto& s) -> auto& { return s.listen; }, false),
      listeners(
          "listen_tls", [](auto& s) -> auto& { return s.listen_tls; }, true),
      path(
          "data", [](auto& s) -> auto& { return s.engine.data_dir; }),
      path(
          "log_dir", [](auto& s) -> auto& { return s.engine.log_dir; }),
      durability(),
      path(
          "log_file", [](auto& s) -> auto& { return s.log_file; }),
      path(
          "tls_cert", [](auto& s) -> auto& { return s.engine.tls.certificate; }),
      path(
          "tls_key", [](auto& s) -> auto& { return s.engine.tls.key; }),
      path(
          "tls_client_ca", [](auto& s) -> auto& { return s.engine.tls.client_ca; }),
      path(
          "require_auth", [](auto& s) -> auto& { return s.require_auth_file; }),
      super_digest(),
      duration(
          "tick_time", [](auto& s) -> auto& { return s.engine.tick_time; }, kTicks),
      session_timeout(
          "min_session_timeout", [](auto& s) -> auto& { return s.engine.min_session_timeout; }, 2),
      session_timeout(
          "max_session_timeout", [](auto& s) -> auto& { return s.engine.max_session_timeout; }, 20),
      ttl_nodes(),
      duration(
          "container_check_interval", [](auto& s) -> auto& { return s.engine.container_check_interval; },
          kContainerChecks),
      count(
          "snapshot_after", [](auto& s) -> auto& { return s.engine.snapshot_after; }, kSnapshotAfter),
      size(
          "snapshot_after_bytes", [](auto& s) -> auto& { return s.engine.snapshot_after_bytes; }, kSnapshotAfterBytes),
      count(
          "snapshots_kept", [](auto& s) -> auto& { return s.engine.snapshots_kept; }, kSnapshots),
      four_letter_words(),
      size(
          "limits.frame", [](auto& s) -> auto& { return s.engine.limits.frame; }, kRequests),
      count(
          "limits.connections", [](auto& s) -> auto& { return s.engine.limits.connections; }, kConnections),
      count(
          "limits.connections_per_address", [](auto& s) -> auto& { return s.engine.limits.connections_per_address; },
          kConnectionsPerAddress),
      count(
          "limits.sessions", [](auto& s) -> auto& { return s.engine.limits.sessions; }, kManyThings),
      count(
          "limits.watches", [](auto& s) -> auto& { return s.engine.limits.watches; }, kManyThings),
      count(
          "limits.watches_per_session", [](auto& s) -> auto& { return s.engine.limits.watches_per_session; },
          kManyThings),
      count(
          "limits.path_depth", [](auto& s) -> auto& { return s.engine.limits.path_depth; }, kDepths),
      size(
          "limits.answer", [](auto& s) -> auto& { return s.engine.limits.answer; }, kFrames),
      size(
          "limits.unsent_bytes", [](auto& s) -> auto& { return s.engine.limits.unsent_bytes; }, kQueuedBytes),
      size(
          "limits.unserved_bytes", [](auto& s) -> auto& { return s.engine.limits.unserved_bytes; }, kQueuedBytes),
      memory(),
      duration(
          "limits.handshake", [](auto& s) -> auto& { return s.engine.limits.handshake; }, kHandshakes),
  };
}

}  // namespace

const std::vector<ServerSetting>& all_settings() {
  static const auto settings = make_settings();
  return settings;
}

const ServerSetting* find_setting(std::string_view key) {
  const auto& all = all_settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ServerSetting& setting) { return setting.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::string_view> nearest_setting(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const auto& setting : all_settings()) keys.push_back(setting.key);
  return nearest(key, keys);
}

bool is_four_letter_word(std::string_view word) {
  return std::find(kFourLetterWords.begin(), kFourLetterWords.end(), word) != kFourLetterWords.end();
}

}  // namespace holdfast::cli
