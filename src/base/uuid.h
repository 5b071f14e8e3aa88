// uuid.h -- a random UUID in the canonical form, which Curator's tools can strip from a node's name.
//
// It has version 8, whose meaning is up to its maker (RFC 9562). Curator's have version 4, so a node's name shows which of the two made it.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::base {

std::string random_uuid();
// For a ticket that its client may keep between its uses (docs/adr/0029). random_uuid() never gives such a one.
std::string random_keepers_uuid();
// Whether the text begins with a UUID that Holdfast made.
bool begins_with_our_uuid(std::string_view text);
// Whether there is one of random_keepers_uuid() anywhere in the text, such as the id of a ticket.
bool has_keepers_uuid(std::string_view text);

}  // namespace holdfast::base
