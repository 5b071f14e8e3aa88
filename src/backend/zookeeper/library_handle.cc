#include "backend/zookeeper/library_handle.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace holdfast::zookeeper {
namespace {

// A server that is there answers within this; one that is not gets no more.
constexpr auto kLastAnswers = std::chrono::milliseconds(500);

}  // namespace

// What the library reads and writes until a multi has been answered.
struct LibraryHandle::Multi {
  std::vector<Op> ops;
  std::vector<std::string> paths;  // where it writes the created ones
  std::vector<zoo_op_t> theirs;
  std::vector<zoo_op_result_t> results;
};

struct LibraryHandle::Call {
  LibraryHandle* handle;
  std::uint64_t id;
  Done done;
  std::unique_ptr<Multi> multi{};
};

// What runs on the library's threads: copy, post, nothing else.
struct LibraryHandle::Callbacks {
  static void post(const void* data, Answer answer) {
    const auto* call = static_cast<const Call*>(data);
    call->handle->answered();
    // Keeps the Handle until the function has run; by then its Call may be gone, hence the id.
    call->handle->executor_.post([handle = call->handle->shared_from_this(), id = call->id,
                                  answer = std::move(answer)]() mutable { handle->finish(id, std::move(answer)); });
  }

  static void created(int rc, const char* path, const Stat* stat, const void* data) {
    Answer answer{.rc = rc};
    if (rc == ZOK && path != nullptr) answer.text = path;
    if (rc == ZOK && stat != nullptr) answer.stat = *stat;
    post(data, std::move(answer));
  }

  static void done(int rc, const void* data) { post(data, {.rc = rc}); }
  static void synced(int rc, const char*, const void* data) { post(data, {.rc = rc}); }

  static void with_stat(int rc, const Stat* stat, const void* data) {
    Answer answer{.rc = rc};
    if (rc == ZOK && stat != nullptr) answer.stat = *stat;
    post(data, std::move(answer));
  }

  static void with_data(int rc, const char* value, int length, const Stat* stat, const void* data) {
    Answer answer{.rc = rc};
    if (rc == ZOK && value != nullptr && length > 0) answer.text.assign(value, static_cast<std::size_t>(length));
    if (rc == ZOK && stat != nullptr) answer.stat = *stat;
    post(data, std::move(answer));
  }

  static void multi_done(int rc, const void* data) {
    const auto& multi = *static_cast<const Call*>(data)->multi;
    Answer answer{.rc = rc};
    for (std::size_t i = 0; i < multi.ops.size(); ++i) {
      if (rc == ZOK && multi.ops[i].what == Op::What::create) answer.created.emplace_back(multi.paths[i].c_str());
    }
    // The steps around the one that failed are reported as inconsistent, or as done.
    while (rc != ZOK && answer.failed + 1 < multi.ops.size() && multi.results[answer.failed].err != rc) ++answer.failed;
    post(data, std::move(answer));
  }

  static void with_children_and_stat(int rc, const String_vector* children, const Stat* stat, const void* data) {
    Answer answer{.rc = rc};
    if (rc == ZOK && stat != nullptr) answer.stat = *stat;
    if (rc == ZOK && children != nullptr) answer.children.assign(children->data, children->data + children->count);
    post(data, std::move(answer));
  }

  static void with_children(int rc, const String_vector* children, const void* data) {
    Answer answer{.rc = rc};
    if (rc == ZOK && children != nullptr) answer.children.assign(children->data, children->data + children->count);
    post(data, std::move(answer));
  }

  static void session_event(zhandle_t* zh, int type, int state, const char*, void* context) {
    if (type != ZOO_SESSION_EVENT) return;
    auto* self = static_cast<LibraryHandle*>(context);
    const auto session = zoo_client_id(zh)->client_id;
    const auto timeout = std::chrono::milliseconds(zoo_recv_timeout(zh));
    self->executor_.post([handle = self->shared_from_this(), zh, state, session, timeout] {
      if (handle->listens_to(zh)) handle->events_.session(state, session, timeout);
    });
  }

