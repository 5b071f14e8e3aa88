#include "engine/writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "engine/path.h"

namespace holdfast::engine {

using wire::Code;
using wire::CreateMode;
using wire::Op;

namespace {

constexpr auto kLastSequence = std::numeric_limits<std::int32_t>::max();
// ZooKeeper keeps it in 40 bits.
constexpr std::int64_t kLongestTtl = (std::int64_t{1} << 40) - 1;

bool has_nul(std::string_view path) { return path.find('\0') != std::string_view::npos; }

bool is_right_version(std::int32_t wanted, std::int32_t version) { return wanted == -1 || wanted == version; }

std::int32_t next_version(std::int32_t version) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(version) + 1);
}

// About how many bytes it takes in a log.
std::size_t size_of(const wire::AclList& list) {
  std::size_t size = 0;
  for (const auto& acl : list) size += sizeof(acl.permissions) + acl.id.scheme.size() + acl.id.id.size();
  return size;
}

std::size_t size_of(const wire::Buffer& data) { return data ? data->size() : 0; }

bool is_mode(std::int32_t flags) { return flags >= 0 && flags <= 6; }

void step_header(wire::Writer& answer, Op op, bool done, std::int32_t err) {
  answer.i32(static_cast<std::int32_t>(op));
  answer.boolean(done);
  answer.i32(err);
}

}  // namespace

// The node that a create makes.
struct Writes::Birth {
  Kind kind = Kind::persistent;
  std::int64_t owner = 0;
  bool sequential = false;
};

template <class T>
void Writes::apply(T change) {
  // Allocations come before the nodes change.
  auto& undo = outcome_.undo;
  if (undo.size() == undo.capacity()) undo.reserve(std::max<std::size_t>(1, 2 * undo.capacity()));
  const auto& kept = std::get<T>(outcome_.transaction.changes.emplace_back(std::move(change)));
  undo.push_back(tree_.apply(kept, outcome_.zxid, outcome_.transaction.time));
}

void Writes::take_back_to(std::size_t changes) {
  while (outcome_.undo.size() > changes) {
    tree_.take_back(std::move(outcome_.undo.back()));
    outcome_.undo.pop_back();
  }
  outcome_.transaction.changes.resize(changes);
}

bool Writes::fits(std::size_t bytes) {
  bytes_ += bytes;
  return bytes_ <= rules_.transaction;
}

bool Writes::may(const Node& node, std::int32_t permission) const { return permissions_.allow(node.acl, permission); }

// The operation decides about containers and TTL nodes, the flags about the rest.
Code Writes::kind_of(const wire::Create& request, Birth& birth) const {
  if (!is_mode(request.flags)) return Code::bad_arguments;
  const auto mode = static_cast<CreateMode>(request.flags);
  birth.sequential = is_sequential(mode);
  if (has_ttl(mode)) {
    if (!rules_.ttl_nodes) return Code::unimplemented;
    if (request.ttl <= 0 || request.ttl > kLongestTtl) return Code::bad_arguments;
  } else if (request.ttl >= 0 || request.op == Op::create_ttl) {
    return Code::bad_arguments;
  }
  if (request.op == Op::create_container) {
    birth.kind = Kind::container;
  } else if (request.op == Op::create_ttl) {
    birth.kind = Kind::ttl;
    birth.owner = request.ttl;
  } else if (is_ephemeral(mode)) {
    birth.kind = Kind::ephemeral;
    birth.owner = session_;
  }
  return Code::ok;
}

Code Writes::operator()(const wire::Create& request, wire::Writer& answer) {
  Birth birth;
  if (const auto code = kind_of(request, birth); code != Code::ok) return code;
  return create(request, birth, answer, request.op != Op::create);
}

Code Writes::create(const wire::Create& request, const Birth& birth, wire::Writer& answer, bool with_stat) {
  if (request.path.rfind('/') == std::string::npos || has_nul(request.path)) return Code::bad_arguments;
  NodeCreated change{.path = request.path, .data = request.data, .kind = birth.kind, .owner = birth.owner};
  if (!make_acl(request.acl, permissions_.who(), change.acl)) return Code::invalid_acl;
  const Node* parent = tree_.find(parent_of(request.path));
  if (parent == nullptr) return Code::no_node;
  if (!may(*parent, wire::permission::kCreate)) return Code::no_auth;
  // ZooKeeper would go on with negative numbers, and then with numbers that it has used before.
  const bool used_up = parent->creations == kLastSequence;
  if (birth.sequential) {
    if (used_up) return Code::bad_arguments;
    change.path += fmt::format("{:010}", parent->creations);
  }
  if (!is_valid_path(change.path) || depth(change.path) > rules_.path_depth) return Code::bad_arguments;
  if (tree_.find(change.path) != nullptr) return Code::node_exists;
  if (parent->kind == Kind::ephemeral) return Code::no_children_for_ephemerals;
  if (birth.kind == Kind::ephemeral && tree_.ephemeral_bytes(session_) + change.path.size() > rules_.ephemeral_bytes) {
    return Code::system_error;
  }
  if (!fits(change.path.size() + size_of(change.data) + size_of(change.acl))) return Code::system_error;
  change.parent_creations = used_up ? kLastSequence : parent->creations + 1;
  const auto path = change.path;
  apply(std::move(change));
  answer.text(path);
  if (with_stat) wire::encode(answer, tree_.find(path)->stat());
  return Code::ok;
}

