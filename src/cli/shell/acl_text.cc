#include "cli/shell/acl_text.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::cli::shell {
namespace {

struct Letter {
  char letter;
  std::int32_t permission;
};
// In the order in which zkCli.sh shows them.
constexpr Letter kLetters[] = {{'c', wire::permission::kCreate},
                               {'d', wire::permission::kDelete},
                               {'r', wire::permission::kRead},
                               {'w', wire::permission::kWrite},
                               {'a', wire::permission::kAdmin}};

Parsed<wire::Acl> parse_acl(std::string_view text) {
  const auto wrong = [&](const char* why) {
    return tl::unexpected("Not a permission: \"" + base::printable(text) + "\"; " + why);
  };
  const auto first = text.find(':');
  const auto last = text.rfind(':');
  if (first == std::string_view::npos || first == last) return wrong("write scheme:id:cdrwa, such as world:anyone:r");
  wire::Acl acl{.permissions = 0,
                .id = {.scheme = std::string(text.substr(0, first)),
                       .id = std::string(text.substr(first + 1, last - first - 1))}};
  for (const char c : text.substr(last + 1)) {
    std::int32_t permission = 0;
    for (const auto& each : kLetters) {
      if (each.letter == c) permission = each.permission;
    }
    if (permission == 0) return wrong("the letters are c, d, r, w and a");
    acl.permissions |= permission;
  }
  if (acl.permissions == 0) return wrong("it permits nothing; the letters are c, d, r, w and a");
  return acl;
}

}  // namespace

Parsed<wire::AclList> parse_acls(std::string_view text) {
  wire::AclList acls;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    auto acl = parse_acl(text.substr(begin, end - begin));
    if (!acl) return tl::unexpected(acl.error());
    acls.push_back(*std::move(acl));
    begin = end + 1;
  }
  return acls;
}

std::string show_acl(const wire::Acl& acl) {
  std::string letters;
  for (const auto& each : kLetters) {
    if ((acl.permissions & each.permission) != 0) letters += each.letter;
  }
  return base::printable(acl.id.scheme + ':' + acl.id.id + ':', std::string::npos) + letters;
}

wire::AclList open_to_all() {
  return {{.permissions = wire::permission::kAll, .id = {.scheme = "world", .id = "anyone"}}};
}

}  // namespace holdfast::cli::shell
