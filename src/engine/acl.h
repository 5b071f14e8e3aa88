// acl.h -- who may do what: the lists of nodes, kept once each, and the rules.
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

using Identities = std::vector<wire::Id>;  // what a connection has proven to be

// A long list, sorted: a client that has proven 64 identities is found in 4,096 entries without comparing each with each.
class AclIndex {
 public:
  // The list outlives it.
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

// Nodes by the million share a handful of lists.
class AclTable {
 public:
  struct Entry {
    wire::AclList list;
    std::size_t users = 0;
    const std::string* key = nullptr;
    std::unique_ptr<AclIndex> index{};  // none for a short one
  };

  // One user more. The same list gives the same entry while it is used. Throws std::bad_alloc, and nothing has changed.
  const Entry* use(const wire::AclList& list);
  void release(const Entry* entry);
  std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::string, Entry> entries_;  // by its encoding
};

// No list at all allows everything, and so does the superuser.
bool is_allowed(const wire::AclList* list, std::int32_t permission, const Identities& who);
bool allows(const AclTable::Entry* acl, std::int32_t permission, const Identities& who);

// The same for one request, which may look at the same long list fifty thousand times: worked out once.
class Permissions {
 public:
  explicit Permissions(const Identities& who) : who_(who) {}
  const Identities& who() const { return who_; }
  bool allow(const AclTable::Entry* acl, std::int32_t permission) const;

 private:
  const Identities& who_;
  mutable std::unordered_map<const AclTable::Entry*, std::int32_t> known_;
};

// The longest list, once "auth" is replaced. What real lists have is a handful.
inline constexpr std::size_t kLongestAcl = 4'096;
// What one connection may prove to be: each multiplies the entries "auth" of every list.
inline constexpr std::size_t kMostIdentities = 64;
// What "auth" may add to a list, in bytes: names of users may be as long as a frame.
inline constexpr std::size_t kMostAddedByAuth = 64 << 10;

// What a client wants a list to be: duplicates dropped, "auth" replaced by what it has proven to be. False if it is not
// a list that can be used.
bool make_acl(const wire::AclList& wanted, const Identities& who, wire::AclList& made);

// For clients that may read but not administrate: the digests are withheld from them.
wire::AclList without_secrets(const wire::AclList& list);

}  // namespace holdfast::engine
