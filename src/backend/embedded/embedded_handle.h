// embedded_handle.h -- a session with the engine inside this process: ZooKeeper's protocol without a socket.
//
//              connect answered     line lost          session over     close()
//   dialling   -> connected         dials again        -> expired       -> closed
//   connected  -                    -> dialling        -                -> closed
//
// A line is lost when the engine drops it (its disk is in doubt) or when this process slept past the session. Requests under way
// end with ZCONNECTIONLOSS; the session and its watches are taken up again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/zookeeper/handle.h"
#include "holdfast/spi/executor.h"
#include "server/runtime.h"
#include "wire/records.h"

namespace holdfast::embedded {

using zookeeper::Answer;

class EmbeddedHandle final : public zookeeper::Handle, public std::enable_shared_from_this<EmbeddedHandle> {
 public:
  static std::shared_ptr<EmbeddedHandle> make(std::shared_ptr<server::Runtime> engine, spi::Executor& executor,
                                              zookeeper::HandleOptions options, Events events);
  ~EmbeddedHandle() override;

  std::string open(const std::string& hosts) override;
  void set_servers(const std::string&) override {}
  void create(const std::string& path, const std::string& data, int mode, Done done) override;
  void remove(const std::string& path, Done done) override;
  void exists(const std::string& path, Done done) override;
  void get(const std::string& path, Done done) override;
  void get_and_watch(const std::string& path, WatchId watch, Done done) override;
  void set(const std::string& path, const std::string& data, Done done) override;
  void get_children(const std::string& path, Done done) override;
  void get_children_and_stat(const std::string& path, Done done) override;
  void get_children_and_watch(const std::string& path, WatchId watch, Done done) override;
  void remove_watch(const std::string& path, bool of_children, Done done) override;
  void multi(std::vector<zookeeper::Op> ops, Done done) override;
  void sync(const std::string& path, Done done) override;
  void abandon(int rc) override;
  void close() override;

 private:
  class Line;
  // Takes the answer apart; the body is there if the code is ok.
  using Parse = void (*)(wire::Reader& body, Answer& answer);
  struct Call {
    std::int32_t xid = 0;
    Parse parse = nullptr;
    Done done{};
    // A watch that is there once this succeeds.
    std::string path{};
    WatchId watch = 0;
    bool of_children = false;
  };
  using Watches = std::multimap<std::string, WatchId>;

  EmbeddedHandle(std::shared_ptr<server::Runtime> engine, spi::Executor& executor, zookeeper::HandleOptions options,
                 Events events);

  void dial();
  void connected(std::string_view frame);
  void received(std::string_view frame);
  void event(wire::Reader& body);
  void lost();
  void beat();
  void ask(wire::Op op, const wire::Writer& body, Call call);
  void look(wire::Op op, const std::string& path, Call call);
  void send(std::int32_t xid, wire::Op op, std::string_view body);
  void fail_all(int rc);
  void set_watches_again();
  wire::AclList acl() const;

  const std::shared_ptr<server::Runtime> engine_;
  spi::Executor& executor_;
  const zookeeper::HandleOptions options_;
  Events events_;
  std::shared_ptr<Line> line_;
  std::shared_ptr<Line> leaving_;  // for close() to say goodbye on
  wire::SessionId session_ = 0;
  std::string password_;
  Clock::duration timeout_{};
  wire::Zxid last_zxid_ = 0;
  std::int32_t last_xid_ = 0;
  bool greeted_ = false;  // this line has been answered
  bool abandoned_ = false;
  std::deque<Call> calls_;
  Watches data_watches_;
  Watches child_watches_;
  spi::Executor::TimerId beat_ = spi::Executor::kNoTimer;
};

}  // namespace holdfast::embedded
