#include "backend/embedded/embedded_handle.h"

#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <utility>

#include "server/peer.h"
#include "server/service.h"
#include "wire/jute.h"
#include "wire/protocol.h"

namespace holdfast::embedded {

using wire::Op;

namespace {

// Between two attempts, while the engine takes no connections.
constexpr auto kRedialPause = std::chrono::milliseconds(100);
// For the engine to close the session; it only waits for a disk.
constexpr auto kGoodbye = std::chrono::seconds(5);

Stat to_library(const wire::Stat& stat) {
  return {.czxid = stat.czxid,
          .mzxid = stat.mzxid,
          .ctime = stat.ctime,
          .mtime = stat.mtime,
          .version = stat.version,
          .cversion = stat.cversion,
          .aversion = stat.aversion,
          .ephemeralOwner = stat.ephemeral_owner,
          .dataLength = stat.data_length,
          .numChildren = stat.num_children,
          .pzxid = stat.pzxid};
}

void nothing(wire::Reader&, Answer&) {}
void stat_only(wire::Reader& body, Answer& answer) { answer.stat = to_library(decode_stat(body)); }
void text_and_stat(wire::Reader& body, Answer& answer) {
  answer.text = body.buffer().value_or("");
  answer.stat = to_library(decode_stat(body));
}
void children_only(wire::Reader& body, Answer& answer) { answer.children = body.texts(); }
void children_and_stat(wire::Reader& body, Answer& answer) {
  answer.children = body.texts();
  answer.stat = to_library(decode_stat(body));
}

void multi_results(wire::Reader& body, Answer& answer) {
  for (std::size_t step = 0;; ++step) {
    const auto op = static_cast<Op>(body.i32());
    const bool done = body.boolean();
    const auto err = body.i32();
    if (done || !body.ok()) return;
    if (op == Op::create) answer.created.push_back(body.text());
    if (op == Op::create2) {
      answer.created.push_back(body.text());
      (void)decode_stat(body);
    }
    if (op == Op::set_data) (void)decode_stat(body);
    if (op == Op::error) {
      (void)body.i32();
      // Those before it are told as done, those behind it as inconsistent.
      if (err != 0 && answer.rc == ZOK) {
        answer.rc = err;
        answer.failed = step;
      }
    }
  }
}

}  // namespace

// What the engine knows of us. It calls in its own thread; we hear of it in the Executor, until we let go of it.
class EmbeddedHandle::Line final : public server::Peer, public std::enable_shared_from_this<Line> {
 public:
  Line(std::weak_ptr<EmbeddedHandle> handle, spi::Executor& executor)
      : handle_(std::move(handle)), executor_(&executor) {}

  void send(std::string frame) override {
    tell([frame = std::move(frame)](EmbeddedHandle& handle) { handle.received(std::string_view(frame).substr(4)); });
  }
  void close() override {
    closed_.set_value();
    tell([](EmbeddedHandle& handle) { handle.lost(); });
  }
  void hold_back(bool) override {}
  std::size_t unsent() const override { return 0; }

  // In the engine's thread.
  void connect(server::Service& service, std::string hello) {
    id_ = service.connected(shared_from_this(), {.address = "embedded", .ip = "127.0.0.1"});
    if (id_ == 0) return close();
    service.received(id_, std::move(hello));
  }
  void ask(server::Service& service, std::string frame) const {
    if (id_ != 0) service.received(id_, std::move(frame));
  }

  // The engine has closed it.
  std::future<void> closed() { return closed_.get_future(); }
  // Nothing is heard of it any more.
  void let_go() {
    const std::lock_guard lock(mutex_);
    executor_ = nullptr;
  }

 private:
  // The handle must not end in the engine's thread, so it is not even looked for there.
  void tell(std::function<void(EmbeddedHandle&)> what) {
    const std::lock_guard lock(mutex_);
    if (executor_ == nullptr) return;
    executor_->post([weak = handle_, line = shared_from_this(), what = std::move(what)] {
      if (const auto handle = weak.lock(); handle && handle->line_ == line) what(*handle);
    });
  }

