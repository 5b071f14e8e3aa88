// local_handle.h -- a session with the local engine, whichever process that is by now.
//
// Engines end: killed, or unused. While there is no connection, the handle looks whether the one it was told of still lives. If not, it
// finds the next one, or starts it, and takes the session up there: nodes and sessions are in files, so locks live on.
//
// A connection counts only if the engine we know lives when it is there: then it did so all the time, and nobody else had its port. Of any
// other connection nothing is told, and nothing is asked on it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "backend/zookeeper/library_handle.h"
#include "local/start.h"

namespace holdfast::local {

class LocalHandle final : public zookeeper::LibraryHandle {
 public:
  // `first` is where it goes at first. `patience` is for the start of another.
  LocalHandle(FoundPtr first, std::chrono::milliseconds patience, spi::Executor& executor,
              zookeeper::HandleOptions options, Events events);
  ~LocalHandle() override;

  std::string open(const std::string&) override;
  void abandon(int rc) override;

 private:
  struct Search;

  void on_session(int state, spi::SessionId session, Clock::duration timeout);
  void watch_later(Clock::duration pause);
  void watch();
  void search();
  void found(const tl::expected<FoundPtr, StartFailure>& result);
  void stop_search();

  FoundPtr engine_;
  const std::chrono::milliseconds patience_;
  const Events told_;
  bool connected_ = false;
  bool watching_ = false;
  std::shared_ptr<Search> search_;
};

}  // namespace holdfast::local
