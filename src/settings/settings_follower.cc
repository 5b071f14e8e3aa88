#include "settings/settings_follower.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <exception>
#include <utility>

#include "base/log.h"
#include "holdfast/error.h"
#include "settings/client_keys.h"
#include "settings/duration.h"
#include "settings/small_file.h"

namespace holdfast::settings {
namespace {

using Kind = SettingsNews::Kind;

constexpr std::string_view kStill = "what it said about locks before still counts";

// A pipe or a device might never end, and a client that lives must not wait for it.
Parsed<std::string> read_again(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return tl::unexpected(fmt::format("{} is not a file", path));
  }
  auto read = read_small_file(path);
  if (!read) return tl::unexpected(read.error());
  return std::move(read->text);
}

bool says_something(const ClientFile& file) { return !file.entries.empty() || !file.locks.empty(); }

}  // namespace

SettingsFollower::SettingsFollower(const std::string& path) : path_(whole_path(path)), watched_(path_) {}

ClientSettings SettingsFollower::load() {
  watched_.watch();
  auto read = read_small_file(path_);
  if (!read) throw Error(Errc::invalid_argument, read.error());
  auto file = read_client_file(read->text, path_);
  if (!file) throw Error(Errc::invalid_argument, file.error());
  auto settings = settings_of(*file);
  if (!settings) throw Error(Errc::invalid_argument, settings.error());
  loaded_ = *std::move(file);
  said_something_ = says_something(loaded_);
  seen_ = std::move(read->text);
  rules_ = settings->options.locks;
  return *std::move(settings);
}

void SettingsFollower::granted(std::chrono::milliseconds wanted, std::chrono::milliseconds granted) {
  if (granted == wanted) return;
  const auto* entry = loaded_.find("session_timeout");
  say(Kind::note,
      fmt::format("{}the session timeout is {}, but the service granted {}, which counts",
                  entry == nullptr ? "" : entry->place.prefix(), show_duration(wanted), show_duration(granted)));
}

void SettingsFollower::work() {
  try {
    look_again();
  } catch (const std::exception& error) {  // no memory, most likely
    base::log().error("{} could not be read again: {}", path_, error.what());
  }
}

void SettingsFollower::look_again() {
  wanted_ = false;
  watched_.watch();
  const auto read = read_again(path_);
  const auto& seen = read ? *read : read.error();
  if (seen == seen_) return;
  seen_ = seen;
  const auto keep = [&](const std::string& why) {
    wrong_ = true;
    say(Kind::kept, fmt::format("{}; {}", why, kStill));
  };
  if (!read) return keep(read.error());
  const auto file = read_client_file(*read, path_);
  if (!file) return keep(file.error());
  if (!says_something(*file) && said_something_) return keep(fmt::format("{} says nothing any more", path_));
  const auto settings = settings_of(*file);
  if (!settings) return keep(settings.error());
  const bool is_news = std::exchange(wrong_, false) || rules_->rules() != file->locks;
  rules_->replace(file->locks);
  said_something_ = says_something(*file);
  for (const auto& note : settings->notes) say(Kind::note, note);
  note_what_counts_later(*file);
  if (is_news) say(Kind::applied, fmt::format("what {} says about locks counts from now on", path_));
}

void SettingsFollower::note_what_counts_later(const ClientFile& now) {
  std::string changed;
  for (const auto& key : client_keys()) {
    const auto* before = loaded_.find(key.key);
    const auto* after = now.find(key.key);
    const bool same = before == nullptr || after == nullptr ? before == after : before->text == after->text;
    if (!same) changed += fmt::format("{}{}", changed.empty() ? "" : ", ", key.key);
  }
  if (changed == std::exchange(told_later_, changed) || changed.empty()) return;
  say(Kind::note, fmt::format("{} has changed: {}; that counts after the next start", path_, changed));
}

// The callback may destroy the client, and with it every other owner of this object.
void SettingsFollower::say(Kind kind, std::string sentence) const {
  if (kind == Kind::applied) {
    base::log().info("{}", sentence);
  } else {
    base::log().warn("{}", sentence);
  }
  if (const auto news = news_) news({kind, std::move(sentence)});
}

}  // namespace holdfast::settings