  const std::weak_ptr<EmbeddedHandle> handle_;
  std::mutex mutex_;
  spi::Executor* executor_;  // none: nobody listens
  std::promise<void> closed_;
  server::ConnectionId id_ = 0;  // of the engine's thread
};

EmbeddedHandle::EmbeddedHandle(std::shared_ptr<server::Runtime> engine, spi::Executor& executor,
                               zookeeper::HandleOptions options, Events events)
    : engine_(std::move(engine)), executor_(executor), options_(std::move(options)), events_(std::move(events)) {}

std::shared_ptr<EmbeddedHandle> EmbeddedHandle::make(std::shared_ptr<server::Runtime> engine, spi::Executor& executor,
                                                     zookeeper::HandleOptions options, Events events) {
  return std::shared_ptr<EmbeddedHandle>(
      new EmbeddedHandle(std::move(engine), executor, std::move(options), std::move(events)));
}

EmbeddedHandle::~EmbeddedHandle() {
  if (line_) line_->let_go();
  close();
}

std::string EmbeddedHandle::open(const std::string&) {
  dial();
  return {};
}

void EmbeddedHandle::dial() {
  greeted_ = false;
  line_ = std::make_shared<Line>(weak_from_this(), executor_);
  wire::Writer hello;
  encode(hello, wire::ConnectRequest{.last_zxid_seen = last_zxid_,
                                     .timeout = options_.timeout_ms,
                                     .session = session_,
                                     .password = session_ == 0 ? std::string(16, '\0') : password_,
                                     .has_read_only = true});
  engine_->post([line = line_, frame = hello.take()](server::Service& service) { line->connect(service, frame); });
}

void EmbeddedHandle::connected(std::string_view frame) {
  wire::Reader reader(frame);
  wire::ConnectResponse response;
  if (!decode(reader, response) || response.session == 0) {
    // The engine is about to close it, and the Executor may be gone by then.
    std::exchange(line_, nullptr)->let_go();
    return events_.session(ZOO_EXPIRED_SESSION_STATE, session_, timeout_);
  }
  session_ = response.session;
  password_ = response.password;
  timeout_ = std::chrono::milliseconds(response.timeout);
  for (const auto& each : options_.auth) {
    wire::Writer body;
    body.i32(0);
    body.text(each.scheme);
    body.text(each.credentials);
    send(wire::kAuthXid, Op::auth, body.bytes());
  }
  set_watches_again();
  beat();
  events_.session(ZOO_CONNECTED_STATE, session_, timeout_);
}

void EmbeddedHandle::received(std::string_view frame) {
  if (!std::exchange(greeted_, true)) return connected(frame);
  wire::Reader reader(frame);
  const auto xid = reader.i32();
  const auto zxid = reader.i64();
  const auto rc = reader.i32();
  if (zxid > last_zxid_) last_zxid_ = zxid;
  if (xid == wire::kNotificationXid) return event(reader);
  if (xid == wire::kAuthXid && rc != ZOK && !abandoned_) {
    return events_.session(ZOO_AUTH_FAILED_STATE, session_, timeout_);
  }
  if (xid < 0 || calls_.empty()) return;
  // In the order they were asked in.
  auto call = std::move(calls_.front());
  calls_.pop_front();
  Answer answer{.rc = rc};
  if (rc == ZOK) {
    call.parse(reader, answer);
    if (call.watch != 0) (call.of_children ? child_watches_ : data_watches_).emplace(call.path, call.watch);
  }
  if (call.done) call.done(std::move(answer));
}

// One watch of the engine's may be several of ours, all used up by this.
void EmbeddedHandle::event(wire::Reader& body) {
  const auto type = body.i32();
  (void)body.i32();  // state
  const auto path = body.text();
  std::vector<WatchId> fired;
  const auto take = [&](Watches& watches) {
    const auto [begin, end] = watches.equal_range(path);
    for (auto each = begin; each != end; ++each) fired.push_back(each->second);
    watches.erase(begin, end);
  };
  if (type != ZOO_CHILD_EVENT) take(data_watches_);
  if (type == ZOO_CHILD_EVENT || type == ZOO_DELETED_EVENT) take(child_watches_);
  for (const auto watch : fired) {
    if (!abandoned_) events_.watch(watch, type);
  }
}

void EmbeddedHandle::lost() {
  executor_.cancel(std::exchange(beat_, spi::Executor::kNoTimer));
  line_.reset();
  if (abandoned_) return;
  fail_all(ZCONNECTIONLOSS);
  const bool was_connected = std::exchange(greeted_, false);
  if (was_connected) events_.session(ZOO_CONNECTING_STATE, session_, timeout_);
  executor_.at(executor_.now() + kRedialPause, [weak = weak_from_this()] {
    if (const auto handle = weak.lock(); handle && !handle->abandoned_ && !handle->line_) handle->dial();
  });
}

// As the library does: three times within the timeout, so that the session lives while nothing is asked.
void EmbeddedHandle::beat() {
  executor_.cancel(beat_);
  beat_ = executor_.at(executor_.now() + timeout_ / 3, [weak = weak_from_this()] {
    const auto handle = weak.lock();
    if (!handle || !handle->line_ || handle->abandoned_) return;
    handle->beat_ = spi::Executor::kNoTimer;
    handle->send(wire::kPingXid, Op::ping, {});
    handle->beat();
  });
}

void EmbeddedHandle::send(std::int32_t xid, Op op, std::string_view body) {
  wire::Writer frame;
  frame.i32(xid);
  frame.i32(static_cast<std::int32_t>(op));
  frame.raw(body);
  engine_->post([line = line_, bytes = frame.take()](server::Service& service) { line->ask(service, bytes); });
}

void EmbeddedHandle::ask(Op op, const wire::Writer& body, Call call) {
  if (!line_ || !greeted_) {
    return executor_.post([done = std::move(call.done)] { done({.rc = ZCONNECTIONLOSS}); });
  }
  last_xid_ = last_xid_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_xid_ + 1;
  call.xid = last_xid_;
  send(call.xid, op, body.bytes());
  calls_.push_back(std::move(call));
}

void EmbeddedHandle::fail_all(int rc) {
  for (auto& call : std::exchange(calls_, {})) {
    if (call.done) call.done({.rc = rc});
  }
}

wire::AclList EmbeddedHandle::acl() const {
  if (options_.acl.empty()) return {{wire::permission::kAll, {"world", "anyone"}}};
  wire::AclList list;
  for (const auto& entry : options_.acl) {
    list.push_back({static_cast<std::int32_t>(entry.permissions), {entry.scheme, entry.id}});
  }
  return list;
}

void EmbeddedHandle::create(const std::string& path, const std::string& data, int mode, Done done) {
  const auto op = mode == static_cast<int>(wire::CreateMode::container) ? Op::create_container : Op::create2;
  wire::Writer body;
  body.text(path);
  body.text(data);
  encode(body, acl());
  body.i32(mode);
  ask(op, body, {.parse = text_and_stat, .done = std::move(done)});
}

void EmbeddedHandle::remove(const std::string& path, Done done) {
  wire::Writer body;
  body.text(path);
  body.i32(-1);
  ask(Op::remove, body, {.parse = nothing, .done = std::move(done)});
}

void EmbeddedHandle::set(const std::string& path, const std::string& data, Done done) {
  wire::Writer body;
  body.text(path);
  body.text(data);
  body.i32(-1);
  ask(Op::set_data, body, {.parse = stat_only, .done = std::move(done)});
}

// With the flag that asks for a watch.
void EmbeddedHandle::look(Op op, const std::string& path, Call call) {
  wire::Writer body;
  body.text(path);
  body.boolean(call.watch != 0);
  call.path = path;
  ask(op, body, std::move(call));
}

void EmbeddedHandle::exists(const std::string& path, Done done) {
  look(Op::exists, path, {.parse = stat_only, .done = std::move(done)});
}

void EmbeddedHandle::get(const std::string& path, Done done) {
  look(Op::get_data, path, {.parse = text_and_stat, .done = std::move(done)});
}

void EmbeddedHandle::get_and_watch(const std::string& path, WatchId watch, Done done) {
  look(Op::get_data, path, {.parse = text_and_stat, .done = std::move(done), .watch = watch});
}

void EmbeddedHandle::get_children(const std::string& path, Done done) {
  look(Op::get_children, path, {.parse = children_only, .done = std::move(done)});
}

void EmbeddedHandle::get_children_and_stat(const std::string& path, Done done) {
  look(Op::get_children2, path, {.parse = children_and_stat, .done = std::move(done)});
}

void EmbeddedHandle::get_children_and_watch(const std::string& path, WatchId watch, Done done) {
  look(Op::get_children, path, {.parse = children_only, .done = std::move(done), .watch = watch, .of_children = true});
}

void EmbeddedHandle::remove_watch(const std::string& path, bool of_children, Done done) {
  (of_children ? child_watches_ : data_watches_).erase(path);
  wire::Writer body;
  body.text(path);
  body.i32(static_cast<std::int32_t>(of_children ? wire::WatchKind::children : wire::WatchKind::data));
  ask(Op::remove_watches, body, {.parse = nothing, .done = std::move(done)});
}

void EmbeddedHandle::multi(std::vector<zookeeper::Op> ops, Done done) {
  using What = zookeeper::Op::What;
  wire::Writer body;
  const auto header = [&](Op op, bool last) {
    body.i32(static_cast<std::int32_t>(op));
    body.boolean(last);
    body.i32(-1);
  };
  for (const auto& op : ops) {
    switch (op.what) {
      case What::create:
        header(Op::create, false);
        body.text(op.path);
        body.text(op.data);
        encode(body, acl());
        body.i32(op.mode);
        break;
      case What::set:
        header(Op::set_data, false);
        body.text(op.path);
        body.text(op.data);
        body.i32(op.version);
        break;
      case What::remove:
      case What::check:
        header(op.what == What::remove ? Op::remove : Op::check, false);
        body.text(op.path);
        body.i32(op.version);
        break;
    }
  }
  header(Op::error, true);
  ask(Op::multi, body, {.parse = multi_results, .done = std::move(done)});
}

void EmbeddedHandle::sync(const std::string& path, Done done) {
  wire::Writer body;
  body.text(path);
  ask(Op::sync, body, {.parse = nothing, .done = std::move(done)});
}

// What happened since the last answer is told by the engine, the rest is watched again.
void EmbeddedHandle::set_watches_again() {
  if (data_watches_.empty() && child_watches_.empty()) return;
  wire::Writer body;
  body.i64(last_zxid_);
  const auto paths = [](const Watches& watches) {
    std::vector<std::string> all;
    for (auto each = watches.begin(); each != watches.end(); each = watches.upper_bound(each->first)) {
      all.push_back(each->first);
    }
    return all;
  };
  body.texts(paths(data_watches_));
  body.texts({});
  body.texts(paths(child_watches_));
  send(wire::kSetWatchesXid, Op::set_watches, body.bytes());
}

void EmbeddedHandle::abandon(int rc) {
  if (std::exchange(abandoned_, true)) return;
  executor_.cancel(std::exchange(beat_, spi::Executor::kNoTimer));
  // From here on it is close() that has the line, outside the Executor.
  leaving_ = std::exchange(line_, nullptr);
  if (leaving_) leaving_->let_go();
  fail_all(rc);
}

void EmbeddedHandle::close() {
  const auto line = std::exchange(leaving_, nullptr);
  if (!line || engine_->stopped()) return;  // there is nobody to say it to
  // A line that has no session yet is closed by the engine as well: the session it is about to get is nobody's.
  wire::Writer goodbye;
  goodbye.i32(0);
  goodbye.i32(static_cast<std::int32_t>(Op::close_session));
  engine_->post([line, bytes = goodbye.take()](server::Service& service) { line->ask(service, bytes); });
  line->closed().wait_for(kGoodbye);
}

}  // namespace holdfast::embedded
