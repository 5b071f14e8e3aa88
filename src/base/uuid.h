// uuid.h -- a random UUID in the canonical form, which Curator's tools can strip from a node's name.
#pragma once

#include <string>

namespace holdfast::base {

std::string random_uuid();

}  // namespace holdfast::base
