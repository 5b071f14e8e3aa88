// acl.h -- who may do what: the lists of nodes, kept once each, and the rules.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::engine {

using Identities = std::vector<wire::Id>;  // what a connection has proven to be

// Nodes by the million share a handful of lists.
class AclTable {
 public:
  struct Entry {
    wire::AclList list;
    std::size_t users = 0;
    const std::string* key = nullptr;
  };

  // One user more. The same list gives the same entry while it is used.
  const Entry* use(const wire::AclList& list);
  void release(const Entry* entry);
  std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::string, Entry> entries_;  // by its encoding
};

// No list at all allows everything, and so does the superuser.
bool is_allowed(const wire::AclList* list, std::int32_t permission, const Identities& who);

// The longest list, once "auth" is replaced. What real lists have is a handful.
inline constexpr std::size_t kLongestAcl = 4'096;
// What one connection may prove to be: each multiplies the entries "auth" of every list.
inline constexpr std::size_t kMostIdentities = 64;
// What "auth" may add to a list, in bytes: names of users may be as long as a frame.
inline constexpr std::size_t kMostAddedByAuth = 64 << 10;

// What a client wants a list to be: duplicates dropped, "auth" replaced by what it has proven to be. False if it is not
// a list that can be used.
bool make_acl(const wire::AclList& wanted, const Identities& who, wire::AclList& made);

// For those who may read but not administrate: the digests are nobody's business.
wire::AclList without_secrets(const wire::AclList& list);

}  // namespace holdfast::engine
