// announcement.h -- the file by which clients find the running local engine.
//
// The engine writes it under another name, locks it (fcntl), and renames it. The lock ends with the process, however that ends. So a
// client that opens the file and finds it locked knows that *this* engine lives, not an earlier one. It contains nothing secret: the
// engine's socket is beside it, in a directory that only this user can open.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "holdfast/local.h"
#include "local/conditions.h"
#include "local/state_directory.h"

namespace holdfast::local {

class FoundEngine {
 public:
  FoundEngine(LocalEngine engine, Conditions conditions, base::Descriptor file)
      : engine_(std::move(engine)), conditions_(conditions), file_(std::move(file)) {}

  const LocalEngine& engine() const { return engine_; }
  // What it could not throw off.
  const Conditions& conditions() const { return conditions_; }
  // Whether it still runs. One system call, no waiting; any thread.
  bool alive() const;

  // For a client that has started the engine: it does not end unused before that client has connected, or is gone. One thread at a time.
  void wait_for_us(base::Descriptor pipe) const { waits_ = std::move(pipe); }
  void we_arrived() const { waits_.reset(); }

 private:
  LocalEngine engine_;
  Conditions conditions_;
  base::Descriptor file_;
  mutable base::Descriptor waits_{};  // the reading end of the pipe that it said "ready" on
};

// Where it listens, in its state directory.
inline constexpr auto kSocket = "engine.socket";

using FoundPtr = std::shared_ptr<const FoundEngine>;

// Nothing if none runs. An error: it runs, but cannot be reached from here.
Result<FoundPtr> find(const StateDirectory& directory);
Result<FoundPtr> find();

// The engine's side. A process may have only one: the lock of one would be released with the other.
class Announcement {
 public:
  static Result<Announcement> publish(const StateDirectory& directory, const Conditions& conditions);
  Announcement(Announcement&&) noexcept = default;
  Announcement& operator=(Announcement&&) = delete;

  // No client finds the engine any more, and those that have found it learn that.
  void withdraw(const StateDirectory& directory);

 private:
  explicit Announcement(base::Descriptor file) : file_(std::move(file)) {}
  base::Descriptor file_;
};

}  // namespace holdfast::local
