// nodes.h -- what can be asked of a server, as functions. Paths are below the URL's chroot; failures are sentences
// about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shell/session.h"
#include "cli/shell/trouble.h"
#include "wire/records.h"

namespace holdfast::cli::shell {

using zk::kAnyVersion;

class Nodes {
 public:
  explicit Nodes(PolledSession& session) : session_(session) {}

  // The path it got.
  Outcome<std::string> create(zk::NewNode node);
  Outcome<void> remove(const std::string& path, std::int32_t version = kAnyVersion);

  struct Content {
    wire::Buffer data;
    wire::Stat stat;
  };
  Outcome<Content> get(const std::string& path, bool watch);
  Outcome<wire::Stat> set(const std::string& path, const std::string& data, std::int32_t version);
  Outcome<wire::Stat> stat(const std::string& path, bool watch);

  struct Children {
    std::vector<std::string> names;  // in no order
    wire::Stat stat;
  };
  Outcome<Children> children(const std::string& path, bool watch = false);
  // Of all below it, itself not counted.
  Outcome<std::int32_t> count_below(const std::string& path);

  struct Permissions {
    wire::AclList acl;
    wire::Stat stat;
  };
  Outcome<Permissions> get_acl(const std::string& path);
  Outcome<wire::Stat> set_acl(const std::string& path, const wire::AclList& acl, std::int32_t version);

  Outcome<void> add_watch(const std::string& path, wire::AddWatchMode mode);
  Outcome<void> remove_watches(const std::string& path, wire::WatchKind kind);

  Outcome<void> sync(const std::string& path);
  Outcome<std::vector<wire::Id>> who_am_i();
  // Of this session; those whose path begins with `prefix`.
  Outcome<std::vector<std::string>> ephemerals(const std::string& prefix);

 private:
  std::string real(const std::string& path) const;
  std::string shown(const std::string& path) const;
  // `changes`: it is meant to change something.
  Outcome<zk::Answer> ask(const std::string& path, bool changes, const PolledSession::Request& request);

  PolledSession& session_;
};

}  // namespace holdfast::cli::shell
