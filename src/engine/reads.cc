#include "engine/reads.h"

#include <string>
#include <variant>
#include <vector>

namespace holdfast::engine {

using wire::Code;
using wire::Op;

namespace {

std::size_t count_below(const Node& node) {
  std::size_t count = 0;
  std::vector<const Node*> open{&node};
  while (!open.empty()) {
    const Node* each = open.back();
    open.pop_back();
    if (!each->children) continue;
    count += each->children->size();
    for (const auto& child : *each->children) open.push_back(child.get());
  }
  return count;
}

// Of a digest only the user: the rest is nobody's business.
std::string_view user_of(const wire::Id& id) {
  if (id.scheme == "digest") return std::string_view(id.id).substr(0, id.id.find(':'));
  return id.scheme == "ip" ? std::string_view(id.id) : std::string_view{};
}

// Without what Java's trim() takes off: blanks and control characters.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Code Reads::readable(std::string_view path, std::int32_t permissions, const Node*& node) const {
  node = tree_.find(path);
  if (node == nullptr) return Code::no_node;
  return is_allowed(node->acl_list(), permissions, who_) ? Code::ok : Code::no_auth;
}

// Anybody may ask whether there is a node.
Code Reads::operator()(const wire::Exists& request, wire::Writer& answer) const {
  if (request.path.find('\0') != std::string::npos) return Code::bad_arguments;
  const Node* node = tree_.find(request.path);
  if (node == nullptr) return Code::no_node;
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Reads::operator()(const wire::GetData& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  if (const auto code = readable(request.path, wire::permission::kRead, node); code != Code::ok) return code;
  if (node->data_is_null) {
    answer.null();
  } else {
    answer.text(node->data);
  }
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Reads::operator()(const wire::GetAcl& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  const auto permissions = wire::permission::kRead | wire::permission::kAdmin;
  if (const auto code = readable(request.path, permissions, node); code != Code::ok) return code;
  // What was born without a list is open to all.
  static const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};
  const auto& list = node->acl_list() == nullptr ? kOpen : *node->acl_list();
  const bool administrator = is_allowed(&list, wire::permission::kAdmin, who_);
  wire::encode(answer, administrator ? list : without_secrets(list));
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Reads::operator()(const wire::GetChildren& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  if (const auto code = readable(request.path, wire::permission::kRead, node); code != Code::ok) return code;
  answer.i32(static_cast<std::int32_t>(node->child_count()));
  if (node->children) {
    for (const auto& child : *node->children) answer.text(child->name);
  }
  if (request.with_stat) wire::encode(answer, node->stat());
  return Code::ok;
}

// There is nobody to catch up with.
Code Reads::operator()(const wire::Sync& request, wire::Writer& answer) const {
  answer.text(request.path);
  return Code::ok;
}

Code Reads::operator()(const wire::MultiRead& request, wire::Writer& answer) const {
  const auto header = [&](Op op, bool done, std::int32_t err) {
    answer.i32(static_cast<std::int32_t>(op));
    answer.boolean(done);
    answer.i32(err);
  };
  for (const auto& step : request.steps) {
    // One small request can name a large node many thousand times.
    if (answer.size() > limit_) return Code::marshalling_error;
    wire::Writer body;
    const auto code = std::visit([&](const auto& each) { return (*this)(each, body); }, step);
    if (code == Code::ok) {
      header(std::holds_alternative<wire::GetData>(step) ? Op::get_data : Op::get_children, false, 0);
      answer.raw(body.bytes());
    } else {
      header(Op::error, false, static_cast<std::int32_t>(code));
      answer.i32(static_cast<std::int32_t>(code));
    }
  }
  header(Op::error, true, -1);
  return Code::ok;
}

Code Reads::operator()(const wire::GetEphemerals& request, wire::Writer& answer) const {
  std::vector<std::string> paths;
  if (const auto* nodes = tree_.ephemerals(session_)) {
    for (const Node* node : *nodes) paths.push_back(node->path());
  }
  // Nothing and the root are all; but any other prefix counts as it is, blanks and all.
  const auto meant = trimmed(request.prefix);
  if (!meant.empty() && meant != "/") {
    std::erase_if(paths, [&](const std::string& path) { return !path.starts_with(request.prefix); });
  }
  answer.texts(paths);
  return Code::ok;
}

Code Reads::operator()(const wire::GetAllChildrenNumber& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  if (const auto code = readable(request.path, wire::permission::kRead, node); code != Code::ok) return code;
  // Asked by its other name, the empty one, ZooKeeper counts the root as below itself.
  const std::size_t below =
      node->parent == nullptr ? tree_.size() - (request.path.empty() ? 0 : 1) : count_below(*node);
  answer.i32(static_cast<std::int32_t>(below));
  return Code::ok;
}

Code Reads::operator()(const wire::WhoAmI&, wire::Writer& answer) const {
  answer.i32(static_cast<std::int32_t>(who_.size()));
  for (const auto& id : who_) {
    answer.text(id.scheme);
    answer.text(user_of(id));
  }
  return Code::ok;
}

}  // namespace holdfast::engine
