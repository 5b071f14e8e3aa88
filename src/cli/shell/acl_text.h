// acl_text.h -- permissions as text: world:anyone:r,digest:ann:hash:cdrwa. What is shown can be typed again.
#pragma once

#include <string>
#include <string_view>

#include "cli/config/setting_value.h"
#include "wire/records.h"

namespace holdfast::cli::shell {

// Or which of them makes no sense. Which schemes there are is the server's to say.
Parsed<wire::AclList> parse_acls(std::string_view text);

// Printable.
std::string show_acl(const wire::Acl& acl);

wire::AclList open_to_all();

}  // namespace holdfast::cli::shell
