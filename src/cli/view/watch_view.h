// watch_view.h -- how `holdfast watch` shows what it sees: a live screen on a terminal, else a line for every change.
#pragma once

#include <memory>
#include <string>

#include "cli/view/keys.h"
#include "cli/view/lock_watcher.h"

namespace holdfast::cli {

class WatchView {
 public:
  virtual ~WatchView() = default;

  // A live screen is drawn again and again, because times on it grow.
  virtual bool is_picture() const = 0;
  virtual void see(const Look& look) = 0;
  // There will be no other look.
  virtual void finish() {}
  // What was seen. False if stdout has no reader any more.
  virtual bool show() = 0;
  virtual void resized() {}
  // A person has pressed it.
  virtual void press(Key) {}
  // Other programs may use the terminal, until the next show().
  virtual void pause() {}
};

// A live screen if stdout is a terminal that can be drawn on, and no JSON is wanted; it can be scrolled if there is a keyboard. `name` empty:
// all.
std::unique_ptr<WatchView> make_watch_view(const std::string& name, const std::string& url, bool json);

}  // namespace holdfast::cli
