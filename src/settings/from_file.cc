// from_file.cc -- from a file to a Client.
#include "base/log.h"
#include "base/process.h"
#include "holdfast/error.h"
#include "holdfast/handlers.h"
#include "holdfast/settings.h"
#include "lock/core.h"
#include "settings/client_file.h"
#include "settings/settings_follower.h"
#include "settings/small_file.h"

namespace holdfast {

ClientSettings parse_settings(std::string_view text, const std::string& called) {
  const auto file = settings::read_client_file(text, called);
  if (!file) throw Error(Errc::invalid_argument, file.error());
  auto settings = settings::settings_of(*file);
  if (!settings) throw Error(Errc::invalid_argument, settings.error());
  return *std::move(settings);
}

ClientSettings load_settings(const std::string& path) {
  const auto whole = settings::whole_path(path);
  const auto read = settings::read_small_file(whole);
  if (!read) throw Error(Errc::invalid_argument, read.error());
  return parse_settings(read->text, whole);
}

Client Client::from_file(const std::string& path, const std::function<void(ClientSettings&)>& adjust) {
  std::shared_ptr<settings::SettingsFollower> follower;
  ClientSettings settings;
  try {
    follower = std::make_shared<settings::SettingsFollower>(path);
  } catch (const Error& error) {
    // Locks are worth more than news of their settings.
    settings = load_settings(path);
    settings.notes.emplace_back(error.what());
  }
  if (follower) settings = follower->load();
  if (adjust) adjust(settings);
  for (const auto& note : settings.notes) base::log().warn("{}", note);
  if (follower) follower->tell(settings.news);
  // The innermost, so that it sees what is held and not what other handlers do with it.
  if (settings.options.locks) {
    settings.options.handlers.push_back(std::make_shared<SlowHoldAlarm>(settings.options.locks));
  }
  const auto wanted = settings.options.session_timeout;
  auto client = connect(settings.url, std::move(settings.options));
  if (follower) {
    follower->granted(wanted, client.session_timeout());
    client.core()->take_along(std::move(follower));
  }
  return client;
}

}  // namespace holdfast
