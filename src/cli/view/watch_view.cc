#include "cli/view/watch_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/view/colour.h"
#include "cli/view/live_screen.h"
#include "cli/view/lock_history.h"
#include "cli/view/lock_list.h"
#include "cli/view/lock_text.h"
#include "cli/view/output.h"
#include "cli/view/terminal.h"

namespace holdfast::cli {
namespace {

// Since when the service is not reached, and why.
struct Outage {
  Time since;
  std::string why;
};

class PictureView final : public WatchView {
 public:
  PictureView(std::string name, std::string url) : name_(std::move(name)), url_(std::move(url)) {}

  bool is_picture() const override { return true; }
  void resized() override { screen_.resized(); }
  void press(Key key) override { screen_.scroll(key); }
  void pause() override { screen_.leave(); }

  void see(const Look& look) override {
    if (look.trouble) {
      outage_ = Outage{outage_ ? outage_->since : look.at, *look.trouble};
      return;
    }
    outage_.reset();
    locks_ = look.locks;
    history_.see(*locks_, look.at, look.signs);  // for the cards that were overwritten
  }

  bool show() override {
    if (!locks_) return screen_.draw({fmt::format("connecting to {} ...", shown(url_))});
    const auto now = std::chrono::system_clock::now();
    std::vector<std::string> lines{
        fmt::format("{} on {}, {}", name_.empty() ? "all locks" : shown(name_), shown(url_), shown_time(now))};
    if (outage_) {
      const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - outage_->since);
      lines.push_back(fmt::format("NOT REACHABLE since {} ({}): {}", shown_time(outage_->since), shown_age(age),
                                  shown(outage_->why)));
    }
    lines.emplace_back();
    const auto width = terminal_width(STDOUT_FILENO);
    const bool is_list = name_.empty() && !locks_->empty();
    const auto more = locks_->empty() ? std::vector<std::string>{"no lock is held or waited for"}
                      : is_list       ? list_lines(*locks_, now, width, {}, has_colours(STDOUT_FILENO))
                                      : page_lines(locks_->front(), now, width);
    // The titles of a list stay on top.
    const auto fixed = lines.size() + (is_list ? 1 : 0);
    lines.insert(lines.end(), more.begin(), more.end());
    const bool has_keys = ::isatty(STDIN_FILENO) == 1;
    return screen_.draw(lines, fixed, has_keys ? "arrows and pages scroll, q ends" : "");
  }

 private:
  const std::string name_;
  const std::string url_;
  LockHistory history_;
  std::optional<std::vector<LockInfo>> locks_;
  std::optional<Outage> outage_;
  LiveScreen screen_;
};

class LinesView final : public WatchView {
 public:
  explicit LinesView(bool json) : json_(json) {}

  bool is_picture() const override { return false; }

  void see(const Look& look) override {
    if (look.trouble) {
      if (outage_) return;
      outage_ = Outage{look.at, *look.trouble};
      add_outage("unreachable", *outage_, look.at);
      return;
    }
    if (outage_) add_outage("reachable", *outage_, look.at);
    outage_.reset();
    auto locks = look.locks;
    add(history_.see(locks, look.at, look.signs));
    if (look.polling && !std::exchange(told_of_polling_, true)) {
      tell(
          "this server has no recursive watches (ZooKeeper 3.6 and newer have): it is asked once a second, and what "
          "comes and goes in between is not seen");
    }
  }

  void finish() override { add(history_.finish()); }

  bool show() override { return write_out(std::exchange(text_, {})); }

 private:
  void add(const std::vector<Change>& changes) {
    for (const auto& change : changes) text_ += json_ ? json_line(change_json(change)) : change_line(change) + "\n";
  }

  void add_outage(std::string_view event, const Outage& outage, Time now) {
    const auto since = shown_time(outage.since);
    if (json_) {
      text_ += json_line({{"time", shown_time(now)}, {"event", event}, {"since", since}, {"reason", outage.why}});
    } else if (event == "unreachable") {
      text_ += fmt::format("{} not reachable since now: {}\n", shown_time(now), shown(outage.why));
    } else {
      text_ += fmt::format("{} reachable again, was not since {}\n", shown_time(now), since);
    }
  }

  const bool json_;
  bool told_of_polling_ = false;
  LockHistory history_;
  std::optional<Outage> outage_;
  std::string text_;
};

}  // namespace

std::unique_ptr<WatchView> make_watch_view(const std::string& name, const std::string& url, bool json) {
  if (!json && can_redraw(STDOUT_FILENO)) return std::make_unique<PictureView>(name, url);
  return std::make_unique<LinesView>(json);
}

}  // namespace holdfast::cli
