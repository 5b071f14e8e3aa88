// acl.h -- permissions: the lists of nodes, each kept once, and the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::engine {

using Identities = std::vector<wire::Id>;  // the identities that a connection has proven

// A long list, sorted: 64 identities of a client are found in 4,096 entries without comparing each with each.
class AclIndex {
 public:
  // `list` must outlive it.
  explicit AclIndex(const wire::AclList& list);
  std::int32_t permissions_of(const Identities& who) const;

 private:
  struct Named {
    std::string_view scheme;
    std::string_view id;
    std::int32_t permissions;
  };
  struct Network {
    std::uint32_t address;
    std::uint32_t mask;
    std::int32_t permissions;
  };
  std::int32_t everybody_ = 0;
  std::vector<Named> named_;
  std::vector<Network> networks_;
};

// Each different list once: millions of nodes share a handful of lists.
class AclTable {
 public:
  struct Entry {
    wire::AclList list;
    std::size_t users = 0;
    const std::string* key = nullptr;
    std::unique_ptr<AclIndex> index{};  // none for a short one
  };

  // Adds a user of the list. The same list gives the same entry as long as it is used. Throws std::bad_alloc, and then nothing has changed.
  const Entry* use(const wire::AclList& list);
  void release(const Entry* entry);
  std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::string, Entry> entries_;  // by its encoding
};

// Without a list everything is allowed, and to the superuser always.
bool is_allowed(const wire::AclList* list, std::int32_t permission, const Identities& who);
bool allows(const AclTable::Entry* acl, std::int32_t permission, const Identities& who);

// is_allowed() for one request, which may ask about the same long list fifty thousand times: computed once.
class Permissions {
 public:
  explicit Permissions(const Identities& who) : who_(who) {}
  const Identities& who() const { return who_; }
  bool allow(const AclTable::Entry* acl, std::int32_t permission) const;

 private:
  const Identities& who_;
  mutable std::unordered_map<const AclTable::Entry*, std::int32_t> known_;
};

// The longest list, after "auth" is replaced. Real lists have a handful of entries.
inline constexpr std::size_t kLongestAcl = 4'096;
// How many identities one connection may prove: each multiplies the entries "auth" of every list.
inline constexpr std::size_t kMostIdentities = 64;
// How many bytes "auth" may add to a list: names of users may be as long as a frame.
inline constexpr std::size_t kMostAddedByAuth = 64 << 10;

// Makes the list that a client wants: drops duplicates, and replaces "auth" by the identities that the client has proven. False if
// the list cannot be used.
bool make_acl(const wire::AclList& wanted, const Identities& who, wire::AclList& made);

// The list for clients that may read but not administer the node: without digests.
wire::AclList without_secrets(const wire::AclList& list);

}  // namespace holdfast::engine
