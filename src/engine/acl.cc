#include "engine/acl.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/assert.h"

namespace holdfast::engine {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// IPv4 only, as in ZooKeeper.
std::optional<std::uint32_t> address(std::string_view text) {
  std::uint32_t value = 0;
  for (int part = 0; part < 4; ++part) {
    const auto dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto byte = number(text.substr(0, dot));
    if (!byte || *byte < 0 || *byte > 255) return std::nullopt;
    value = value << 8 | static_cast<std::uint32_t>(*byte);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return value;
}

struct Network {
  std::uint32_t address;
  int bits;
};

// "10.1.2.3" or "10.0.0.0/8".
std::optional<Network> network(std::string_view text) {
  const auto slash = text.find('/');
  const auto base = address(text.substr(0, slash));
  const auto bits = slash == std::string_view::npos ? std::optional(32) : number(text.substr(slash + 1));
  if (!base || !bits || *bits < 0 || *bits > 32) return std::nullopt;
  return Network{*base, *bits};
}

bool is_in(std::string_view who, std::string_view where) {
  const auto net = network(where);
  const auto host = address(who);
  if (!net || !host) return false;
  return net->bits == 0 || (net->address ^ *host) >> (32 - net->bits) == 0;
}

bool matches(const wire::Id& proven, const wire::Id& wanted) {
  if (proven.scheme != wanted.scheme) return false;
  return wanted.scheme == "ip" ? is_in(proven.id, wanted.id) : proven.id == wanted.id;
}

bool is_usable(const wire::Id& id) {
  if (id.scheme == "world") return id.id == "anyone";
  if (id.scheme == "ip") return network(id.id).has_value();
  // A user and a digest, both not empty, and nothing more. Java's split() ignores colons at the end.
  if (id.scheme != "digest") return false;
  const auto colon = id.id.find(':');
  if (colon == std::string::npos) return false;
  const auto end = id.id.find_last_not_of(':');
  return end != std::string::npos && end > colon && id.id.find(':', colon + 1) > end;
}

constexpr std::string_view kWorld = "world";
constexpr std::string_view kSuper = "super";
// With so few entries, comparing each is faster than an index.
constexpr std::size_t kShortList = 16;

bool is_super(const Identities& who) {
  return std::any_of(who.begin(), who.end(), [](const wire::Id& id) { return id.scheme == kSuper; });
}

std::uint32_t mask_of(int bits) { return bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits); }

}  // namespace

const AclTable::Entry* AclTable::use(const wire::AclList& list) {
  wire::Writer writer;
  encode(writer, list);
  const auto [found, added] = entries_.try_emplace(writer.take());
  Entry& entry = found->second;
  if (added) {
    try {
      entry.list = list;
      entry.key = &found->first;
      if (list.size() > kShortList) entry.index = std::make_unique<AclIndex>(entry.list);
    } catch (const std::bad_alloc&) {
      entries_.erase(found);
      throw;
    }
  }
  HOLDFAST_ASSERT(added == (entry.users == 0), added, entry.users);
  ++entry.users;
  return &entry;
}

void AclTable::release(const Entry* entry) {
  if (entry == nullptr) return;
  const auto found = entries_.find(*entry->key);
  HOLDFAST_ASSERT(found != entries_.end() && &found->second == entry, entries_.size());
  HOLDFAST_ASSERT(found->second.users > 0, entries_.size());
  if (--found->second.users == 0) entries_.erase(found);
}

AclIndex::AclIndex(const wire::AclList& list) {
  for (const auto& acl : list) {
    if (acl.id.scheme == kWorld && acl.id.id == "anyone") {
      everybody_ |= acl.permissions;
    } else if (acl.id.scheme == "ip") {
      const auto net = network(acl.id.id);
      if (net) networks_.push_back({net->address & mask_of(net->bits), mask_of(net->bits), acl.permissions});
    } else {
      named_.push_back({acl.id.scheme, acl.id.id, acl.permissions});
    }
  }
  std::sort(named_.begin(), named_.end(),
            [](const Named& a, const Named& b) { return std::tie(a.scheme, a.id) < std::tie(b.scheme, b.id); });
}

std::int32_t AclIndex::permissions_of(const Identities& who) const {
  auto permissions = everybody_;
  for (const auto& id : who) {
    if (id.scheme == "ip") {
      const auto host = address(id.id);
      if (!host) continue;
      for (const auto& net : networks_) {
        if ((*host & net.mask) == net.address) permissions |= net.permissions;
      }
      continue;
    }
    const auto wanted = std::tuple<std::string_view, std::string_view>(id.scheme, id.id);
    const auto name_of = [](const Named& named) { return std::tuple(named.scheme, named.id); };
    auto at = std::lower_bound(named_.begin(), named_.end(), wanted,
                               [&](const Named& named, const auto& name) { return name_of(named) < name; });
    for (; at != named_.end() && name_of(*at) == wanted; ++at) permissions |= at->permissions;
  }
  return permissions;
}

bool allows(const AclTable::Entry* acl, std::int32_t permission, const Identities& who) {
  if (acl == nullptr) return true;
  if (!acl->index) return is_allowed(&acl->list, permission, who);
  return is_super(who) || (acl->index->permissions_of(who) & permission) != 0;
}

bool Permissions::allow(const AclTable::Entry* acl, std::int32_t permission) const {
  if (acl == nullptr || !acl->index) return allows(acl, permission, who_);
  const auto [at, is_new] = known_.try_emplace(acl);
  if (is_new) at->second = is_super(who_) ? ~0 : acl->index->permissions_of(who_);
  return (at->second & permission) != 0;
}

bool is_allowed(const wire::AclList* list, std::int32_t permission, const Identities& who) {
  if (list == nullptr || list->empty()) return true;
  if (is_super(who)) return true;
  return std::any_of(list->begin(), list->end(), [&](const wire::Acl& acl) {
    if ((acl.permissions & permission) == 0) return false;
    if (acl.id.scheme == kWorld && acl.id.id == "anyone") return true;
    return std::any_of(who.begin(), who.end(), [&](const wire::Id& id) { return matches(id, acl.id); });
  });
}

bool make_acl(const wire::AclList& wanted, const Identities& who, wire::AclList& made) {
  made.clear();
  std::size_t added = 0;
  // A set of views, because a frame has room for so many entries that comparing each with all others would take seconds.
  std::set<std::tuple<std::int32_t, std::string_view, std::string_view>> seen;
  for (const auto& each : wanted) {
    if (!seen.emplace(each.permissions, each.id.scheme, each.id.id).second) continue;
    if (each.id.scheme != "auth") {
      if (!is_usable(each.id) || made.size() == kLongestAcl) return false;
      made.push_back(each);
      continue;
    }
    const auto before = made.size();
    for (const auto& id : who) {
      // An address does not prove an identity, and the superuser's mark has no provider of its own.
      if (id.scheme != "digest") continue;
      if ((added += id.id.size()) > kMostAddedByAuth) return false;
      made.push_back({each.permissions, id});
    }
    if (made.size() == before || made.size() > kLongestAcl) return false;
  }
  return !made.empty() && made.size() <= kLongestAcl;
}

wire::AclList without_secrets(const wire::AclList& list) {
  auto shown = list;
  for (auto& acl : shown) {
    const auto colon = acl.id.id.find(':');
    if (acl.id.scheme == "digest" && colon != std::string::npos) acl.id.id.replace(colon, std::string::npos, ":x");
  }
  return shown;
}

}  // namespace holdfast::engine
