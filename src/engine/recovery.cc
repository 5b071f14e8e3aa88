// recovery.cc -- the engine's state as records of a snapshot, and back.
#include "engine/engine.h"

namespace holdfast::engine {
namespace {

// On disk: never change a number, never use one again.
enum class Tag : std::int32_t { session = 1, node = 2 };

std::string encode(wire::SessionId id, const SessionState& session) {
  wire::Writer out;
  out.i32(static_cast<std::int32_t>(Tag::session));
  out.i64(id);
  out.i32(static_cast<std::int32_t>(session.timeout.count()));
  out.text(session.password);
  return out.take();
}

std::string encode(const Node& node) {
  wire::Writer out;
  out.i32(static_cast<std::int32_t>(Tag::node));
  out.text(node.path());
  out.buffer(node.buffer());
  wire::encode(out, node.acl_list() == nullptr ? wire::AclList{} : *node.acl_list());
  out.i32(static_cast<std::int32_t>(node.kind));
  out.i64(node.owner);
  out.i64(node.czxid);
  out.i64(node.mzxid);
  out.i64(node.pzxid);
  out.i64(node.ctime);
  out.i64(node.mtime);
  out.i32(node.version);
  out.i32(node.aversion);
  out.i32(node.creations);
  return out.take();
}

bool restore_node(Tree& tree, wire::Reader& in) {
  const auto path = in.text();
  const auto data = in.buffer();
  const auto acl = wire::decode_acls(in);
  const auto kind = in.i32();
  const auto owner = in.i64();
  if (!in.ok() || kind < 0 || kind > static_cast<std::int32_t>(Kind::ttl)) return false;
  Node* node = tree.restore(path);
  if (node == nullptr) return false;
  tree.set_data(*node, data);
  tree.set_acl(*node, acl);
  tree.set_kind(*node, static_cast<Kind>(kind), owner);
  node->czxid = in.i64();
  node->mzxid = in.i64();
  node->pzxid = in.i64();
  node->ctime = in.i64();
  node->mtime = in.i64();
  node->version = in.i32();
  node->aversion = in.i32();
  node->creations = in.i32();
  return in.ok();
}

struct Replay {
  Tree& tree;
  Sessions& sessions;
  wire::Zxid zxid;
  std::int64_t time;
  Moment now;

  void operator()(const SessionOpened& change) const {
    sessions.open(change.session, change.password, std::chrono::milliseconds(change.timeout), now);
  }
  void operator()(const SessionClosed& change) const { sessions.close(change.session); }
  template <class T>
  void operator()(const T& change) const {
    tree.forget(tree.apply(change, zxid, time));
  }
};

}  // namespace

void Engine::begin_snapshot() {
  tree_.begin_walk();
  snapshot_sessions_.clear();
  for (const auto& [id, session] : sessions_.all()) snapshot_sessions_.push_back(id);
}

std::optional<std::string> Engine::next_snapshot_record() {
  while (!snapshot_sessions_.empty()) {
    const auto id = snapshot_sessions_.back();
    snapshot_sessions_.pop_back();
    // If it was closed meanwhile, the log closes it again.
    if (const SessionState* session = sessions_.find(id)) return encode(id, *session);
  }
  const Node* node = tree_.next();
  if (node == nullptr) return std::nullopt;
  return encode(*node);
}

bool Engine::restore(std::string_view snapshot_record, Moment now) {
  advance(now);
  wire::Reader in(snapshot_record);
  switch (static_cast<Tag>(in.i32())) {
    case Tag::session: {
      const auto id = in.i64();
      const auto timeout = std::chrono::milliseconds(in.i32());
      auto password = in.text();
      if (in.ok()) sessions_.open(id, std::move(password), timeout, now);
      break;
    }
    case Tag::node:
      if (!restore_node(tree_, in)) return false;
      break;
    default: return false;
  }
  return in.ok() && in.left() == 0;
}

bool Engine::replay(std::string_view log_record, Moment now) {
  Transaction transaction;
  if (!decode(log_record, transaction)) return false;
  advance(now);
  for (const auto& change : transaction.changes) {
    std::visit(Replay{tree_, sessions_, transaction.zxid, transaction.time, now}, change);
  }
  return true;
}

}  // namespace holdfast::engine
