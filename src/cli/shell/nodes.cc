#include "cli/shell/nodes.h"

#include <utility>

#include "cli/shell/path.h"

namespace holdfast::cli::shell {
namespace {

wire::Stat stat_of(const zk::Answer& answer) { return answer.stat; }
void nothing_of(const zk::Answer&) {}
zk::Client::WatchId watch_if(bool watch) { return watch ? PolledSession::kWatch : zk::Client::kNoWatch; }

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

Outcome<zk::Answer> Nodes::ask(const std::string& path, bool changes, const PolledSession::Request& request) {
  auto answer = session_.ask(request);
  if (!answer) return tl::unexpected(trouble_of(answer.error(), path, changes));
  return *std::move(answer);
}

Outcome<std::string> Nodes::create(zk::NewNode node) {
  const auto path = std::exchange(node.path, real(node.path));
  const auto answer = session_.ask([&](zk::Client& client, auto done) { client.create(node, std::move(done)); });
  if (!answer && answer.error().code == wire::Code::no_node) {
    auto trouble = trouble_of(answer.error(), parent_of(path), true);
    trouble.text += "; create it first";
    return tl::unexpected(std::move(trouble));
  }
  if (!answer) return tl::unexpected(trouble_of(answer.error(), path, true));
  return shown(answer->text);
}

Outcome<void> Nodes::remove(const std::string& path, std::int32_t version) {
  return ask(path, true, [&](zk::Client& client, auto done) { client.remove(real(path), std::move(done), version); })
      .map(nothing_of);
}

Outcome<Nodes::Content> Nodes::get(const std::string& path, bool watch) {
  return ask(path, false,
             [&](zk::Client& client, auto done) { client.get(real(path), std::move(done), watch_if(watch)); })
      .map([](zk::Answer answer) {
        return Content{.data = answer.null ? wire::Buffer() : std::move(answer.text), .stat = answer.stat};
      });
}

Outcome<wire::Stat> Nodes::set(const std::string& path, const std::string& data, std::int32_t version) {
  return ask(path, true, [&](zk::Client& client, auto done) { client.set(real(path), data, std::move(done), version); })
      .map(stat_of);
}

Outcome<wire::Stat> Nodes::stat(const std::string& path, bool watch) {
  return ask(path, false,
             [&](zk::Client& client, auto done) { client.exists(real(path), std::move(done), watch_if(watch)); })
      .map(stat_of);
}

Outcome<Nodes::Children> Nodes::children(const std::string& path, bool watch) {
  return ask(path, false,
             [&](zk::Client& client, auto done) {
               client.get_children_and_stat(real(path), std::move(done), watch_if(watch));
             })
      .map([](zk::Answer answer) { return Children{.names = std::move(answer.children), .stat = answer.stat}; });
}

Outcome<std::int32_t> Nodes::count_below(const std::string& path) {
  return ask(path, false, [&](zk::Client& client, auto done) { client.count_below(real(path), std::move(done)); })
      .map([](const zk::Answer& answer) { return answer.count; });
}

Outcome<Nodes::Permissions> Nodes::get_acl(const std::string& path) {
  return ask(path, false, [&](zk::Client& client, auto done) { client.get_acl(real(path), std::move(done)); })
      .map([](zk::Answer answer) { return Permissions{.acl = std::move(answer.acl), .stat = answer.stat}; });
}

Outcome<wire::Stat> Nodes::set_acl(const std::string& path, const wire::AclList& acl, std::int32_t version) {
  return ask(path, true,
             [&](zk::Client& client, auto done) { client.set_acl(real(path), acl, std::move(done), version); })
      .map(stat_of);
}

Outcome<void> Nodes::add_watch(const std::string& path, wire::AddWatchMode mode) {
  return ask(path, false,
             [&](zk::Client& client, auto done) {
               client.add_watch(real(path), mode, PolledSession::kWatch, std::move(done));
             })
      .map(nothing_of);
}

Outcome<void> Nodes::remove_watches(const std::string& path, wire::WatchKind kind) {
  return ask(path, false,
             [&](zk::Client& client, auto done) { client.remove_watches(real(path), kind, std::move(done)); })
      .map(nothing_of);
}

Outcome<void> Nodes::sync(const std::string& path) {
  return ask(path, false, [&](zk::Client& client, auto done) { client.sync(real(path), std::move(done)); })
      .map(nothing_of);
}

Outcome<std::vector<wire::Id>> Nodes::who_am_i() {
  return ask("/", false, [](zk::Client& client, auto done) { client.who_am_i(std::move(done)); })
      .map([](zk::Answer answer) { return std::move(answer.ids); });
}

Outcome<std::vector<std::string>> Nodes::ephemerals(const std::string& prefix) {
  return ask(prefix, false,
             [&](zk::Client& client, auto done) { client.get_ephemerals(real(prefix), std::move(done)); })
      .map([&](zk::Answer answer) {
        for (auto& path : answer.children) path = shown(path);
        return std::move(answer.children);
      });
}

}  // namespace holdfast::cli::shell
