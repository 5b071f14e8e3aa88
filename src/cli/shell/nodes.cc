#include "cli/shell/nodes.h"

#include <type_traits>
#include <utility>

#include "cli/shell/path.h"
#include "wire/jute.h"

namespace holdfast::cli::shell {
namespace {

Trouble gibberish() { return {.text = "What the server answered makes no sense; is it a ZooKeeper?"}; }

// `read` takes what it wants from the answer.
template <typename Read>
auto decoded(const Outcome<std::string>& answer, Read read) -> Outcome<decltype(read(std::declval<wire::Reader&>()))> {
  if (!answer) return tl::unexpected(answer.error());
  wire::Reader reader(*answer);
  auto value = read(reader);
  if (!reader.ok()) return tl::unexpected(gibberish());
  return value;
}

Outcome<void> nothing(const Outcome<std::string>& answer) {
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

template <typename... Fields>
std::string body_of(const std::string& path, Fields... fields) {
  wire::Writer writer;
  writer.text(path);
  [[maybe_unused]] const auto write = [&](auto field) {
    if constexpr (std::is_same_v<decltype(field), bool>) {
      writer.boolean(field);
    } else {
      writer.i32(static_cast<std::int32_t>(field));
    }
  };
  (write(fields), ...);
  return writer.take();
}

wire::Op op_of(wire::CreateMode mode) {
  if (wire::has_ttl(mode)) return wire::Op::create_ttl;
  return mode == wire::CreateMode::container ? wire::Op::create_container : wire::Op::create;
}

}  // namespace

std::string Nodes::real(const std::string& path) const {
  const auto& chroot = session_.options().chroot;
  return path == "/" && !chroot.empty() ? chroot : chroot + path;
}

std::string Nodes::shown(const std::string& path) const {
  const auto& chroot = session_.options().chroot;
  if (!path.starts_with(chroot)) return path;
  return path.size() == chroot.size() ? "/" : path.substr(chroot.size());
}

Outcome<std::string> Nodes::ask(Question question, const std::string& path, bool changes) {
  question.path = real(path);
  auto answer = session_.ask(question);
  if (!answer) return tl::unexpected(trouble_of(answer.error(), path, changes));
  return *std::move(answer);
}

Outcome<std::string> Nodes::create(const NewNode& node) {
  wire::Writer writer;
  writer.text(real(node.path));
  writer.buffer(node.data);
  wire::encode(writer, node.acl);
  writer.i32(static_cast<std::int32_t>(node.mode));
  if (wire::has_ttl(node.mode)) writer.i64(node.ttl);
  const Question question{.op = op_of(node.mode), .body = writer.take(), .path = real(node.path)};
  const auto answer = session_.ask(question);
  if (!answer && answer.error().code == wire::Code::no_node) {
    auto trouble = trouble_of(answer.error(), parent_of(node.path), true);
    trouble.text += "; create it first";
    return tl::unexpected(std::move(trouble));
  }
  if (!answer) return tl::unexpected(trouble_of(answer.error(), node.path, true));
  return decoded(*answer, [&](wire::Reader& reader) { return shown(reader.text()); });
}

Outcome<void> Nodes::remove(const std::string& path, std::int32_t version) {
  return nothing(ask({.op = wire::Op::remove, .body = body_of(real(path), version)}, path, true));
}

Outcome<Nodes::Content> Nodes::get(const std::string& path, bool watch) {
  const auto kind = watch ? std::optional(Watch::data) : std::nullopt;
  return decoded(ask({.op = wire::Op::get_data, .body = body_of(real(path), watch), .watch = kind}, path, false),
                 [](wire::Reader& reader) {
                   auto data = reader.buffer();
                   return Content{.data = std::move(data), .stat = wire::decode_stat(reader)};
                 });
}

Outcome<wire::Stat> Nodes::set(const std::string& path, const std::string& data, std::int32_t version) {
  wire::Writer writer;
  writer.text(real(path));
  writer.text(data);
  writer.i32(version);
  return decoded(ask({.op = wire::Op::set_data, .body = writer.take()}, path, true), wire::decode_stat);
}

Outcome<wire::Stat> Nodes::stat(const std::string& path, bool watch) {
  const auto kind = watch ? std::optional(Watch::data) : std::nullopt;
  return decoded(ask({.op = wire::Op::exists, .body = body_of(real(path), watch), .watch = kind}, path, false),
                 wire::decode_stat);
}

Outcome<Nodes::Children> Nodes::children(const std::string& path, bool watch) {
  const auto kind = watch ? std::optional(Watch::children) : std::nullopt;
  return decoded(ask({.op = wire::Op::get_children2, .body = body_of(real(path), watch), .watch = kind}, path, false),
                 [](wire::Reader& reader) {
                   auto names = reader.texts();
                   return Children{.names = std::move(names), .stat = wire::decode_stat(reader)};
                 });
}

Outcome<std::int32_t> Nodes::count_below(const std::string& path) {
  return decoded(ask({.op = wire::Op::get_all_children_number, .body = body_of(real(path))}, path, false),
                 [](wire::Reader& reader) { return reader.i32(); });
}

Outcome<Nodes::Permissions> Nodes::get_acl(const std::string& path) {
  return decoded(ask({.op = wire::Op::get_acl, .body = body_of(real(path))}, path, false), [](wire::Reader& reader) {
    auto acl = wire::decode_acls(reader);
    return Permissions{.acl = std::move(acl), .stat = wire::decode_stat(reader)};
  });
}

Outcome<wire::Stat> Nodes::set_acl(const std::string& path, const wire::AclList& acl, std::int32_t version) {
  wire::Writer writer;
  writer.text(real(path));
  wire::encode(writer, acl);
  writer.i32(version);
  return decoded(ask({.op = wire::Op::set_acl, .body = writer.take()}, path, true), wire::decode_stat);
}

Outcome<void> Nodes::add_watch(const std::string& path, wire::AddWatchMode mode) {
  const auto kind = mode == wire::AddWatchMode::persistent ? Watch::persistent : Watch::recursive;
  return nothing(ask({.op = wire::Op::add_watch, .body = body_of(real(path), mode), .watch = kind}, path, false));
}

Outcome<void> Nodes::remove_watches(const std::string& path, wire::WatchKind kind) {
  auto done = nothing(ask({.op = wire::Op::remove_watches, .body = body_of(real(path), kind)}, path, false));
  if (done) session_.watches().remove(kind, real(path));
  return done;
}

Outcome<void> Nodes::sync(const std::string& path) {
  return nothing(ask({.op = wire::Op::sync, .body = body_of(real(path))}, path, false));
}

Outcome<std::vector<wire::Id>> Nodes::who_am_i() {
  return decoded(ask({.op = wire::Op::who_am_i, .body = {}}, "/", false), [](wire::Reader& reader) {
    std::vector<wire::Id> ids(reader.count(8));
    for (auto& id : ids) {
      id.scheme = reader.text();
      id.id = reader.text();
    }
    return ids;
  });
}

Outcome<std::vector<std::string>> Nodes::ephemerals(const std::string& prefix) {
  return decoded(ask({.op = wire::Op::get_ephemerals, .body = body_of(real(prefix))}, prefix, false),
                 [&](wire::Reader& reader) {
                   auto paths = reader.texts();
                   for (auto& path : paths) path = shown(path);
                   return paths;
                 });
}

}  // namespace holdfast::cli::shell
