#include "engine/reads.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::engine {

using wire::Code;
using wire::Op;

namespace {

// A million nodes are spread over the memory. Prefetching the next ones while one is read makes a long list fast: 15 ns each
// instead of 150.
constexpr std::size_t kAhead = 16;

template <class Row, class F>
void for_each_ahead(const Row& row, F f) {
  const auto size = static_cast<std::size_t>(row.end() - row.begin());
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kAhead < size) {
      const auto* next = reinterpret_cast<const char*>(&*row.begin()[static_cast<std::ptrdiff_t>(i + kAhead)]);
      __builtin_prefetch(next);
      __builtin_prefetch(next + 64);
    }
    f(*row.begin()[static_cast<std::ptrdiff_t>(i)]);
  }
}

// Before each name in a listing.
constexpr std::size_t kLength = sizeof(std::int32_t);

// Only the user of a digest is shown.
std::string_view user_of(const wire::Id& id) {
  if (id.scheme == "digest") return std::string_view(id.id).substr(0, id.id.find(':'));
  return id.scheme == "ip" ? std::string_view(id.id) : std::string_view{};
}

// Without the blanks and control characters that Java's trim() removes.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Code Reads::readable(std::string_view path, std::int32_t permissions, const Node*& node) const {
  node = tree_.find(path);
  if (node == nullptr) return Code::no_node;
  return permissions_.allow(node->acl, permissions) ? Code::ok : Code::no_auth;
}

// Every client may ask whether a node exists.
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
  // A node that was created without a list is open to all.
  static const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};
  const auto& list = node->acl_list() == nullptr ? kOpen : *node->acl_list();
  const bool administrator = permissions_.allow(node->acl, wire::permission::kAdmin);
  wire::encode(answer, administrator ? list : without_secrets(list));
  wire::encode(answer, node->stat());
  return Code::ok;
}

Code Reads::operator()(const wire::GetChildren& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  if (const auto code = readable(request.path, wire::permission::kRead, node); code != Code::ok) return code;
  answer.i32(static_cast<std::int32_t>(node->child_count()));
  if (node->children) {
    const auto size = node->children->name_bytes() + kLength * node->child_count();
    if (size > limit_) return Code::marshalling_error;
    answer.expect(size);
    for_each_ahead(*node->children, [&](const Node& child) { answer.text(child.name); });
  }
  if (request.with_stat) wire::encode(answer, node->stat());
  return Code::ok;
}

// A single server has no leader to catch up with.
Code Reads::operator()(const wire::Sync& request, wire::Writer& answer) const {
  answer.text(request.path);
  return Code::ok;
}

std::size_t Reads::length_of_lists(const wire::MultiRead& request) const {
  std::size_t length = 0;
  for (const auto& step : request.steps) {
    const auto* list = std::get_if<wire::GetChildren>(&step);
    const Node* node = nullptr;
    if (list == nullptr || readable(list->path, wire::permission::kRead, node) != Code::ok || !node->children) continue;
    length += node->children->name_bytes() + kLength * node->child_count();
  }
  return length;
}

Code Reads::operator()(const wire::MultiRead& request, wire::Writer& answer) const {
  const auto limit = std::min(limit_, kLongestMultiRead);
  // Before any is made: making a list costs its names, but its length is known.
  const auto lists = length_of_lists(request);
  if (lists > limit) return Code::marshalling_error;
  // In one allocation: memory that is new to the process costs more than the names that are written into it.
  answer.expect(lists);
  const auto header = [&](Op op, bool done, std::int32_t err) {
    answer.i32(static_cast<std::int32_t>(op));
    answer.boolean(done);
    answer.i32(err);
  };
  for (const auto& step : request.steps) {
    // One small request can name a large node many thousand times.
    if (answer.size() > limit) return Code::marshalling_error;
    const auto begin = answer.size();
    header(std::holds_alternative<wire::GetData>(step) ? Op::get_data : Op::get_children, false, 0);
    const auto code = std::visit([&](const auto& each) { return (*this)(each, answer); }, step);
    if (code != Code::ok) {
      answer.shrink(begin);
      header(Op::error, false, static_cast<std::int32_t>(code));
      answer.i32(static_cast<std::int32_t>(code));
    }
  }
  header(Op::error, true, -1);
  return Code::ok;
}

Code Reads::operator()(const wire::GetEphemerals& request, wire::Writer& answer) const {
  // An empty prefix and the root mean all nodes; any other prefix counts as it is, with its blanks.
  const auto meant = trimmed(request.prefix);
  const bool all = meant.empty() || meant == "/";
  const auto at = answer.size();
  std::int32_t count = 0;
  answer.i32(count);
  if (const auto* nodes = tree_.ephemerals(session_)) {
    for_each_ahead(*nodes, [&](const Node& node) {
      const auto path = node.path();
      if (!all && !path.starts_with(request.prefix)) return;
      answer.text(path);
      ++count;
    });
  }
  answer.put_i32(at, count);
  return Code::ok;
}

Code Reads::operator()(const wire::GetAllChildrenNumber& request, wire::Writer& answer) const {
  const Node* node = nullptr;
  if (const auto code = readable(request.path, wire::permission::kRead, node); code != Code::ok) return code;
  // If the root is given by its other name, the empty one, ZooKeeper counts it as below itself.
  const std::size_t itself = node->parent == nullptr && request.path.empty() ? 1 : 0;
  answer.i32(static_cast<std::int32_t>(node->below + itself));
  return Code::ok;
}

Code Reads::operator()(const wire::WhoAmI&, wire::Writer& answer) const {
  const auto& who = permissions_.who();
  answer.i32(static_cast<std::int32_t>(who.size()));
  for (const auto& id : who) {
    answer.text(id.scheme);
    answer.text(user_of(id));
  }
  return Code::ok;
}

}  // namespace holdfast::engine
