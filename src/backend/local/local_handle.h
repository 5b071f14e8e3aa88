// local_handle.h -- a session with the local engine, whichever process that is by now.
//
// Engines end: killed, or unused. While there is no connection, the handle looks whether the one it was told of still lives. If not, it
// finds the next one, or starts it, and takes the session up there: nodes and sessions are in files, so locks live on. Watches do not, so
// they all fire once there is a connection: who listens looks again.
//
// A connection counts only if the engine we know lives when it is there: then it did so all the time, and nobody else had its port. Of any
// other connection nothing is told, and nothing is asked on it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/zookeeper/library_handle.h"
#include "local/start.h"

namespace holdfast::local {

class LocalHandle final : public zookeeper::LibraryHandle {
 public:
  // `known` is where it goes at first, and where others may look what it has found since. `patience` is for the start of another.
  LocalHandle(std::shared_ptr<FoundPtr> known, std::chrono::milliseconds patience, spi::Executor& executor,
              zookeeper::HandleOptions options, Events events);
  ~LocalHandle() override;

  std::string open(const std::string&) override;
  void get_and_watch(const std::string& path, WatchId watch, Done done) override;
  void get_children_and_watch(const std::string& path, WatchId watch, Done done) override;
  void remove_watch(const std::string& path, bool of_children, Done done) override;
  void abandon(int rc) override;

 private:
  struct Search;

  struct Watched {
    std::string path;
    bool of_children;
  };

  Done noted(const std::string& path, bool of_children, WatchId watch, Done done);
  void on_session(int state, spi::SessionId session, Clock::duration timeout);
  void watch_later(Clock::duration pause);
  void watch();
  void search();
  void found(const tl::expected<FoundPtr, StartFailure>& result);
  void stop_search();
  void fire_all_watches();

  const FoundEngine& engine() const { return **known_; }

  const std::shared_ptr<FoundPtr> known_;  // used inside the Executor only
  const std::chrono::milliseconds patience_;
  const Events told_;
  bool connected_ = false;
  bool watching_ = false;               // the engine, while there is no connection
  bool moved_ = false;                  // to another engine, which knows of no watches
  std::map<WatchId, Watched> watches_;  // asked for, and not fired yet
  std::shared_ptr<Search> search_;
};

}  // namespace holdfast::local
