#include "cli/view/keys.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/signals.h"

namespace holdfast::cli {
namespace {

struct Spelling {
  std::string_view bytes;
  Key key;
};
// Of xterm and its many likes, in both of its modes; of less(1) and vi.
constexpr std::array kSpellings{
    Spelling{"\x1b[A", Key::up},       Spelling{"\x1bOA", Key::up},     Spelling{"k", Key::up},
    Spelling{"\x1b[B", Key::down},     Spelling{"\x1bOB", Key::down},   Spelling{"j", Key::down},
    Spelling{"\x1b[5~", Key::page_up}, Spelling{"b", Key::page_up},     Spelling{"\x1b[6~", Key::page_down},
    Spelling{" ", Key::page_down},     Spelling{"f", Key::page_down},   Spelling{"\x1b[H", Key::first},
    Spelling{"\x1bOH", Key::first},    Spelling{"\x1b[1~", Key::first}, Spelling{"g", Key::first},
    Spelling{"\x1b[F", Key::last},     Spelling{"\x1bOF", Key::last},   Spelling{"\x1b[4~", Key::last},
    Spelling{"G", Key::last},          Spelling{"q", Key::quit},
};

// A process in the background that changes the terminal is stopped, unless it does not want to hear of it.
void set_modes(const termios& modes) {
  const base::BlockedSignals blocked(base::signal_set({SIGTTOU}));
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

}  // namespace

std::vector<Key> take_keys(std::string& typed) {
  std::vector<Key> keys;
  std::string_view rest = typed;
  while (!rest.empty()) {
    const auto* key = std::find_if(kSpellings.begin(), kSpellings.end(),
                                   [&](const Spelling& each) { return rest.starts_with(each.bytes); });
    if (key != kSpellings.end()) {
      keys.push_back(key->key);
      rest.remove_prefix(key->bytes.size());
      continue;
    }
    const bool begins_one = std::any_of(kSpellings.begin(), kSpellings.end(),
                                        [&](const Spelling& each) { return each.bytes.starts_with(rest); });
    if (begins_one) break;
    rest.remove_prefix(1);
  }
  typed.erase(0, typed.size() - rest.size());
  return keys;
}

int Keyboard::listen() {
  if (ended_ || ::isatty(STDIN_FILENO) != 1 || !in_foreground()) return -1;
  termios modes{};
  if (::tcgetattr(STDIN_FILENO, &modes) != 0) return -1;
  if ((modes.c_lflag & static_cast<tcflag_t>(ICANON)) != 0) {
    before_ = modes;
    modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    set_modes(modes);
  }
  return STDIN_FILENO;
}

std::vector<Key> Keyboard::take() {
  std::array<char, 64> bytes{};
  const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;  // its window was closed
  if (got <= 0) return {};
  typed_.append(bytes.data(), static_cast<std::size_t>(got));
  return take_keys(typed_);
}

void Keyboard::leave() noexcept {
  if (const auto before = std::exchange(before_, std::nullopt); before && in_foreground()) set_modes(*before);
}

}  // namespace holdfast::cli