  // Session events go to every watcher too; the one above has them already.
  static void watch_event(zhandle_t* zh, int type, int, const char*, void* context) {
    if (type == ZOO_SESSION_EVENT) return;
    auto* self = static_cast<LibraryHandle*>(const_cast<void*>(zoo_get_context(zh)));
    const auto watch = reinterpret_cast<std::uintptr_t>(context);
    self->executor_.post([handle = self->shared_from_this(), zh, watch, type] {
      if (handle->listens_to(zh)) handle->events_.watch(watch, type);
    });
  }

  static void* context(WatchId watch) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(watch)); }
};

LibraryHandle::LibraryHandle(spi::Executor& executor, HandleOptions options, Events events)
    : executor_(executor), options_(std::move(options)), events_(std::move(events)) {
  for (const auto& entry : options_.acl) {
    // The library only reads these.
    acl_storage_.push_back({static_cast<int>(entry.permissions),
                            {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
  }
  acl_ = acl_storage_.empty() ? ZOO_OPEN_ACL_UNSAFE
                              : ACL_vector{static_cast<int>(acl_storage_.size()), acl_storage_.data()};
}

LibraryHandle::~LibraryHandle() { LibraryHandle::close(); }

std::string LibraryHandle::open(const std::string& hosts, const std::vector<Auth>& auth) {
  return start(hosts, auth, nullptr);
}

std::string LibraryHandle::reopen(const std::string& hosts, const std::vector<Auth>& auth) {
  auto* const old = handle_;
  const clientid_t session = *zoo_client_id(old);
  auto trouble = start(hosts, auth, session.client_id == 0 ? nullptr : &session);
  if (!trouble.empty()) {
    handle_ = old;
    return trouble;
  }
  zookeeper_close(old);  // there is nobody to talk to: returns at once
  // No callback of the old one comes any more; what it has posted finds its call gone.
  const auto unanswered = std::exchange(calls_, {});
  {
    const std::lock_guard lock(unanswered_mutex_);
    unanswered_ = 0;
  }
  for (const auto& [id, call] : unanswered) call->done({.rc = ZCONNECTIONLOSS});
  return {};
}

std::string LibraryHandle::start(const std::string& hosts, const std::vector<Auth>& auth, const clientid_t* session) {
  static std::once_flag once;
  // Global, and it writes to stderr by default. What matters reaches us as results and events.
  std::call_once(once, [] { zoo_set_debug_level(static_cast<ZooLogLevel>(0)); });
  handle_ = zookeeper_init(hosts.c_str(), &Callbacks::session_event, options_.timeout_ms, session, this,
                           ZOO_NO_LOG_CLIENTENV);
  if (handle_ == nullptr) return std::strerror(errno);
  for (const auto* list : {&options_.auth, &auth}) {
    for (const auto& each : *list) {
      // Sent again by the library with every connection of this handle.
      zoo_add_auth(handle_, each.scheme.c_str(), each.credentials.data(), static_cast<int>(each.credentials.size()),
                   nullptr, nullptr);
    }
  }
  return {};
}

void LibraryHandle::set_servers(const std::string& hosts) { zoo_set_servers(handle_, hosts.c_str()); }

LibraryHandle::Call* LibraryHandle::add(Done done) {
  {
    const std::lock_guard lock(unanswered_mutex_);
    ++unanswered_;
  }
  const auto id = ++last_id_;
  auto& call = calls_[id];
  call = std::make_unique<Call>(Call{this, id, std::move(done)});
  return call.get();
}

void LibraryHandle::answered() {
  const std::lock_guard lock(unanswered_mutex_);
  if (--unanswered_ == 0) all_answered_.notify_all();
}

// A request that could not be sent gets no completion from the library, so it gets one from us.
void LibraryHandle::sent(Call* call, int rc) {
  if (rc != ZOK) Callbacks::post(call, {.rc = rc});
}

void LibraryHandle::finish(std::uint64_t id, Answer answer) {
  const auto found = calls_.find(id);
  if (abandoned_ || found == calls_.end()) return;
  const auto done = std::move(found->second->done);
  calls_.erase(found);
  done(std::move(answer));
}

void LibraryHandle::create(const std::string& path, const std::string& data, int mode, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_acreate2(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), &acl_, mode,
                          &Callbacks::created, call));
}

void LibraryHandle::remove(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_adelete(handle_, path.c_str(), -1, &Callbacks::done, call));
}

