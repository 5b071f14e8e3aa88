// settings_follower.h -- reads a client's file, and again whenever it changes: what it says about locks then counts.
//
// Lives with the client (lock/companion.h): its loop hears of changes, and the thread of its listener reads. A version that is wrong, a file
// that is gone, or one that says nothing any more because it is being written, changes nothing, and is told once.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/settings.h"
#include "lock/companion.h"
#include "settings/client_file.h"
#include "settings/watched_path.h"

namespace holdfast::settings {

class SettingsFollower final : public lock::Companion {
 public:
  // Throws Error if changes of the file cannot be followed.
  explicit SettingsFollower(const std::string& path);

  // As load_settings(). What changes afterwards is noticed.
  ClientSettings load();
  // From now on news are told there.
  void tell(std::function<void(const SettingsNews&)> news) { news_ = std::move(news); }
  // The service has another opinion.
  void granted(std::chrono::milliseconds wanted, std::chrono::milliseconds granted);

  int descriptor() const override { return watched_.descriptor(); }
  bool drain() override { return watched_.drain() && !wanted_.exchange(true); }
  void work() override;

 private:
  void look_again();
  void say(SettingsNews::Kind kind, std::string sentence) const;
  void note_what_counts_later(const ClientFile& now);

  const std::string path_;  // whole: the program may change its directory
  WatchedPath watched_;
  std::atomic<bool> wanted_ = false;
  std::function<void(const SettingsNews&)> news_{};

  // Of the one thread that loads, and later works.
  std::shared_ptr<LockRules> rules_{};  // those that the file has made
  ClientFile loaded_{};                 // what the client was connected by
  bool said_something_ = false;         // the version that counts does
  std::string seen_{};                  // the text of the last version, or what was wrong with reading it
  std::string told_later_{};            // which settings were told to count later
  bool wrong_ = false;                  // the last version
};

}  // namespace holdfast::settings