void Writes::remove(const Node& node) { apply(NodeRemoved{node.path()}); }

Code Writes::operator()(const wire::Remove& request, wire::Writer&) {
  if (request.path.rfind('/') == std::string::npos || has_nul(request.path) || is_special(request.path)) {
    return Code::bad_arguments;
  }
  const Node* parent = tree_.find(parent_of(request.path));
  if (parent == nullptr) return Code::no_node;
  if (!may(*parent, wire::permission::kDelete)) return Code::no_auth;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  if (!is_right_version(request.version, node->version)) return Code::bad_version;
  if (node->child_count() > 0) return Code::not_empty;
  if (!fits(request.path.size())) return Code::system_error;
  remove(*node);
  return Code::ok;
}

// Only the engine's own request, a moment after it was due: meanwhile the node may have got a child, or been changed.
Code Writes::operator()(const wire::RemoveContainer& request, wire::Writer&) {
  if (request.path.empty()) return Code::bad_arguments;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  if (node->child_count() > 0) return Code::not_empty;
  if (!tree_.is_over(*node)) return Code::bad_version;
  remove(*node);
  return Code::ok;
}

Code Writes::operator()(const wire::SetData& request, wire::Writer& answer) {
  if (!is_valid_path(request.path)) return Code::bad_arguments;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  if (!may(*node, wire::permission::kWrite)) return Code::no_auth;
  if (!is_right_version(request.version, node->version)) return Code::bad_version;
  if (!fits(request.path.size() + size_of(request.data))) return Code::system_error;
  apply(DataSet{request.path, request.data, next_version(node->version)});
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Writes::operator()(const wire::SetAcl& request, wire::Writer& answer) {
  if (!is_valid_path(request.path)) return Code::bad_arguments;
  AclSet change{.path = request.path};
  if (!make_acl(request.acl, permissions_.who(), change.acl)) return Code::invalid_acl;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  if (!may(*node, wire::permission::kAdmin)) return Code::no_auth;
  if (!is_right_version(request.version, node->aversion)) return Code::bad_version;
  if (!fits(request.path.size() + size_of(change.acl))) return Code::system_error;
  change.version = next_version(node->aversion);
  apply(std::move(change));
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Writes::operator()(const wire::Check& request, wire::Writer&) {
  if (!is_valid_path(request.path)) return Code::bad_arguments;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  if (!may(*node, wire::permission::kRead)) return Code::no_auth;
  return is_right_version(request.version, node->version) ? Code::ok : Code::bad_version;
}

// Inside a multi the flags decide what is created, whatever the operation; and it is answered as create2 if it is a container
// or has a TTL, as create if not.
Code Writes::step(const wire::Create& request, wire::Writer& answer) {
  auto meant = request;
  const auto mode = is_mode(request.flags) ? static_cast<CreateMode>(request.flags) : CreateMode::persistent;
  // A TTL node without a TTL cannot be understood, and a TTL for another kind of node is ignored.
  if (has_ttl(mode) && request.op != Op::create_ttl) return Code::marshalling_error;
  if (!has_ttl(mode)) meant.ttl = -1;
  meant.op = has_ttl(mode) ? Op::create_ttl : mode == CreateMode::container ? Op::create_container : Op::create;
  const bool with_stat = meant.op != Op::create;
  Birth birth;
  if (const auto code = kind_of(meant, birth); code != Code::ok) return code;
  step_header(answer, with_stat ? Op::create2 : Op::create, false, 0);
  return create(meant, birth, answer, with_stat);
}

Code Writes::step(const wire::Remove& request, wire::Writer& answer) {
  step_header(answer, Op::remove, false, 0);
  return (*this)(request, answer);
}

Code Writes::step(const wire::SetData& request, wire::Writer& answer) {
  step_header(answer, Op::set_data, false, 0);
  return (*this)(request, answer);
}

Code Writes::step(const wire::Check& request, wire::Writer& answer) {
  step_header(answer, Op::check, false, 0);
  return (*this)(request, answer);
}

// All steps or none. The answer says inside which one failed; the multi as a whole is always ok.
Code Writes::operator()(const wire::Multi& request, wire::Writer& answer) {
  wire::Writer done;
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const auto code = std::visit([&](const auto& each) { return step(each, done); }, request.steps[i]);
    if (code == Code::ok) continue;
    take_back_to(0);
    if (code == Code::marshalling_error) return code;
    for (std::size_t j = 0; j < request.steps.size(); ++j) {
      const auto err = j < i ? Code::ok : j == i ? code : Code::runtime_inconsistency;
      step_header(answer, Op::error, false, static_cast<std::int32_t>(err));
      answer.i32(static_cast<std::int32_t>(err));
    }
    step_header(answer, Op::error, true, -1);
    return Code::ok;
  }
  step_header(done, Op::error, true, -1);
  answer.raw(done.bytes());
  return Code::ok;
}

}  // namespace holdfast::engine
