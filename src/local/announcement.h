// announcement.h -- the file by which a running local engine is found.
//
// The engine writes it under another name, locks it (fcntl), and renames it. The lock goes with the process, however that ends; so
// whoever opens the file and finds it locked knows that *this* engine lives: not one before it, and not a stranger who has its port by
// now. That also holds later: as long as the file we opened is locked, the port has been that engine's all the time, and a connection made
// meanwhile is one to it.
//
// The secret is of one start only. A stranger who takes the port of an engine that is gone may be sent it, but nobody will take it from
// him any more.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "holdfast/local.h"
#include "local/state_directory.h"

namespace holdfast::local {

class FoundEngine {
 public:
  FoundEngine(LocalEngine engine, base::Descriptor file) : engine_(std::move(engine)), file_(std::move(file)) {}

  const LocalEngine& engine() const { return engine_; }
  // And has done so since it was found. One system call, no waiting; any thread.
  bool alive() const;

 private:
  LocalEngine engine_;
  base::Descriptor file_;
};

using FoundPtr = std::shared_ptr<const FoundEngine>;

// None if none runs. An error: it runs, but cannot be reached from here.
Result<FoundPtr> find(const StateDirectory& directory);
Result<FoundPtr> find();

// The engine's side; for the process that is it. There must be no other announcement in this process: its lock would go with ours.
class Announcement {
 public:
  static Result<Announcement> publish(const StateDirectory& directory, const LocalEngine& engine);
  Announcement(Announcement&&) noexcept = default;
  Announcement& operator=(Announcement&&) = delete;

  // Nobody finds us any more, and whoever has found us learns it.
  void withdraw(const StateDirectory& directory);

 private:
  explicit Announcement(base::Descriptor file) : file_(std::move(file)) {}
  base::Descriptor file_;
};

}  // namespace holdfast::local