void LibraryHandle::exists(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_aexists(handle_, path.c_str(), 0, &Callbacks::with_stat, call));
}

void LibraryHandle::get(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_aget(handle_, path.c_str(), 0, &Callbacks::with_data, call));
}

void LibraryHandle::get_and_watch(const std::string& path, WatchId watch, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_awget(handle_, path.c_str(), &Callbacks::watch_event, Callbacks::context(watch), &Callbacks::with_data,
                       call));
}

void LibraryHandle::set(const std::string& path, const std::string& data, Done done) {
  auto* call = add(std::move(done));
  sent(call,
       zoo_aset(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), -1, &Callbacks::with_stat, call));
}

void LibraryHandle::remove_watch(const std::string& path, bool of_children, Done done) {
  auto* call = add(std::move(done));
  // "all": the library's other call only asks the server whether there is a watch, and leaves it there. The type of the
  // completion is a slip in zookeeper.h: the library casts it back to a plain void_completion_t.
  sent(call, zoo_aremove_all_watches(handle_, path.c_str(), of_children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA, 0,
                                     reinterpret_cast<void_completion_t*>(&Callbacks::done), call));
}

void LibraryHandle::get_children(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_aget_children(handle_, path.c_str(), 0, &Callbacks::with_children, call));
}

void LibraryHandle::get_children_and_stat(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_aget_children2(handle_, path.c_str(), 0, &Callbacks::with_children_and_stat, call));
}

void LibraryHandle::get_children_and_watch(const std::string& path, WatchId watch, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_awget_children(handle_, path.c_str(), &Callbacks::watch_event, Callbacks::context(watch),
                                &Callbacks::with_children, call));
}

void LibraryHandle::multi(std::vector<Op> ops, Done done) {
  auto* call = add(std::move(done));
  call->multi = std::make_unique<Multi>();
  Multi& multi = *call->multi;
  multi.ops = std::move(ops);
  multi.theirs.resize(multi.ops.size());
  multi.results.resize(multi.ops.size());
  for (const auto& op : multi.ops) multi.paths.emplace_back(op.path.size() + 16, '\0');  // and the sequence
  for (std::size_t i = 0; i < multi.ops.size(); ++i) {
    const auto& op = multi.ops[i];
    auto* their = &multi.theirs[i];
    const auto length = static_cast<int>(op.data.size());
    switch (op.what) {
      case Op::What::create:
        zoo_create_op_init(their, op.path.c_str(), op.data.data(), length, &acl_, op.mode, multi.paths[i].data(),
                           static_cast<int>(multi.paths[i].size()));
        break;
      case Op::What::set: zoo_set_op_init(their, op.path.c_str(), op.data.data(), length, op.version, nullptr); break;
      case Op::What::remove: zoo_delete_op_init(their, op.path.c_str(), op.version); break;
      case Op::What::check: zoo_check_op_init(their, op.path.c_str(), op.version); break;
    }
  }
  sent(call, zoo_amulti(handle_, static_cast<int>(multi.theirs.size()), multi.theirs.data(), multi.results.data(),
                        &Callbacks::multi_done, call));
}

void LibraryHandle::sync(const std::string& path, Done done) {
  auto* call = add(std::move(done));
  sent(call, zoo_async(handle_, path.c_str(), &Callbacks::synced, call));
}

void LibraryHandle::abandon(int rc) {
  if (std::exchange(abandoned_, true)) return;
  std::vector<Done> dones;
  for (auto& [id, call] : calls_) dones.push_back(std::exchange(call->done, {}));
  for (const auto& done : dones) done({.rc = rc});
}

void LibraryHandle::close() {
  if (handle_ == nullptr) return;
  if (zoo_state(handle_) == ZOO_CONNECTED_STATE) {
    std::unique_lock lock(unanswered_mutex_);
    all_answered_.wait_for(lock, kLastAnswers, [this] { return unanswered_ == 0; });
  }
  zookeeper_close(std::exchange(handle_, nullptr));
}

}  // namespace holdfast::zookeeper
