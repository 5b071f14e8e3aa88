// keys.h -- single keys of a person at a terminal, without Enter.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

enum class Key { up, down, page_up, page_down, first, last, quit };

// Takes the keys out of what was typed. What may be the beginning of one stays; what is none of them is dropped.
std::vector<Key> take_keys(std::string& typed);

// Stdin, if it is a terminal. Ctrl-C and Ctrl-Z stay signals. The terminal is as it was before when this is destroyed.
class Keyboard {
 public:
  Keyboard() = default;
  ~Keyboard() { leave(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  // To poll: keys come one by one from now on. -1 if there are none: no terminal, or this job is in the background, where only to ask
  // would stop it. Asked again before every poll, since a shell changes both when it stops and continues jobs.
  int listen();
  // What was typed. After poll() has said that there is something.
  std::vector<Key> take();
  // Other programs may use the terminal, until the next listen().
  void leave() noexcept;

 private:
  std::optional<termios> before_;  // while we listen
  bool ended_ = false;
  std::string typed_;
};

}  // namespace holdfast::cli
